package roomtest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/providertest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Paid is a payment of an order.
type Paid struct{ ID, OrderID string }

// Pay pays an order at the provider, which sends no webhook of it.
func (w *World) Pay(t *testing.T, orderID string) Paid {
	t.Helper()
	id, err := w.Till.Pay(orderID, sandbox.WithoutWebhook())
	if err != nil {
		t.Fatal(err)
	}
	return Paid{ID: id, OrderID: orderID}
}

// PayLate pays an order that another one has replaced. Stripe has cancelled it: there it cannot be
// paid, and is nothing.
func (w *World) PayLate(t *testing.T, orderID string) (paid Paid, isTaken bool) {
	t.Helper()
	if w.Till.Name() == payment.NameGateway {
		return w.Pay(t, orderID), true
	}
	if _, err := w.Till.Pay(orderID, sandbox.WithoutWebhook()); err == nil {
		t.Errorf("the order %s, which was replaced, can be paid", orderID)
	}
	return Paid{}, false
}

// Report tells the platform of a captured payment by a webhook.
func (w *World) Report(paid Paid) error {
	body, err := w.Till.PaidEvent(paid.OrderID, paid.ID)
	if err != nil {
		return err
	}
	return w.Receive(body)
}

// Receive gives a webhook of the provider to the platform.
func (w *World) Receive(body []byte) error {
	return w.Platform.Sales.ReceiveWebhook(ctx(), w.Till.Name(), w.Till.Signed(body))
}

// Abandoned inserts a purchase whose lease belongs to a process that died during the call of
// the gateway.
func (w *World) Abandoned(t *testing.T, ada core.Actor, course string,
	amount core.Money) purchase.Purchase {
	t.Helper()
	now := w.Clock.Now()
	created := purchase.Purchase{ID: "purchase-" + course, UserID: ada.UserID, CourseID: course,
		Amount: amount, Currency: "INR",
		Status: purchase.Created, CreatedAt: now, UpdatedAt: now}
	err := w.Store.InTx(context.Background(), func(tx learning.Tx) error {
		return errors.Join(tx.InsertPurchase(context.Background(), created),
			tx.InsertLease(context.Background(),
				core.Lease{Name: "order:" + created.ID, Holder: "died",
					ExpiresAt: now.Add(Lease)}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

// leaseColumns are what the holder of a lease writes into the row of an application.
var leaseColumns = regexp.MustCompile(` (holder|lease_until|previous_role)="[^"]*"`)

// withoutLeases returns the rows that are not leases, without created purchases.
func withoutLeases(dump []string) []string {
	lines := slices.DeleteFunc(slices.Clone(dump), func(line string) bool {
		return strings.HasPrefix(line, "leases ") || strings.Contains(line, `status="created"`)
	})
	for i := range lines {
		lines[i] = leaseColumns.ReplaceAllString(lines[i], "")
	}
	return lines
}

// FailPayments makes the provider fail when it is asked for payments.
func (w *World) FailPayments() {
	w.Till.Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultStatus,
		On: w.Till.Operations().AskForPayment})
}

// Lease is how long the leases of these tests last.
const Lease = 15 * time.Second

// Late calls fn after the provider has created the first order and before it answers.
func (w *World) Late(fn func()) {
	var orders atomic.Int64
	w.Till.OnOrder(func() {
		if orders.Add(1) == 1 {
			fn()
		}
	})
}

// WantStatus compares the status of a purchase.
func (w *World) WantStatus(t *testing.T, purchaseID string, want purchase.Status) {
	t.Helper()
	if got := w.Purchase(t, purchaseID).Status; got != want {
		t.Errorf("purchase %s is %s, want %s", purchaseID, got, want)
	}
}

// Bound is the time limit of operations that would wait for ever after an error.
const Bound = 20 * time.Second

// WantOneOrder checks that all successful calls return the same order.
func (w *World) WantOneOrder(t *testing.T, orders []sale.Order, errs []error) sale.Order {
	t.Helper()
	var one sale.Order
	for i, o := range orders {
		switch {
		case errs[i] != nil:
			continue
		case one == (sale.Order{}):
			one = o
		case o != one:
			t.Errorf("two orders: %+v and %+v", one, o)
		}
	}
	if one.OrderID == "" {
		t.Errorf("no order: %v", CountErrors(errs))
	}
	if got := w.Purchase(t, one.PurchaseID); got.OrderID != one.OrderID ||
		got.Status != purchase.Pending {
		t.Errorf("the purchase is %+v", got)
	}
	return one
}

// OrderCalls returns the number of requests for an order that the provider has received.
func (w *World) OrderCalls() int {
	return w.Till.Faults().Calls(w.Till.Operations().CreateOrder)
}

// FailNextOrder lets the provider fail at the next order. If it hangs, the request times out.
func (w *World) FailNextOrder(late *providertest.Late, fault sandbox.Fault) {
	if fault.Kind == sandbox.FaultHang {
		late.Next(1)
	}
	fault.On = w.Till.Operations().CreateOrder
	w.Till.Faults().Next(RequestsOf(fault), fault)
}

// CountsRequests reports whether RequestsOf is right for a fault: package net/http itself sends a
// request with an idempotency key again, as Stripe has them, if a connection that it had breaks.
func (w *World) CountsRequests(fault sandbox.Fault) bool {
	return w.Till.Name() == payment.NameGateway || fault.Kind != sandbox.FaultDrop
}

// RequestsOf returns how many requests the client sends for one call that meets a fault: a
// connection that breaks before an answer began is tried once more.
func RequestsOf(fault sandbox.Fault) int {
	if fault.Kind == sandbox.FaultDrop {
		return 2
	}
	return 1
}

// ShareOrders makes the gateway answer every request for an order with the id of its latest
// order.
func (w *World) ShareOrders() {
	w.Sandbox.Gateway().Faults().Next(-1,
		sandbox.Fault{Kind: sandbox.FaultSameID, On: sandbox.OpCreateOrder})
}

// Reconcile runs ReconcilePurchases and checks its result.
func (w *World) Reconcile(t *testing.T, checked, completed int) {
	t.Helper()
	found, err := w.Platform.System().ReconcilePurchases(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	found.CheckedPayments = 0 // TestReconcile_RefundWhoseWebhookIsLost
	if diff := cmp.Diff(sale.Reconciliation{Checked: checked, Completed: completed},
		found); diff != "" {
		t.Error(diff)
	}
}

// UnpaidOrders opens an order for each of n users and pays it at the gateway, without an
// event.
func (w *World) UnpaidOrders(t *testing.T, course string, n int) {
	t.Helper()
	ctx, now := context.Background(), w.Clock.Now()
	err := w.Store.InTx(ctx, func(tx learning.Tx) error {
		for i := range n {
			p := purchase.Purchase{ID: fmt.Sprintf("purchase-%d", i),
				UserID: fmt.Sprintf("person-%d", i), CourseID: course,
				Amount: 10_00, Currency: "INR", Status: purchase.Pending, CreatedAt: now,
				UpdatedAt: now}
			orderID, err := w.Till.Open(p.ID, 10_00)
			if err != nil {
				return err
			}
			w.Pay(t, orderID)
			p.OrderID, p.Provider = orderID, w.Till.Name()
			if err := tx.InsertPurchase(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
