package roomtest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
	paid := w.Pay(t, o.OrderID)
	if err := w.Platform.System().CapturePayment(ctx(), CapturedPayment(o, paid.ID)); err != nil {
		t.Fatal(err)
	}
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

// RefundsAt returns the refunds of a payment at the gateway.
func (w *World) RefundsAt(t *testing.T, paymentID string) []sandbox.Refund {
	t.Helper()
	list, err := w.Sandbox.Gateway().Refunds(paymentID)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Tell sends the webhook of a refund to the platform.
func (w *World) Tell(t *testing.T, event string, r sandbox.Refund) error {
	t.Helper()
	gateway := w.Sandbox.Gateway()
	paid := sandbox.Payment{ID: r.PaymentID}
	for _, o := range gateway.Orders() {
		payments, err := gateway.Payments(o.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range payments {
			if p.ID == r.PaymentID {
				paid = p
			}
		}
	}
	body, err := gateway.RefundEvent(event, paid, r)
	if err != nil {
		t.Fatal(err)
	}
	return w.Platform.Sales.ReceiveWebhook(ctx(), payment.NameGateway,
		SignedWebhook(body, gateway.SignWebhook(body)))
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
func (w *World) MustTell(t *testing.T, event string, r sandbox.Refund) {
	t.Helper()
	if err := w.Tell(t, event, r); err != nil {
		t.Errorf("%s: %v", event, err)
	}
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

// RefundQuietly refunds a payment at the gateway, or a part of it, whose webhook is lost.
func (w *World) RefundQuietly(t *testing.T, paymentID string,
	opts ...sandbox.PayOption) sandbox.Refund {
	t.Helper()
	if _, err := w.Sandbox.Gateway().Refund(paymentID,
		append(opts, sandbox.WithoutWebhook())...); err != nil {
		t.Fatal(err)
	}
	list := w.RefundsAt(t, paymentID)
	return list[len(list)-1]
}
