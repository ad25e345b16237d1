package sandbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Events of the gateway.
const (
	PaymentCapturedEvent   = "payment.captured"
	PaymentFailedEvent     = "payment.failed"
	PaymentAuthorizedEvent = "payment.authorized"
	RefundProcessed        = "refund.processed"
)

type gatewayEvent struct {
	Entity    string   `json:"entity"` // "event"
	Event     string   `json:"event"`
	Contains  []string `json:"contains"`
	Payload   payload  `json:"payload"`
	CreatedAt int64    `json:"created_at"` // Unix seconds
}

type payload struct {
	Payment struct {
		Entity any `json:"entity"` // a Payment, or some of its fields
	} `json:"payment"`
}

// Event returns the body of an event about a payment, to be sent by hand. The payment need not exist. With fields the
// event tells only those of the payment, such as "id" and "notes".
func (g *Gateway) Event(event string, p Payment, fields ...string) ([]byte, error) {
	e := gatewayEvent{Entity: "event", Event: event, Contains: []string{"payment"}, CreatedAt: g.now().Unix()}
	var err error
	if e.Payload.Payment.Entity, err = only(p, fields); err != nil {
		return nil, fmt.Errorf("choose fields of the payment: %w", err)
	}
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", event, err)
	}
	return b, nil
}

// only returns the named fields of a payment, or all of it if none is named. A field that no payment has is an error.
func only(p Payment, fields []string) (any, error) {
	if len(fields) == 0 {
		return p, nil
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, err
	}
	some := map[string]json.RawMessage{}
	for _, name := range fields {
		value, known := all[name]
		if !known {
			return nil, fmt.Errorf("a payment has no field %q", name)
		}
		some[name] = value
	}
	return some, nil
}

// Signature is what the checkout hands to the browser as proof of payment: the lowercase hex HMAC-SHA256 of
// "order id|payment id" under the key secret.
func (g *Gateway) Signature(orderID, paymentID string) string {
	return hexMAC(g.sandbox.cfg.GatewayKeySecret, []byte(orderID+"|"+paymentID))
}

// SignWebhook is the value of x-gateway-signature for a body: its lowercase hex HMAC-SHA256 under the webhook secret.
func (g *Gateway) SignWebhook(body []byte) string {
	return hexMAC(g.sandbox.cfg.GatewayWebhookSecret, body)
}

// SendWebhook signs the body and sends it once, and returns an error unless the answer is 2xx within five seconds.
func (g *Gateway) SendWebhook(ctx context.Context, body []byte) error {
	return g.sandbox.courier.once(ctx, g.message("by hand", body))
}

// Deliver queues the body to be sent until it is answered with 2xx or the attempts are used up.
func (g *Gateway) Deliver(body []byte) { g.sandbox.courier.send(g.message("by hand", body)) }

func (g *Gateway) tell(event string, p Payment, fields ...string) error {
	body, err := g.Event(event, p, fields...)
	if err != nil {
		return err
	}
	g.sandbox.courier.send(g.message(event, body))
	return nil
}

func (g *Gateway) message(event string, body []byte) message {
	id := uuid.NewString()
	return message{event: event, id: id, path: "/gateway", body: body, timeout: 5 * time.Second,
		sign: func(time.Time) http.Header {
			h := http.Header{}
			h.Set("x-gateway-event-id", id)
			h.Set("x-gateway-signature", g.SignWebhook(body))
			return h
		}}
}

func hexMAC(secret string, msg []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(msg)
	return hex.EncodeToString(mac.Sum(nil))
}
