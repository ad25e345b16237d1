package learning_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// failPayments makes the gateway fail when it is asked for payments.
func (w *fixture) failPayments() {
	w.Sandbox.Gateway().Faults().Next(-1,
		sandbox.Fault{Kind: sandbox.FaultStatus, On: sandbox.OpListPayments})
}

func TestFreeCourse_OpenOrderWhileTheGatewayFails(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, database, 0)
		w.failPayments()
		orders, errs := openAtOnce(20, ada, "go", w, w.otherInstance(t))
		if diff := cmp.Diff(map[string]int{"": 1, learning.ErrAlreadyEnrolled.Error(): 19},
			countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		for i, o := range orders {
			if errs[i] == nil &&
				(o.OrderID != "" || o.Amount != 0 || o.PurchaseID == old.PurchaseID) {
				t.Errorf("the order is %+v", o)
			}
		}
		w.wantStatus(t, old.PurchaseID, learning.PurchaseFailed)
		w.wantSold(t, "go", 1, 1, 0)
	})
}

func TestFreeCourse_OpenOrderWithoutAGateway(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, database, 0)
		without := w.otherInstance(t, learningtest.WithPlatform(learning.Without("WithGateway")))
		without.order(t, ada, "go")
		w.wantStatus(t, old.PurchaseID, learning.PurchaseFailed)
		w.wantSold(t, "go", 1, 1, 0)

		bob := w.Person(t, "bob", learning.Student)
		w.abandoned(t, bob, "go", 499_00)
		w.Clock.Advance(lease)
		without.order(t, bob, "go")
		w.wantSold(t, "go", 2, 2, 0)
	})
}

// The user has the course already, so that the payment must be refunded. The log says so,
// whether a proof, a webhook or reconciliation reports the payment.
func TestFreeCourse_OldOrderIsPaidLater(t *testing.T) {
	ways := map[string]func(w *fixture, ada learning.Actor, o learning.Order,
		paymentID string) error{
		"proof": func(w *fixture, ada learning.Actor, o learning.Order, paymentID string) error {
			return w.Platform.VerifyPayment(ctx(), ada, w.proof(o.OrderID, paymentID))
		},
		"webhook": func(w *fixture, _ learning.Actor, o learning.Order, paymentID string) error {
			return w.Platform.System().CapturePayment(ctx(), capturedPayment(o, paymentID))
		},
		"reconcile": func(w *fixture, _ learning.Actor, _ learning.Order, _ string) error {
			w.Clock.Advance(time.Hour)
			_, err := w.Platform.System().ReconcilePurchases(ctx())
			return err
		},
	}
	for name, complete := range ways {
		t.Run(name, func(t *testing.T) {
			onEngines(t, func(t *testing.T, database string) {
				w, ada, old := repriced(t, database, 0)
				paid := w.pay(t, old.OrderID) // before the user opens the free course
				w.failPayments()
				w.order(t, ada, "go")
				w.wantSold(t, "go", 1, 1, 0)
				w.Sandbox.Gateway().Faults().Clear()
				for range 2 {
					if err := complete(w, ada, old, paid.ID); err != nil {
						t.Error(err)
					}
				}
				w.wantStatus(t, old.PurchaseID, learning.PurchaseCompleted)
				w.wantSold(t, "go", 1, 2, 0)
				w.wantLogged(t, "double payment", 1)
			})
		})
	}
}

func TestFreeCourse_OldOrderIsPaidDuringTheEnrolment(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, ada, old := repriced(t, database, 0)
		w.failPayments()
		errs := concurrently(20, func(i int) error {
			if i%2 == 0 {
				return w.Platform.System().CapturePayment(ctx(), capturedPayment(old, "pay_1"))
			}
			_, err := w.Platform.OpenOrder(ctx(), ada, learning.OrderRequest{CourseID: "go"})
			if errors.Is(err, learning.ErrAlreadyEnrolled) {
				return nil
			}
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 20}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.wantStatus(t, old.PurchaseID, learning.PurchaseCompleted)
		if n := w.students(t, "go"); n != 1 {
			t.Errorf("%d students", n)
		}
	})
}
