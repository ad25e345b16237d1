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

// Event returns the body of an event of one of the three types about a user, as it is now, to be sent by hand.
// ErrUnknownUser when there is no such user, unless the event says just that.
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

// SignWebhook returns the headers hook-id, hook-timestamp and hook-signature for a body, by Standard Webhooks, so that
// tests can make messages of their own: old ones, repeated ones, wrong ones.
func (i *Identity) SignWebhook(body []byte, id string, at time.Time) http.Header {
	h := http.Header{}
	signature, _ := i.hook.Sign(id, at, body) // an HMAC does not fail
	h.Set("hook-id", id)
	h.Set("hook-timestamp", strconv.FormatInt(at.Unix(), 10))
	h.Set("hook-signature", signature)
	return h
}

// SendWebhook signs the body with a fresh id and sends it once, and returns an error unless the answer is 2xx.
func (i *Identity) SendWebhook(ctx context.Context, body []byte) error {
	return i.sandbox.courier.once(ctx, i.message("by hand", body))
}

// Deliver queues the body to be sent until it is answered with 2xx or the attempts are used up.
func (i *Identity) Deliver(body []byte) { i.sandbox.courier.send(i.message("by hand", body)) }

func (i *Identity) tell(kind string, data any) error {
	body, err := json.Marshal(identityEvent{kind, data})
	if err != nil {
		return fmt.Errorf("encode %s event: %w", kind, err)
	}
	i.sandbox.courier.send(i.message(kind, body))
	return nil
}

// message keeps its id over all attempts, while each attempt is dated and signed anew, as the scheme asks.
func (i *Identity) message(kind string, body []byte) message {
	id := "msg_" + uuid.NewString()
	return message{event: kind, id: id, path: "/idp", body: body, timeout: 15 * time.Second,
		sign: func(at time.Time) http.Header { return i.SignWebhook(body, id, at) }}
}
