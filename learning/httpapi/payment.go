package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/openlectern/learning/learning"
)

const (
	// maxWebhook is the largest body of a webhook, in bytes.
	maxWebhook = 1 << 20
	// webhookTime is how long a webhook may take: the gateway counts five seconds
	// as a time-out and sends the event again.
	webhookTime = 4500 * time.Millisecond
)

// errGatewaySignature has a body of its own shape; see refuseSignature.
var errGatewaySignature = &failure{http.StatusBadRequest, "Invalid gateway webhook signature"}

// gatewayEvent is the part of a gateway's event that is read (interface.md,
// "Payment-gateway events").
type gatewayEvent struct {
	Event   string `json:"event"`
	Payload struct {
		Payment struct {
			Entity struct {
				ID       string       `json:"id"`
				Amount   int64        `json:"amount"`
				Currency string       `json:"currency"`
				OrderID  string       `json:"order_id"`
				Notes    gatewayNotes `json:"notes"`
			} `json:"entity"`
		} `json:"payment"`
	} `json:"payload"`
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
	body, err := c.readAll(w, maxWebhook)
	if err != nil {
		return err
	}
	genuine, err := a.platform.VerifyWebhook(body, c.Header.Get("x-gateway-signature"))
	if err != nil {
		return err
	}
	if !genuine {
		return refuseSignature(w)
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
	return a.platform.CapturePayment(ctx, learning.Payment{
		ID: entity.ID, OrderID: entity.OrderID, PurchaseID: entity.Notes.PurchaseID,
		Amount: learning.Money(entity.Amount), Currency: entity.Currency, Captured: true,
	})
}

// signatureRefusal is the shape that the gateway's webhook has for itself.
type signatureRefusal struct {
	Error string `json:"error"`
}

func refuseSignature(w http.ResponseWriter) error {
	body, err := json.Marshal(signatureRefusal{errGatewaySignature.message})
	if err != nil {
		return err
	}
	writeJSON(w, errGatewaySignature.status, body)
	return nil
}
