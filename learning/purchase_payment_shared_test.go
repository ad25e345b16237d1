package learning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// shareOrders makes the gateway answer every request for an order with the id of its latest
// order.
func (w *fixture) shareOrders() {
	w.Sandbox.Gateway().Faults().Next(-1,
		sandbox.Fault{Kind: sandbox.FaultSameID, On: sandbox.OpCreateOrder})
}

func TestSharedOrder_ProofCompletesTheCallersLatestOpenPurchase(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.shareOrders()
		ada, bob := w.Person(t, "ada", learning.Student), w.Person(t, "bob", learning.Student)
		first := w.order(t, ada, w.Course(t, "first", 499_00))
		w.Clock.Advance(time.Second)
		second := w.order(t, ada, w.Course(t, "second", 399_00))
		w.Clock.Advance(time.Second)
		others := w.order(t, bob, "first")
		if second.OrderID != first.OrderID || others.OrderID != first.OrderID {
			t.Fatalf("the orders differ: %+v, %+v, %+v", first, second, others)
		}
		verify := func(paymentID, purchaseID string, want error) {
			t.Helper()
			proof := w.proof(first.OrderID, paymentID)
			proof.PurchaseID = purchaseID
			if err := w.Platform.VerifyPayment(ctx(), ada, proof); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
		verify("pay_1", others.PurchaseID, learning.ErrPurchaseNotFound)
		verify("pay_1", "", nil)
		w.wantStatus(t, second.PurchaseID, learning.PurchaseCompleted)
		w.wantStatus(t, first.PurchaseID, learning.PurchasePending)
		verify("pay_1", second.PurchaseID, nil) // repeated
		w.wantStatus(t, first.PurchaseID, learning.PurchasePending)
		verify("pay_2", "", nil)
		w.wantStatus(t, first.PurchaseID, learning.PurchaseCompleted)
		before := w.dump(t)
		verify("pay_1", "", nil) // no purchase is open any more
		verify("pay_2", "", nil)
		if diff := cmp.Diff(before, w.dump(t)); diff != "" {
			t.Error(diff)
		}
		w.wantStatus(t, others.PurchaseID, learning.PurchasePending)
		w.wantLogged(t, "level=WARN", 0)
	})
}

func TestSharedOrder_WebhookCompletesThePurchaseOfItsNotes(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.shareOrders()
		w.Course(t, "go", 499_00)
		orders := make([]learning.Order, 3)
		for i := range orders {
			orders[i] = w.order(t, w.Person(t, fmt.Sprint("person-", i), learning.Student), "go")
			w.Clock.Advance(time.Second)
		}
		capture := func(o learning.Order, paymentID, notes string) {
			t.Helper()
			payment := capturedPayment(o, paymentID)
			payment.PurchaseID = notes
			if err := w.Platform.System().CapturePayment(ctx(), payment); err != nil {
				t.Error(err)
			}
		}
		capture(orders[0], "pay_0", orders[0].PurchaseID)
		w.wantStatus(t, orders[0].PurchaseID, learning.PurchaseCompleted)
		w.wantSold(t, "go", 1, 1, 2)
		for range 2 { // the repetition completes nothing
			capture(orders[0], "pay_1", "unknown")
			w.wantStatus(t, orders[2].PurchaseID, learning.PurchaseCompleted)
			w.wantSold(t, "go", 2, 2, 1)
		}
		capture(orders[0], "pay_2", orders[1].PurchaseID)
		w.wantSold(t, "go", 3, 3, 0)
		w.wantLogged(t, "level=WARN", 0)
	})
}

// All purchases of an order have the same list of payments.
func TestSharedOrder_ReconcileCompletesThePurchaseOfThePaymentsNotes(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.shareOrders()
		w.Course(t, "go", 499_00)
		first := w.order(t, w.Person(t, "ada", learning.Student), "go")
		w.Clock.Advance(time.Second)
		second := w.order(t, w.Person(t, "bob", learning.Student), "go")
		w.pay(t, first.OrderID) // with the notes of the first purchase
		w.Clock.Advance(time.Hour)
		w.reconcile(t, 2, 1)
		w.wantStatus(t, first.PurchaseID, learning.PurchaseCompleted)
		w.wantStatus(t, second.PurchaseID, learning.PurchasePending)
		w.wantSold(t, "go", 1, 1, 1)
	})
}

// Proofs, webhooks with and without the order, and reconciliations run concurrently for all
// purchases of one order. Each user is enrolled and counted once.
func TestSharedOrder_ConcurrentReports(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		const people = 8
		w := newFixture(t, database)
		second := w.otherInstance(t)
		w.shareOrders()
		w.Course(t, "go", 499_00)
		var buyers [people]learning.Actor
		var orders [people]learning.Order
		for i := range people {
			buyers[i] = w.Person(t, fmt.Sprint("person-", i), learning.Student)
			orders[i] = w.order(t, buyers[i], "go")
			payment := []sandbox.PayOption{sandbox.Again(), sandbox.WithoutWebhook(),
				sandbox.WithNotes(map[string]string{"purchaseId": orders[i].PurchaseID})}
			if _, err := w.Sandbox.Gateway().Pay(orders[i].OrderID, payment...); err != nil {
				t.Fatal(err)
			}
		}
		payments, err := w.Sandbox.Gateway().Payments(orders[0].OrderID)
		if err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Hour)
		revision := w.revision(t)

		errs := concurrently(8*people, func(i int) error {
			on := []*fixture{w, second}[i%2]
			o := orders[i%people]
			id := payments[i%people].ID
			switch i / people % 4 {
			case 0:
				return on.Platform.VerifyPayment(context.Background(), buyers[i%people],
					w.proof(o.OrderID, id))
			case 1:
				return on.Platform.System().CapturePayment(context.Background(),
					capturedPayment(o, id))
			case 2:
				payment := capturedPayment(o, id)
				payment.OrderID = ""
				payment.Amount = nil
				payment.Currency = ""
				return on.Platform.System().CapturePayment(context.Background(), payment)
			default:
				_, err := on.Platform.System().ReconcilePurchases(context.Background())
				return err
			}
		})

		if diff := cmp.Diff(map[string]int{"": 8 * people}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.wantSold(t, "go", people, people, 0)
		for i, o := range orders {
			if got := w.purchase(t, o.PurchaseID).PaymentID; got != payments[i].ID {
				t.Errorf("purchase %d has the payment %s, want %s", i, got, payments[i].ID)
			}
		}
		for _, on := range []*fixture{w, second} {
			on.wantLogged(t, "double payment", 0)
			on.wantLogged(t, "another purchase", 0)
		}
		if n := w.revision(t).Changes - revision.Changes; n != people {
			t.Errorf("the catalogue changed %d times", n)
		}
	})
}

// Each call has another payment. One of them completes the purchase and stays; the others are
// logged.
func TestComplete_ConcurrentReportsOfOneOrder(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		const calls = 40
		w := newFixture(t, database)
		second := w.otherInstance(t)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		// so that none asks the gateway for refunds of these payments, which it does not know
		w.reconcile(t, 0, 0)
		o := w.order(t, ada, course)
		w.pay(t, o.OrderID)
		w.Clock.Advance(time.Hour)
		errs := concurrently(calls, func(i int) error {
			on, id := []*fixture{w, second}[i%2], fmt.Sprint("pay_", i)
			switch i / 2 % 4 {
			case 0:
				return on.Platform.VerifyPayment(context.Background(), ada, w.proof(o.OrderID, id))
			case 1:
				return on.Platform.System().CapturePayment(context.Background(),
					capturedPayment(o, id))
			case 2:
				payment := capturedPayment(o, id)
				payment.OrderID = ""
				return on.Platform.System().CapturePayment(context.Background(), payment)
			default:
				_, err := on.Platform.System().ReconcilePurchases(context.Background())
				return err
			}
		})
		if diff := cmp.Diff(map[string]int{"": calls}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.wantSold(t, course, 1, 1, 0)
		first := w.purchase(t, o.PurchaseID).PaymentID
		if err := w.Platform.System().CapturePayment(context.Background(),
			capturedPayment(o, "pay_late")); err != nil {
			t.Error(err)
		}
		if now := w.purchase(t, o.PurchaseID).PaymentID; now != first || first == "" {
			t.Errorf("the payment was %q and is now %q", first, now)
		}
	})
}
