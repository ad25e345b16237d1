package learning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestSharedOrder_ProofCompletesTheCallersLatestOpenPurchase(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.ShareOrders()
		ada, bob := w.Person(t, "ada", core.Student), w.Person(t, "bob", core.Student)
		first := w.Order(t, ada, w.Course(t, "first", 499_00))
		w.Clock.Advance(time.Second)
		second := w.Order(t, ada, w.Course(t, "second", 399_00))
		w.Clock.Advance(time.Second)
		others := w.Order(t, bob, "first")
		if second.OrderID != first.OrderID || others.OrderID != first.OrderID {
			t.Fatalf("the orders differ: %+v, %+v, %+v", first, second, others)
		}
		verify := func(paymentID, purchaseID string, want error) {
			t.Helper()
			proof := w.Proof(first.OrderID, paymentID)
			proof.PurchaseID = purchaseID
			if err := w.Platform.Sales.VerifyPayment(ctx(), ada, proof); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
		verify("pay_1", others.PurchaseID, purchase.ErrNotFound)
		verify("pay_1", "", nil)
		w.WantStatus(t, second.PurchaseID, purchase.Completed)
		w.WantStatus(t, first.PurchaseID, purchase.Pending)
		verify("pay_1", second.PurchaseID, nil) // repeated
		w.WantStatus(t, first.PurchaseID, purchase.Pending)
		verify("pay_2", "", nil)
		w.WantStatus(t, first.PurchaseID, purchase.Completed)
		before := w.Dump(t)
		verify("pay_1", "", nil) // no purchase is open any more
		verify("pay_2", "", nil)
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Error(diff)
		}
		w.WantStatus(t, others.PurchaseID, purchase.Pending)
		w.WantLogged(t, "level=WARN", 0)
	})
}

func TestSharedOrder_WebhookCompletesThePurchaseOfItsNotes(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.ShareOrders()
		w.Course(t, "go", 499_00)
		orders := make([]sale.Order, 3)
		for i := range orders {
			orders[i] = w.Order(t, w.Person(t, fmt.Sprint("person-", i), core.Student), "go")
			w.Clock.Advance(time.Second)
		}
		capture := func(o sale.Order, paymentID, notes string) {
			t.Helper()
			payment := roomtest.CapturedPayment(o, paymentID)
			payment.PurchaseID = notes
			if err := w.Platform.System().CapturePayment(ctx(), payment); err != nil {
				t.Error(err)
			}
		}
		capture(orders[0], "pay_0", orders[0].PurchaseID)
		w.WantStatus(t, orders[0].PurchaseID, purchase.Completed)
		w.WantSold(t, "go", 1, 1, 2)
		for range 2 { // the repetition completes nothing
			capture(orders[0], "pay_1", "unknown")
			w.WantStatus(t, orders[2].PurchaseID, purchase.Completed)
			w.WantSold(t, "go", 2, 2, 1)
		}
		capture(orders[0], "pay_2", orders[1].PurchaseID)
		w.WantSold(t, "go", 3, 3, 0)
		w.WantLogged(t, "level=WARN", 0)
	})
}

// All purchases of an order have the same list of payments.
func TestSharedOrder_ReconcileCompletesThePurchaseOfThePaymentsNotes(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.ShareOrders()
		w.Course(t, "go", 499_00)
		first := w.Order(t, w.Person(t, "ada", core.Student), "go")
		w.Clock.Advance(time.Second)
		second := w.Order(t, w.Person(t, "bob", core.Student), "go")
		w.Pay(t, first.OrderID) // with the notes of the first purchase
		w.Clock.Advance(time.Hour)
		w.Reconcile(t, 2, 1)
		w.WantStatus(t, first.PurchaseID, purchase.Completed)
		w.WantStatus(t, second.PurchaseID, purchase.Pending)
		w.WantSold(t, "go", 1, 1, 1)
	})
}

// Proofs, webhooks with and without the order, and reconciliations run concurrently for all
// purchases of one order. Each user is enrolled and counted once.
func TestSharedOrder_ConcurrentReports(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const people = 8
		w := roomtest.New(t, database)
		second := w.OtherInstance(t)
		w.ShareOrders()
		w.Course(t, "go", 499_00)
		var buyers [people]learning.Actor
		var orders [people]sale.Order
		for i := range people {
			buyers[i] = w.Person(t, fmt.Sprint("person-", i), core.Student)
			orders[i] = w.Order(t, buyers[i], "go")
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
		revision := w.Revision(t)

		errs := roomtest.Concurrently(8*people, func(i int) error {
			on := []*roomtest.World{w, second}[i%2]
			o := orders[i%people]
			id := payments[i%people].ID
			switch i / people % 4 {
			case 0:
				return on.Platform.Sales.VerifyPayment(context.Background(), buyers[i%people],
					w.Proof(o.OrderID, id))
			case 1:
				return on.Platform.System().CapturePayment(context.Background(),
					roomtest.CapturedPayment(o, id))
			case 2:
				payment := roomtest.CapturedPayment(o, id)
				payment.OrderID = ""
				payment.Amount = nil
				payment.Currency = ""
				return on.Platform.System().CapturePayment(context.Background(), payment)
			default:
				_, err := on.Platform.System().ReconcilePurchases(context.Background())
				return err
			}
		})

		if diff := cmp.Diff(map[string]int{"": 8 * people}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantSold(t, "go", people, people, 0)
		for i, o := range orders {
			if got := w.Purchase(t, o.PurchaseID).PaymentID; got != payments[i].ID {
				t.Errorf("purchase %d has the payment %s, want %s", i, got, payments[i].ID)
			}
		}
		for _, on := range []*roomtest.World{w, second} {
			on.WantLogged(t, "double payment", 0)
			on.WantLogged(t, "another purchase", 0)
		}
		if n := w.Revision(t).Changes - revision.Changes; n != people {
			t.Errorf("the catalogue changed %d times", n)
		}
	})
}

// Each call has another payment. One of them completes the purchase and stays; the others are
// logged.
func TestComplete_ConcurrentReportsOfOneOrder(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const calls = 40
		w := roomtest.New(t, database)
		second := w.OtherInstance(t)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		// so that none asks the gateway for refunds of these payments, which it does not know
		w.Reconcile(t, 0, 0)
		o := w.Order(t, ada, course)
		w.Pay(t, o.OrderID)
		w.Clock.Advance(time.Hour)
		errs := roomtest.Concurrently(calls, func(i int) error {
			on, id := []*roomtest.World{w, second}[i%2], fmt.Sprint("pay_", i)
			switch i / 2 % 4 {
			case 0:
				return on.Platform.Sales.VerifyPayment(context.Background(), ada,
					w.Proof(o.OrderID, id))
			case 1:
				return on.Platform.System().CapturePayment(context.Background(),
					roomtest.CapturedPayment(o, id))
			case 2:
				payment := roomtest.CapturedPayment(o, id)
				payment.OrderID = ""
				return on.Platform.System().CapturePayment(context.Background(), payment)
			default:
				_, err := on.Platform.System().ReconcilePurchases(context.Background())
				return err
			}
		})
		if diff := cmp.Diff(map[string]int{"": calls}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantSold(t, course, 1, 1, 0)
		first := w.Purchase(t, o.PurchaseID).PaymentID
		if err := w.Platform.System().CapturePayment(context.Background(),
			roomtest.CapturedPayment(o, "pay_late")); err != nil {
			t.Error(err)
		}
		if now := w.Purchase(t, o.PurchaseID).PaymentID; now != first || first == "" {
			t.Errorf("the payment was %q and is now %q", first, now)
		}
	})
}
