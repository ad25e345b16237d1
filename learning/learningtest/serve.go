package learningtest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Serve serves a host's handler on a free port until the test ends, and returns the base
// URL of the API: the address and prefix, such as /school, or "". From now on the sandbox
// sends its webhooks there; see [sandbox.Sandbox.Wait].
func (k *Kit) Serve(tb testing.TB, handler http.Handler, prefix string) (url string) {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	url = server.URL + prefix
	k.Sandbox.SetWebhookURL(url)
	tb.Cleanup(func() { k.Sandbox.SetWebhookURL("") }) // before the server is closed
	return url
}

// Buy buys a course for a user: it opens an order, pays it at the sandbox, and gives the
// proof to the platform. The user is enrolled when it returns.
func (k *Kit) Buy(tb testing.TB, user core.Actor, courseID string) sandbox.Payment {
	tb.Helper()
	order, err := k.Platform.Sales.OpenOrder(tb.Context(), user,
		sale.OrderRequest{CourseID: courseID})
	check(tb, err)
	paid, err := k.Sandbox.Gateway().Pay(order.OrderID)
	check(tb, err)
	check(tb, k.Platform.Sales.VerifyPayment(tb.Context(), user, payment.Proof{
		OrderID: order.OrderID, PaymentID: paid.ID,
		Signature: k.Sandbox.Gateway().Signature(order.OrderID, paid.ID)}))
	return paid
}
