package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sale"
)

// StubProvider is the part of a gateway that needs no network, for fakes that embed it and have the
// methods that their test calls. Its other methods panic.
type StubProvider struct{ payment.Provider }

// Name returns the name of the gateway.
func (StubProvider) Name() string { return payment.NameGateway }

// KeyID returns a key.
func (StubProvider) KeyID() string { return "key" }

// Accepts accepts what the gateway accepts.
func (StubProvider) Accepts(currency string) (core.AmountRule, bool) {
	return core.AmountRule{Smallest: 1_00, Step: 1}, core.HasTwoDecimals(currency)
}

// OrderIn opens an order in a currency.
func (w *World) OrderIn(t *testing.T, actor core.Actor, courseID, currency string) sale.Order {
	t.Helper()
	o, err := w.Platform.Sales.OpenOrder(ctx(), actor,
		sale.OrderRequest{CourseID: courseID, Currency: currency})
	Must(t, err)
	return o
}

// TellStripe sends the webhook of Stripe about an object to the platform.
func (w *World) TellStripe(event string, about any) error {
	body, err := w.Sandbox.Stripe().Event(event, about)
	if err != nil {
		return err
	}
	signature := w.Sandbox.Stripe().SignWebhook(body, w.Clock.Now())
	return w.Platform.Sales.ReceiveWebhook(ctx(), "stripe",
		payment.Webhook{Body: body, Header: func(string) string { return signature }})
}

// MustTellStripe is TellStripe, which the platform must accept.
func (w *World) MustTellStripe(t *testing.T, event string, about any) {
	t.Helper()
	if err := w.TellStripe(event, about); err != nil {
		t.Errorf("%s: %v", event, err)
	}
}
