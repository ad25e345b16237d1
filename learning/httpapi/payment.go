package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

const (
	// maxWebhook is the largest body of a webhook, in bytes.
	maxWebhook = 1 << 20
	// webhookTime is how long a webhook may take. A provider gives up after five seconds and
	// delivers the event again.
	webhookTime = 4500 * time.Millisecond
)

// The paths of the webhooks of payment providers. The failures of the first two have a body of
// their own; see failureBody.
const (
	gatewayPath  = "/gateway"
	stripePath   = "/stripe"
	providerPath = "/providers/" // before the name of a provider of the host
)

// stripeProvider is the name of package stripe.
const stripeProvider = "stripe"

// isProviderPath reports whether a path is that of the webhook of the gateway or of Stripe.
func isProviderPath(path string) bool { return path == gatewayPath || path == stripePath }

// errUnknownProvider is the failure of a webhook for a name that no provider has.
var errUnknownProvider = &web.Failure{Status: http.StatusNotFound,
	Message: "Payment provider not found", Code: "provider_not_found"}

// The failures of webhooks whose signature is wrong.
var (
	errGatewaySignature = &web.Failure{Status: http.StatusBadRequest,
		Message: "Invalid gateway webhook signature", Code: "invalid_webhook_signature"}
	errStripeSignature = &web.Failure{Status: http.StatusBadRequest,
		Message: "Invalid Stripe webhook signature", Code: "invalid_stripe_signature"}
	errProviderSignature = &web.Failure{Status: http.StatusBadRequest,
		Message: "Invalid provider webhook signature", Code: "invalid_provider_signature"}
)

// gatewayWebhook receives an event of the gateway.
func (a *api) gatewayWebhook(w http.ResponseWriter, c *call) error {
	body, err := c.readSigned(w, "x-gateway-signature")
	if err != nil {
		return err
	}
	return a.providerEvent(w, c, payment.NameGateway, body, errGatewaySignature)
}

// stripeWebhook receives an event of Stripe.
func (a *api) stripeWebhook(w http.ResponseWriter, c *call) error {
	body, err := c.readSigned(w, "Stripe-Signature")
	if err != nil {
		return err
	}
	return a.providerEvent(w, c, stripeProvider, body, errStripeSignature)
}

// providerWebhook receives an event of a provider of the host.
func (a *api) providerWebhook(w http.ResponseWriter, c *call) error {
	body, err := c.ReadAll(w, maxWebhook)
	if err != nil {
		return bodyError(err)
	}
	err = a.providerEvent(w, c, c.Param("provider"), body, errProviderSignature)
	if errors.Is(err, payment.ErrNotConfigured) { // there is no provider of this name
		return errUnknownProvider
	}
	return err
}

// providerEvent passes the exact bytes of an event to the platform, which verifies them. The
// provider gets an answer before it gives up.
func (a *api) providerEvent(
	w http.ResponseWriter, c *call, provider string, body []byte, unsigned error,
) error {
	// An event that takes too long is answered as one for which the server is too busy.
	ctx, cancel := context.WithTimeoutCause(c.Context(), webhookTime, core.ErrBusy)
	defer cancel()
	err := a.platform.Sales.ReceiveWebhook(ctx, provider,
		payment.Webhook{Body: body, Header: c.Header.Get})
	switch {
	case errors.Is(err, core.ErrInvalidWebhook):
		return unsigned
	case err != nil:
		return err
	}
	web.WriteJSON(w, http.StatusOK, []byte(`{"received":true}`))
	return nil
}
