package identity

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// event is an event of the identity provider (docs/api.md §3 and §4). Names may be null.
type event struct {
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

// decodeEvent returns the event of a verified webhook. Error: [core.ErrMalformedEvent].
func decodeEvent(m people.Webhook) (people.IdentityEvent, error) {
	var e event
	err := json.Unmarshal(m.Body, &e)
	// A field of another type does not stop Unmarshal: it decodes the others. Of a deleted user
	// only the id is needed, so such a field does not matter.
	_, mistyped := errors.AsType[*json.UnmarshalTypeError](err)
	if err != nil && !(mistyped && e.Type == people.UserDeleted) {
		return people.IdentityEvent{}, core.ErrMalformedEvent
	}
	return e.identityEvent(m), nil
}

// identityEvent returns the event as the platform takes it. m is the webhook that has brought it.
func (e event) identityEvent(m people.Webhook) people.IdentityEvent {
	d := e.Data
	user := people.IdentityUser{
		ID: d.ID, FirstName: d.FirstName, LastName: d.LastName, ImageURL: d.ImageURL,
		PrimaryEmailID: d.PrimaryEmailID, CreatedAt: time.Time(d.CreatedAt),
		UpdatedAt: time.Time(d.UpdatedAt), Role: eventRole(d.Metadata),
	}
	for _, mail := range d.Emails {
		user.Emails = append(user.Emails,
			people.IdentityEmail{ID: mail.ID, Address: mail.Address})
	}
	sent, _ := strconv.ParseInt(m.Timestamp, 10, 64) // a number: VerifyWebhook has parsed it
	return people.IdentityEvent{SentAt: time.Unix(sent, 0), Type: e.Type, User: user}
}

// eventTime is a time in an event: Unix milliseconds, or a string as in RFC 3339. Any other
// value is the zero time, so that an event is not lost because of it.
type eventTime time.Time

// UnmarshalJSON never fails. A time before 1970 is the zero time, too, and so is a number of
// milliseconds that is far in the future, such as one that counts microseconds.
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

// eventRole returns the role in public metadata, or nil, which leaves the role as it is, if the
// event has no metadata. Metadata without a known role means student.
func eventRole(metadata json.RawMessage) *core.Role {
	if len(metadata) == 0 || string(metadata) == "null" {
		return nil
	}
	var m struct {
		Role any `json:"role"`
	}
	_ = json.Unmarshal(metadata, &m) // other JSON than an object has no role
	name, _ := m.Role.(string)
	role := core.ParseRole(name)
	return &role
}
