package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// stripeEvent is the body of a webhook.
type stripeEvent struct {
	ID              string `json:"id"`
	Object          string `json:"object"` // "event"
	APIVersion      string `json:"api_version"`
	Created         int64  `json:"created"` // Unix seconds
	Data            object `json:"data"`
	LiveMode        bool   `json:"livemode"`
	PendingWebhooks int    `json:"pending_webhooks"`
	Type            string `json:"type"`
}

type object struct {
	Object any `json:"object"`
}

// Event returns the body of an event about an object, such as a [PaymentIntent], for
// [Stripe.SendWebhook]. The object need not exist.
func (st *Stripe) Event(event string, about any) ([]byte, error) {
	body, err := json.Marshal(st.event(event, about))
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", event, err)
	}
	return body, nil
}

func (st *Stripe) event(event string, about any) stripeEvent {
	return stripeEvent{ID: newLongID("evt_"), Object: "event", APIVersion: StripeVersion,
		Created: st.now(), Data: object{about}, PendingWebhooks: 1, Type: event}
}

// SignWebhook returns the Stripe-Signature of a body that is sent at a time.
func (st *Stripe) SignWebhook(body []byte, at time.Time) string {
	seconds := strconv.FormatInt(at.Unix(), 10)
	signed := append([]byte(seconds+"."), body...)
	return "t=" + seconds + ",v1=" + hexMAC(st.sandbox.cfg.StripeWebhookSecret, signed)
}

// SendWebhook signs the body and sends it once, and returns an error unless the answer is 2xx
// within ten seconds.
func (st *Stripe) SendWebhook(ctx context.Context, body []byte) error {
	return st.sandbox.sender.sendOnce(ctx, st.message("by hand", newLongID("evt_"), body))
}

// sendEvent sends a webhook in the background, with retries, or holds it: see sender.send.
func (st *Stripe) sendEvent(event string, about any) error {
	e := st.event(event, about)
	body, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode %s event: %w", event, err)
	}
	st.sandbox.sender.send(st.message(event, e.ID, body))
	return nil
}

// stripeWebhookTime is the time limit of one attempt to deliver a webhook of Stripe.
const stripeWebhookTime = 10 * time.Second

// message returns a message whose attempts have one id and signatures of their own times.
func (st *Stripe) message(event, id string, body []byte) message {
	return message{event: event, id: id, path: "/stripe", body: body, timeout: stripeWebhookTime,
		sign: func(at time.Time) http.Header {
			h := http.Header{}
			h.Set("Stripe-Signature", st.SignWebhook(body, at))
			return h
		}}
}
