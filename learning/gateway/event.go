package gateway

import (
	"encoding/json"
	"fmt"

	"github.com/openlectern/openlectern/learning"
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
	} `json:"payload"`
}

// eventAmount is an amount in the smallest unit; nil if the event has none.
type eventAmount struct{ *learning.Money }

// UnmarshalJSON accepts every value, because a known order is completed whatever its amount. A
// value that is not an integer counts as 0, which is not the amount of any order.
func (a *eventAmount) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, err := learning.ParseHundredths(string(b)) // exact, and 44910.0 is an integer, too
	if err != nil || n%100 != 0 {
		n = 0
	}
	a.Money = new(learning.Money(n / 100))
	return nil
}

// VerifyWebhook implements [learning.PaymentVerifier]. The signature is the HMAC-SHA256 of
// the exact body, keyed with any of the webhook secrets, in lowercase hex. A body is decoded
// only if its signature is right.
func (c *Client) VerifyWebhook(body []byte, signature string) (learning.Payment, error) {
	if !c.hasSigned(body, signature) {
		return learning.Payment{}, learning.ErrInvalidWebhook
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return learning.Payment{}, fmt.Errorf("%w: %v", learning.ErrMalformedEvent, err)
	}
	if e.Event != "payment.captured" {
		return learning.Payment{}, nil
	}
	p := e.Payload.Payment.Entity
	return learning.Payment{ID: p.ID, OrderID: p.OrderID, PurchaseID: p.Notes.purchaseID, Amount: p.Amount.Money, Currency: p.Currency, Captured: true}, nil
}
