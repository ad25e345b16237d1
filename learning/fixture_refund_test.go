package learning_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// sold sells a course to a user for its price.
func (w *fixture) sold(t *testing.T, ada learning.Actor, course string) learning.Purchase {
	t.Helper()
	o := w.order(t, ada, course)
	paid := w.pay(t, o.OrderID)
	if err := w.Platform.System().CapturePayment(ctx(), capturedPayment(o, paid.ID)); err != nil {
		t.Fatal(err)
	}
	return w.purchase(t, o.PurchaseID)
}

// refund refunds an amount of a purchase, or all that is left if it is 0.
func (w *fixture) refund(t *testing.T, boss learning.Actor, purchaseID string,
	amount learning.Money) (learning.Purchase, error) {
	t.Helper()
	var part *learning.Money
	if amount != 0 {
		part = &amount
	}
	return w.Platform.RefundPurchase(ctx(), boss,
		learning.RefundRequest{PurchaseID: purchaseID, Amount: part, Reason: "not satisfied"})
}

// refundsAt returns the refunds of a payment at the gateway.
func (w *fixture) refundsAt(t *testing.T, paymentID string) []sandbox.Refund {
	t.Helper()
	list, err := w.Sandbox.Gateway().Refunds(paymentID)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// tell sends the webhook of a refund to the platform.
func (w *fixture) tell(t *testing.T, event string, r sandbox.Refund) error {
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
	return w.Platform.ReceiveGatewayWebhook(ctx(), body, gateway.SignWebhook(body))
}

// mustTell sends the webhook of a refund to the platform, which must accept it.
func (w *fixture) mustTell(t *testing.T, event string, r sandbox.Refund) {
	t.Helper()
	if err := w.tell(t, event, r); err != nil {
		t.Errorf("%s: %v", event, err)
	}
}

// wantBooks checks the invariants of sales, and compares the state of a purchase.
func (w *fixture) wantBooks(t *testing.T, id string, status learning.PurchaseStatus,
	refunded, pending learning.Money) {
	t.Helper()
	w.wantValidSales(t)
	type state struct {
		Status            learning.PurchaseStatus
		Refunded, Pending learning.Money
	}
	p := w.purchase(t, id)
	if diff := cmp.Diff(state{Status: status, Refunded: refunded, Pending: pending},
		state{Status: p.Status, Refunded: p.RefundedAmount, Pending: p.PendingRefunds}); diff !=
		"" {
		t.Error(diff)
	}
}

// reconcileRefunds reconciles after the time in which a refund may be in progress.
func (w *fixture) reconcileRefunds(t *testing.T, checked, decided int) {
	t.Helper()
	w.Clock.Advance(time.Minute)
	found, err := w.Platform.System().ReconcilePurchases(ctx())
	if err != nil || found.CheckedRefunds != checked || found.DecidedRefunds != decided {
		t.Errorf("%+v, want %d refunds checked and %d decided: %v", found, checked, decided, err)
	}
}
