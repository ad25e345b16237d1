package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// identityEvent is an event of the identity provider (docs/api.md §3
// and §4). Names may be null.
type identityEvent struct {
	Type string `json:"type"`
	Data struct {
		ID        string `json:"id"`
		FirstName string `json:"first_name"`
		LastName  string `json:"last_name"`
		ImageURL  string `json:"image_url"`
		Emails    []struct {
			ID      string `json:"id"`
			Address string `json:"email_address"`
		} `json:"email_addresses"`
		PrimaryEmailID string          `json:"primary_email_address_id"`
		CreatedAt      eventTime       `json:"created_at"`
		UpdatedAt      eventTime       `json:"updated_at"`
		Metadata       json.RawMessage `json:"public_metadata"`
	} `json:"data"`
}

// identityWebhook applies an event that the identity provider has signed. A signed event
// that is malformed is answered with 200, because a new delivery cannot help.
func (a *api) identityWebhook(w http.ResponseWriter, c *call) error {
	body, err := c.readSigned(w, "hook-signature")
	if err != nil {
		return err
	}
	m := learning.Webhook{ID: c.Header.Get("hook-id"), Timestamp: c.Header.Get("hook-timestamp"), Signature: c.Header.Get("hook-signature"), Body: body}
	if err := a.platform.VerifyIdentityWebhook(m); err != nil {
		return err // a webhook that cannot be verified is a 500 (docs/api.md §4)
	}
	if err := a.applyIdentityEvent(c.Context(), m); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, []byte(`{}`))
	return nil
}

// applyIdentityEvent passes a verified webhook to the platform.
func (a *api) applyIdentityEvent(ctx context.Context, m learning.Webhook) error {
	var e identityEvent
	err := json.Unmarshal(m.Body, &e)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) && e.Type == learning.UserDeleted {
		err = nil // of a user.deleted only the id is needed, and it was read
	}
	if err == nil {
		err = a.platform.ApplyIdentityEvent(ctx, e.event(m))
	} else {
		err = learning.ErrMalformedEvent
	}
	if errors.Is(err, learning.ErrMalformedEvent) {
		a.log.WarnContext(ctx, "a signed identity event is not of the expected shape", "message", m.ID)
		return nil
	}
	return err
}

func (e identityEvent) event(m learning.Webhook) learning.IdentityEvent {
	d := e.Data
	user := learning.IdentityUser{
		ID: d.ID, FirstName: d.FirstName, LastName: d.LastName, ImageURL: d.ImageURL,
		PrimaryEmailID: d.PrimaryEmailID, CreatedAt: time.Time(d.CreatedAt), UpdatedAt: time.Time(d.UpdatedAt), Role: roleIn(d.Metadata),
	}
	for _, mail := range d.Emails {
		user.Emails = append(user.Emails, learning.IdentityEmail{ID: mail.ID, Address: mail.Address})
	}
	sent, _ := strconv.ParseInt(m.Timestamp, 10, 64) // verified with the signature
	return learning.IdentityEvent{SentAt: time.Unix(sent, 0), Type: e.Type, User: user}
}

// eventTime is a time in an event: Unix milliseconds, or a string as in RFC 3339. Any other
// value is the zero time, so that an event is not lost because of it.
type eventTime time.Time

// UnmarshalJSON never fails.
func (t *eventTime) UnmarshalJSON(data []byte) error {
	*t = eventTime{}
	var milliseconds float64
	var text string
	switch {
	case json.Unmarshal(data, &milliseconds) == nil:
		if milliseconds > 0 && milliseconds < 1e14 { // up to the year 5138
			*t = eventTime(time.UnixMilli(int64(milliseconds)))
		}
	case json.Unmarshal(data, &text) == nil:
		if parsed, err := time.Parse(time.RFC3339, text); err == nil && parsed.Unix() > 0 {
			*t = eventTime(parsed)
		}
	}
	return nil
}

// roleIn returns the role in public metadata, or nil if the event has no metadata. Metadata
// without a known role means student.
func roleIn(metadata json.RawMessage) *learning.Role {
	if len(metadata) == 0 || string(metadata) == "null" {
		return nil
	}
	var m struct {
		Role any `json:"role"`
	}
	_ = json.Unmarshal(metadata, &m)
	name, _ := m.Role.(string)
	role := learning.ParseRole(name)
	return &role
}
