package gateway

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// event is the part of a webhook's body that is read (docs/api.md §6).
type event struct {
	Event   string `json:"event"`
	Payload struct {
		Payment struct {
			Entity struct {
				ID       string      `json:"id"`
				Amount   eventAmount `json:"amount"`
				Currency string      `json:"currency"`
				OrderID  string      `json:"order_id"`
				Notes    notes       `json:"notes"`
			} `json:"entity"`
		} `json:"payment"`
		Refund struct {
			Entity refund `json:"entity"`
		} `json:"refund"`
	} `json:"payload"`
}

// eventAmount is an amount in the smallest unit; nil if the event has none.
type eventAmount struct{ *core.Money }

// UnmarshalJSON accepts every value, because a known order is completed whatever its amount. A
// value that is not an integer counts as 0, which is not the amount of any order.
func (a *eventAmount) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	// ParseHundredths is exact, and accepts 44910.0, which is an integer, too. It returns
	// hundredths: here of the smallest unit.
	hundredths, err := core.ParseHundredths(string(b))
	if err != nil || hundredths%100 != 0 { // no number, or one with a fraction
		hundredths = 0
	}
	a.Money = new(core.Money(hundredths / 100))
	return nil
}

// SignatureHeader is the header of a webhook that has its signature.
const SignatureHeader = "X-Gateway-Signature"

// ReadWebhook implements [payment.Provider]. The signature is the HMAC-SHA256 of the exact body,
// keyed with any of the webhook secrets, in lowercase hex. A body is decoded only if its
// signature is right; else the error is [core.ErrInvalidWebhook]. That of a body that cannot be
// used is [core.ErrMalformedEvent]. An event of a type that changes nothing is the zero Event.
func (c *Client) ReadWebhook(w payment.Webhook) (payment.Event, error) {
	if !c.hasSigned(w.Body, w.Header(SignatureHeader)) {
		return payment.Event{}, core.ErrInvalidWebhook
	}
	var e event
	if err := json.Unmarshal(w.Body, &e); err != nil {
		return payment.Event{}, fmt.Errorf("%w: %v", core.ErrMalformedEvent, err)
	}
	switch e.Event {
	case "payment.captured":
		return payment.Event{Payment: e.payment()}, nil
	case "refund.processed", "refund.failed":
		return e.refund()
	}
	return payment.Event{}, nil // an event of another type changes nothing
}

// payment returns the payment of an event. It counts as captured: the types of events that are read
// are about captured payments only.
func (e event) payment() payment.Payment {
	p := e.Payload.Payment.Entity
	return payment.Payment{ID: p.ID, OrderID: p.OrderID, PurchaseID: p.Notes.purchaseID,
		Amount: p.Amount.Money, Currency: p.Currency, Captured: true}
}

// refund returns the event of a refund. Its status is that of the name of the event. If the event
// has the payment, too, the result has it: it was captured, because it is refunded. The error of an
// event without the ids is [core.ErrMalformedEvent].
func (e event) refund() (payment.Event, error) {
	r := e.Payload.Refund.Entity
	if r.ID == "" || r.PaymentID == "" {
		return payment.Event{},
			fmt.Errorf("%w: a refund has no id or no payment", core.ErrMalformedEvent)
	}
	r.Status = strings.TrimPrefix(e.Event, "refund.")
	// of makes it a refund of package learning. It takes the payment, which answers may leave out.
	refunded := payment.Event{Refund: r.of(r.PaymentID)}
	if e.Payload.Payment.Entity.ID == r.PaymentID { // it is there, and is the refunded one
		refunded.Payment = e.payment()
	}
	return refunded, nil
}
