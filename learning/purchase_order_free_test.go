package learning_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

func TestFreeCourse_OpenOrderWhileTheGatewayFails(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w, ada, old := repriced(t, newWorld, 0)
		w.FailPayments()
		orders, errs := openAtOnce(20, ada, "go", w, w.OtherInstance(t))
		if diff := cmp.Diff(map[string]int{"": 1, study.ErrAlreadyEnrolled.Error(): 19},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		for i, o := range orders {
			if errs[i] == nil &&
				(o.OrderID != "" || o.Amount != 0 || o.PurchaseID == old.PurchaseID) {
				t.Errorf("the order is %+v", o)
			}
		}
		w.WantStatus(t, old.PurchaseID, purchase.Failed)
		w.WantSold(t, "go", 1, 1, 0)
	})
}

func TestFreeCourse_OpenOrderWithoutAGateway(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w, ada, old := repriced(t, newWorld, 0)
		without := w.OtherInstance(t, learningtest.WithPlatform(learning.Without("WithProvider")))
		without.Order(t, ada, "go")
		w.WantStatus(t, old.PurchaseID, purchase.Failed)
		w.WantSold(t, "go", 1, 1, 0)

		bob := w.Person(t, "bob", core.Student)
		w.Abandoned(t, bob, "go", 499_00)
		w.Clock.Advance(roomtest.Lease)
		without.Order(t, bob, "go")
		w.WantSold(t, "go", 2, 2, 0)
	})
}

// The user has the course already, so that the payment must be refunded. The log says so,
// whether a proof, a webhook or reconciliation reports the payment.
func TestFreeCourse_OldOrderIsPaidLater(t *testing.T) {
	ways := map[string]func(w *roomtest.World, ada learning.Actor, paid roomtest.Paid) error{
		"proof": func(w *roomtest.World, ada learning.Actor, paid roomtest.Paid) error {
			return w.Platform.Sales.VerifyPayment(ctx(), ada, w.Proof(paid.OrderID, paid.ID))
		},
		"webhook": func(w *roomtest.World, _ learning.Actor, paid roomtest.Paid) error {
			return w.Report(paid)
		},
		"reconcile": func(w *roomtest.World, _ learning.Actor, _ roomtest.Paid) error {
			w.Clock.Advance(time.Hour)
			_, err := w.Platform.System().ReconcilePurchases(ctx())
			return err
		},
	}
	for name, complete := range ways {
		t.Run(name, func(t *testing.T) {
			roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
				w, ada, old := repriced(t, newWorld, 0)
				paid := w.Pay(t, old.OrderID) // before the user opens the free course
				w.FailPayments()
				w.Order(t, ada, "go")
				w.WantSold(t, "go", 1, 1, 0)
				w.Till.Faults().Clear()
				for range 2 {
					if err := complete(w, ada, paid); err != nil {
						t.Error(err)
					}
				}
				w.WantStatus(t, old.PurchaseID, purchase.Completed)
				w.WantSold(t, "go", 1, 2, 0)
				w.WantLogged(t, "double payment", 1)
			})
		})
	}
}

// At the gateway, which says in the webhook that it was paid: Stripe would be asked, and fails.
func TestFreeCourse_OldOrderIsPaidDuringTheEnrolment(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, roomtest.In(t, database), 0)
		w.FailPayments()
		errs := roomtest.Concurrently(20, func(i int) error {
			if i%2 == 0 {
				return w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(old, "pay_1"))
			}
			_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: "go"})
			if errors.Is(err, study.ErrAlreadyEnrolled) {
				return nil
			}
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 20}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantStatus(t, old.PurchaseID, purchase.Completed)
		if n := w.Students(t, "go"); n != 1 {
			t.Errorf("%d students", n)
		}
	})
}
