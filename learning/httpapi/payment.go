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
	// webhookTime is how long a webhook may take: the gateway counts five seconds
	// as a time-out and sends the event again.
	webhookTime = 4500 * time.Millisecond
)

// gatewayPath is where the gateway sends its events. Failures there have a body of
// their own shape; see writeFailure.
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

// gatewayAmount is an amount in the smallest unit. The zero value is one that the
// event does not give.
type gatewayAmount struct {
	given     *learning.Money
	noInteger bool
}

// UnmarshalJSON takes anything: a known order is paid, however its amount is
// written. What is not an integer counts as 0, which is the amount of no order.
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

// gatewayNotes is an object, which the gateway sends as [] when it is empty.
// Values that are no text are not ours.
type gatewayNotes struct{ PurchaseID string }

// UnmarshalJSON takes anything; only an object with a textual purchaseId says
// something.
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

// gatewayWebhook verifies the exact bytes before it reads anything from them. An
// event that makes no sense is acknowledged, because sending it again cannot help.
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
	if err := a.takeIn(ctx, body); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, []byte(`{"received":true}`))
	return nil
}

// takeIn brings a verified event to the platform.
func (a *api) takeIn(ctx context.Context, body []byte) error {
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
