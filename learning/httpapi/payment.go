package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/learning"
)

const (
	// maxWebhook is the largest body of a webhook, in bytes.
	maxWebhook = 1 << 20
	// webhookTime is how long a webhook may take. The gateway gives up after five seconds and
	// delivers the event again.
	webhookTime = 4500 * time.Millisecond
)

// gatewayPath is the path of the gateway's webhook. Its failures have a body of their own; see
// writeFailure.
const gatewayPath = "/gateway"

var errGatewaySignature = &failure{http.StatusBadRequest, "Invalid gateway webhook signature"}

// gatewayEvent is the part of a gateway's event that is read (docs/api.md §6).
type gatewayEvent struct {
	Event   string `json:"event"`
	Payload struct {
		Payment struct {
			Entity struct {
				ID       string        `json:"id"`
				Amount   gatewayAmount `json:"amount"`
				Currency string        `json:"currency"`
				OrderID  string        `json:"order_id"`
				Notes    gatewayNotes  `json:"notes"`
			} `json:"entity"`
		} `json:"payment"`
	} `json:"payload"`
}

// gatewayAmount is an amount in the smallest unit. The zero value means that the event has no
// amount.
type gatewayAmount struct {
	given     *learning.Money
	noInteger bool
}

// UnmarshalJSON accepts every value, because a known order is completed whatever its amount. A
// value that is not an integer counts as 0, which is not the amount of any order.
func (a *gatewayAmount) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	n, err := learning.ParseHundredths(string(b)) // exact, and 44910.0 is an integer, too
	if a.noInteger = err != nil || n%100 != 0; a.noInteger {
		n = 0
	}
	a.given = new(learning.Money(n / 100))
	return nil
}

// gatewayNotes is an object, which the gateway sends as [] when it is empty. Values that are
// not strings are ignored.
type gatewayNotes struct{ PurchaseID string }

// UnmarshalJSON accepts every value, and reads the purchaseId of an object if it is a string.
func (n *gatewayNotes) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		return nil
	}
	fields := map[string]any{}
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	n.PurchaseID, _ = fields["purchaseId"].(string)
	return nil
}

// gatewayWebhook verifies the signature of the exact bytes before it parses them. A malformed
// event is answered with 200, because a new delivery cannot help.
func (a *api) gatewayWebhook(w http.ResponseWriter, c *call) error {
	body, err := c.readSigned(w, "x-gateway-signature")
	if err != nil {
		return err
	}
	genuine, err := a.platform.VerifyGatewayWebhook(body, c.Header.Get("x-gateway-signature"))
	if err != nil {
		return err
	}
	if !genuine {
		return errGatewaySignature
	}
	ctx, cancel := context.WithTimeout(c.Context(), webhookTime)
	defer cancel()
	if err := a.applyGatewayEvent(ctx, body); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, []byte(`{"received":true}`))
	return nil
}

// applyGatewayEvent passes a verified event to the platform.
func (a *api) applyGatewayEvent(ctx context.Context, body []byte) error {
	var e gatewayEvent
	if err := json.Unmarshal(body, &e); err != nil {
		a.log.WarnContext(ctx, "a signed gateway event is not of the expected shape", "error", err)
		return nil
	}
	if e.Event != "payment.captured" {
		return nil
	}
	entity := e.Payload.Payment.Entity
	if entity.Amount.noInteger {
		a.log.WarnContext(ctx, "the amount of a signed gateway event is not an integer", "payment", entity.ID)
	}
	return a.platform.CapturePayment(ctx, learning.Payment{
		ID: entity.ID, OrderID: entity.OrderID, PurchaseID: entity.Notes.PurchaseID,
		Amount: entity.Amount.given, Currency: entity.Currency, Captured: true,
	})
}
