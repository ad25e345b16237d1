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
	RefundFailed           = "refund.failed"
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
		Entity Payment `json:"entity"`
	} `json:"payment"`
	Refund *refundPayload `json:"refund,omitempty"`
}

type refundPayload struct {
	Entity Refund `json:"entity"`
}

// Event returns the body of an event about a payment, for [Gateway.SendWebhook]. The payment need
// not exist.
func (g *Gateway) Event(event string, p Payment) ([]byte, error) {
	return g.event(event, p, nil)
}

// RefundEvent returns the body of an event about a refund of a payment, for [Gateway.SendWebhook].
// Neither need exist.
func (g *Gateway) RefundEvent(event string, p Payment, r Refund) ([]byte, error) {
	r.Key = "" // the real gateway does not show it
	return g.event(event, p, &refundPayload{r})
}

// event returns the body of an event about a payment, or about a refund of it unless refund is nil.
func (g *Gateway) event(event string, p Payment, refund *refundPayload) ([]byte, error) {
	e := gatewayEvent{Entity: "event", Event: event, Contains: []string{"payment"},
		CreatedAt: g.now().Unix()}
	e.Payload.Payment.Entity, e.Payload.Refund = p, refund
	if refund != nil {
		e.Contains = []string{"refund", "payment"}
	}
	b, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", event, err)
	}
	return b, nil
}

// Signature returns the proof of payment that the checkout gives to the browser: the lowercase hex
// HMAC-SHA256 of "order id|payment id" with the key secret.
func (g *Gateway) Signature(orderID, paymentID string) string {
	return hexMAC(g.sandbox.cfg.GatewayKeySecret, []byte(orderID+"|"+paymentID))
}

// SignWebhook returns the x-gateway-signature of a body: its lowercase hex HMAC-SHA256 with the
// webhook secret.
func (g *Gateway) SignWebhook(body []byte) string {
	return hexMAC(g.sandbox.cfg.GatewayWebhookSecret, body)
}

// SendWebhook signs the body and sends it once, and returns an error unless the answer is 2xx
// within five seconds.
func (g *Gateway) SendWebhook(ctx context.Context, body []byte) error {
	return g.sandbox.sender.sendOnce(ctx, g.message("by hand", body))
}

// sendEvent sends a webhook with an event about a payment in the background, with retries, or holds
// it: see sender.send. It returns an error only if the payment cannot be encoded.
func (g *Gateway) sendEvent(event string, p Payment) error {
	body, err := g.Event(event, p)
	if err != nil {
		return err
	}
	g.sandbox.sender.send(g.message(event, body))
	return nil
}

// gatewayWebhookTime is the time limit of one attempt to deliver a webhook of the gateway.
const gatewayWebhookTime = 5 * time.Second

// message returns a message whose attempts all have one id and one signature. event is for the list
// of deliveries only.
func (g *Gateway) message(event string, body []byte) message {
	id := uuid.NewString()
	return message{event: event, id: id, path: "/gateway", body: body, timeout: gatewayWebhookTime,
		sign: func(time.Time) http.Header { // the time is no part of this signature
			h := http.Header{}
			h.Set("x-gateway-event-id", id)
			h.Set("x-gateway-signature", g.SignWebhook(body))
			return h
		}}
}

// hexMAC returns the HMAC-SHA256 of msg in lowercase hex.
func hexMAC(secret string, msg []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(msg)
	return hex.EncodeToString(mac.Sum(nil))
}
