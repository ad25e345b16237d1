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
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Pay pays an order at the sandbox, which sends no webhook of it.
func (w *World) Pay(t *testing.T, orderID string) sandbox.Payment {
	t.Helper()
	p, err := w.Sandbox.Gateway().Pay(orderID, sandbox.WithoutWebhook())
	if err != nil {
		t.Fatal(err)
	}
	return p
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

// FailPayments makes the gateway fail when it is asked for payments.
func (w *World) FailPayments() {
	w.Sandbox.Gateway().Faults().Next(-1,
		sandbox.Fault{Kind: sandbox.FaultStatus, On: sandbox.OpListPayments})
}

// Lease is how long the leases of these tests last.
const Lease = 15 * time.Second

// Late calls fn after the gateway has created the first order and before it answers.
func (w *World) Late(fn func()) {
	var orders atomic.Int64
	w.Sandbox.Gateway().OnOrder(func(sandbox.Order) {
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

// OrderCalls returns the number of requests for an order that the gateway has received.
func (w *World) OrderCalls() int {
	return w.Sandbox.Gateway().Faults().Calls(sandbox.OpCreateOrder)
}

// FailNextOrder lets the gateway fail at the next order. If it hangs, the request times out.
func (w *World) FailNextOrder(late *providertest.Late, fault sandbox.Fault) {
	if fault.Kind == sandbox.FaultHang {
		late.Next(1)
	}
	w.Sandbox.Gateway().Faults().Next(RequestsOf(fault), fault)
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
			o, err := w.Sandbox.Gateway().CreateOrder(sandbox.Order{Amount: 1000, Currency: "INR",
				Receipt: p.ID})
			if err != nil {
				return err
			}
			w.Pay(t, o.ID)
			p.OrderID = o.ID
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
