package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

const (
	// maxWebhook is the largest body of a webhook, in bytes.
	maxWebhook = 1 << 20
	// webhookTime is how long a webhook may take. The gateway gives up after five seconds and
	// delivers the event again.
	webhookTime = 4500 * time.Millisecond
)

// gatewayPath is the path of the gateway's webhook. Its failures have a body of their own; see
// failureBody.
const gatewayPath = "/gateway"

var errGatewaySignature = &web.Failure{Status: http.StatusBadRequest,
	Message: "Invalid gateway webhook signature", Code: "invalid_webhook_signature"}

// gatewayWebhook passes the exact bytes of an event to the platform, which verifies them. The
// gateway gets an answer before it gives up.
func (a *api) gatewayWebhook(w http.ResponseWriter, c *call) error {
	body, err := c.readSigned(w, "x-gateway-signature")
	if err != nil {
		return err
	}
	// An event that takes too long is answered as one for which the server is too busy.
	ctx, cancel := context.WithTimeoutCause(c.Context(), webhookTime, core.ErrBusy)
	defer cancel()
	err = a.platform.Sales.ReceiveGatewayWebhook(ctx, body, c.Header.Get("x-gateway-signature"))
	switch {
	case errors.Is(err, core.ErrInvalidWebhook):
		return errGatewaySignature
	case err != nil:
		return err
	}
	web.WriteJSON(w, http.StatusOK, []byte(`{"received":true}`))
	return nil
}
