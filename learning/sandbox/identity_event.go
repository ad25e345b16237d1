package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// Events of the identity provider.
const (
	UserCreated = "user.created"
	UserUpdated = "user.updated"
	UserDeleted = "user.deleted"
)

type identityEvent struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

type deletedUser struct {
	ID string `json:"id"`
}

// Event returns the body of an event about the current record of a user, for
// [Identity.SendWebhook]. It returns ErrUnknownUser if there is no such user, except for
// UserDeleted.
func (i *Identity) Event(kind, userID string) ([]byte, error) {
	if kind == UserDeleted {
		return json.Marshal(identityEvent{kind, deletedUser{userID}})
	}
	var body []byte
	err := ErrUnknownUser
	i.state.read(func(r *records) {
		if a := r.users[userID]; a != nil {
			body, err = json.Marshal(identityEvent{kind, i.data(a)})
		}
	})
	return body, err
}

// SignWebhook returns the headers hook-id, hook-timestamp and hook-signature of Standard Webhooks
// for a body, for example for a test that sends a webhook that is too old.
func (i *Identity) SignWebhook(body []byte, id string, at time.Time) http.Header {
	h := http.Header{}
	signature, _ := i.hook.Sign(id, at, body) // an HMAC does not fail
	h.Set("hook-id", id)
	h.Set("hook-timestamp", strconv.FormatInt(at.Unix(), 10))
	h.Set("hook-signature", signature)
	return h
}

// SendWebhook signs the body with a fresh id and sends it once, and returns an error unless the
// answer is 2xx within identityWebhookTime.
func (i *Identity) SendWebhook(ctx context.Context, body []byte) error {
	return i.sandbox.sender.sendOnce(ctx, i.message("by hand", body))
}

// sendEvent sends a webhook with an event in the background, with retries, or holds it: see
// sender.send. It returns an error only if data cannot be encoded.
func (i *Identity) sendEvent(kind string, data any) error {
	body, err := json.Marshal(identityEvent{kind, data})
	if err != nil {
		return fmt.Errorf("encode %s event: %w", kind, err)
	}
	i.sandbox.sender.send(i.message(kind, body))
	return nil
}

// identityWebhookTime is the time limit of one attempt to deliver a webhook of the identity
// provider.
const identityWebhookTime = 15 * time.Second

// message returns a message whose attempts have one id, each with its own timestamp and signature,
// as Standard Webhooks requires. kind is for the list of deliveries only.
func (i *Identity) message(kind string, body []byte) message {
	id := "msg_" + uuid.NewString()
	return message{event: kind, id: id, path: "/idp", body: body, timeout: identityWebhookTime,
		sign: func(at time.Time) http.Header { return i.SignWebhook(body, id, at) }}
}
