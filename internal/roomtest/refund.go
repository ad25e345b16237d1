package roomtest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Sold sells a course to a user for its price.
func (w *World) Sold(t *testing.T, ada core.Actor, course string) purchase.Purchase {
	t.Helper()
	o := w.Order(t, ada, course)
	Must(t, w.Report(w.Pay(t, o.OrderID)))
	return w.Purchase(t, o.PurchaseID)
}

// Refund refunds an amount of a purchase, or all that is left if it is 0.
func (w *World) Refund(t *testing.T, boss core.Actor, purchaseID string,
	amount core.Money) (purchase.Purchase, error) {
	t.Helper()
	var part *core.Money
	if amount != 0 {
		part = &amount
	}
	return w.Platform.Refunds.Refund(ctx(), boss,
		refund.Request{PurchaseID: purchaseID, Amount: part, Reason: "not satisfied"})
}

// RefundsAt returns the refunds of a payment at the provider.
func (w *World) RefundsAt(t *testing.T, paymentID string) []till.Refund {
	t.Helper()
	list, err := w.Till.Refunds(paymentID)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Tell sends the webhook of a refund to the platform, such as [sandbox.RefundFailed]. The gateway
// says in it what has happened; at Stripe the platform asks, so that it must have happened there.
func (w *World) Tell(t *testing.T, event string, r till.Refund) error {
	t.Helper()
	r.Status = payment.RefundStatus(strings.TrimPrefix(event, "refund."))
	body, err := w.Till.RefundEvent(r)
	if err != nil {
		t.Fatal(err)
	}
	return w.Receive(body)
}

// SignedWebhook returns a webhook of the gateway with a signature.
func SignedWebhook(body []byte, signature string) payment.Webhook {
	return payment.Webhook{Body: body, Header: func(name string) string {
		if name == gateway.SignatureHeader {
			return signature
		}
		return ""
	}}
}

// MustTell sends the webhook of a refund to the platform, which must accept it.
func (w *World) MustTell(t *testing.T, event string, r till.Refund) {
	t.Helper()
	if err := w.Tell(t, event, r); err != nil {
		t.Errorf("%s: %v", event, err)
	}
}

// FailRefund lets a refund fail at the provider, which sends no webhook of it, and returns it.
func (w *World) FailRefund(t *testing.T, r till.Refund) till.Refund {
	t.Helper()
	Must(t, w.Till.FailRefund(r.ID, sandbox.WithoutWebhook()))
	r.Status = payment.RefundFailed
	return r
}

// WantBooks checks the invariants of sales, and compares the state of a purchase.
func (w *World) WantBooks(t *testing.T, id string, status purchase.Status,
	refunded, pending core.Money) {
	t.Helper()
	w.WantValidSales(t)
	type state struct {
		Status            purchase.Status
		Refunded, Pending core.Money
	}
	p := w.Purchase(t, id)
	if diff := cmp.Diff(state{Status: status, Refunded: refunded, Pending: pending},
		state{Status: p.Status, Refunded: p.RefundedAmount, Pending: p.PendingRefunds}); diff !=
		"" {
		t.Error(diff)
	}
}

// ReconcileRefunds reconciles after the time in which a refund may be in progress.
func (w *World) ReconcileRefunds(t *testing.T, checked, decided int) {
	t.Helper()
	w.Clock.Advance(time.Minute)
	found, err := w.Platform.System().ReconcilePurchases(ctx())
	if err != nil || found.CheckedRefunds != checked || found.DecidedRefunds != decided {
		t.Errorf("%+v, want %d refunds checked and %d decided: %v", found, checked, decided, err)
	}
}

// Sweep reconciles, and checks how many payments were asked for their refunds and how many
// refunds were found.
func (w *World) Sweep(t *testing.T, checked, found int) {
	t.Helper()
	got, err := w.Platform.System().ReconcilePurchases(ctx())
	want := sale.Reconciliation{Reconciliation: refund.Reconciliation{CheckedPayments: checked,
		FoundRefunds: found}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
}

// RefundQuietly refunds a payment at the provider, or a part of it, whose webhook is lost.
func (w *World) RefundQuietly(t *testing.T, paymentID string,
	opts ...sandbox.PayOption) till.Refund {
	t.Helper()
	Must(t, w.Till.Refund(paymentID, append(opts, sandbox.WithoutWebhook())...))
	list := w.RefundsAt(t, paymentID)
	return list[len(list)-1]
}
