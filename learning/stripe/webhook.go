package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// tolerance is how far the time of a webhook may be from now, so that an old one cannot be sent
// again.
const tolerance = 300 * time.Second

// event is the part of a webhook's body that is read. The object is a PaymentIntent, a charge, a
// refund or a dispute.
type event struct {
	Type string `json:"type"`
	Data struct {
		Object struct {
			ID            string    `json:"id"`
			PaymentIntent reference `json:"payment_intent"`
		} `json:"object"`
	} `json:"data"`
}

// ReadWebhook implements [payment.Provider]. A body is decoded only if its signature is right. The
// event says what to ask Stripe for:
//
//	payment_intent.*             the order
//	charge.refunded, refund.*    the refunds of the payment
//	charge.dispute.*             the disputes of the payment
//
// All other types, and charges without a PaymentIntent, are the zero event.
func (c *Client) ReadWebhook(w payment.Webhook) (payment.Event, error) {
	if !c.hasSigned(w.Body, w.Header("Stripe-Signature")) {
		return payment.Event{}, core.ErrInvalidWebhook
	}
	var e event
	if err := json.Unmarshal(w.Body, &e); err != nil {
		return payment.Event{}, fmt.Errorf("%w: %v", core.ErrMalformedEvent, err)
	}
	object := e.Data.Object
	var got payment.Event
	switch {
	case strings.HasPrefix(e.Type, "payment_intent."):
		got.ChangedOrder = object.ID
	case e.Type == "charge.refunded", strings.HasPrefix(e.Type, "refund."):
		got.ChangedRefunds = string(object.PaymentIntent)
	case strings.HasPrefix(e.Type, "charge.dispute."):
		got.ChangedDisputes = string(object.PaymentIntent)
	default:
		return payment.Event{}, nil
	}
	if object.ID == "" {
		return payment.Event{}, fmt.Errorf("%w: %s has no object", core.ErrMalformedEvent,
			e.Type)
	}
	return got, nil
}

// hasSigned reports whether the header Stripe-Signature was made with one of the webhook secrets,
// not longer ago than the tolerance. The header has a time and one or more signatures, because
// Stripe signs with two secrets during a rotation: t=1492774577,v1=5257…,v1=6ffb…,v0=…
func (c *Client) hasSigned(body []byte, header string) bool {
	var seconds string
	var signatures []string
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			seconds = value
		case "v1": // the other schemes are for tests only
			signatures = append(signatures, value)
		}
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || c.clock.Now().Sub(time.Unix(at, 0)).Abs() > tolerance {
		return false
	}
	for _, secret := range c.webhookSecrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(seconds + "."))
		mac.Write(body)
		want := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, signature := range signatures {
			// hmac.Equal compares in constant time.
			if hmac.Equal(want, []byte(signature)) {
				return true
			}
		}
	}
	return false
}
