package learning_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

// A refund that was started at the gateway is counted once, also if its webhook comes at last,
// and taken back if it fails, also without a webhook.
func TestReconcile_RefundWhoseWebhookIsLost(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		ada := w.Person(t, "ada", core.Student)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
		kept := w.Sold(t, ada, w.Course(t, "kept", 10_00))
		w.Clock.Advance(time.Hour)
		w.Sweep(t, 2, 0)

		w.RefundQuietly(t, sold.PaymentID, sandbox.WithAmount(4_00))
		w.Clock.Advance(23 * time.Hour)
		w.Sweep(t, 0, 0)
		rest := w.RefundQuietly(t, sold.PaymentID)
		w.Clock.Advance(time.Hour)
		w.Sweep(t, 2, 2)
		w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
		w.WantBooks(t, kept.ID, purchase.Completed, 0, 0)
		w.WantSold(t, "go", 0, 0, 0)
		if n := w.Count(t, "refunds"); n != 2 {
			t.Errorf("%d refunds", n)
		}
		events := map[core.EventType]int{purchase.EventCompleted: 2,
			purchase.EventRefunded: 2, core.EventNotificationCreated: 2,
			study.EventEnrollmentCreated: 2,
			study.EventEnrollmentEnded:   1, catalog.EventCoursePublished: 2}
		w.WantEvents(t, events)

		w.MustTell(t, sandbox.RefundProcessed, rest)
		w.Clock.Advance(24 * time.Hour)
		w.Sweep(t, 2, 0)
		w.WantEvents(t, events)

		w.FailRefund(t, rest)
		w.Clock.Advance(24 * time.Hour)
		w.Sweep(t, 2, 1)
		w.WantBooks(t, sold.ID, purchase.Completed, 4_00, 0)
		w.WantSold(t, "go", 1, 1, 0)
		w.Clock.Advance(24 * time.Hour)
		w.Sweep(t, 2, 0)
	})
}

// A refund fails, and the provider refunds again before it says so. The second one, of which
// nothing could be counted, is counted once the first is taken back: by a repeated webhook, or by
// the sweep. At Stripe the webhook of the second one makes the platform ask, and so tells of both.
func TestRefund_AgainBeforeTheFailureIsKnown(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		instances := []*roomtest.World{w, w.OtherInstance(t)}
		ada := w.Person(t, "ada", core.Student)
		for name, learn := range map[string]func(second till.Refund){
			"webhook": func(second till.Refund) {
				for _, err := range roomtest.Concurrently(4,
					func(i int) error {
						return instances[i%2].Tell(t, sandbox.RefundProcessed,
							second)
					}) {
					if err != nil {
						t.Error(err)
					}
				}
			},
			"sweep": func(till.Refund) {
				w.Clock.Advance(day)
				unknown := 2 // both
				if w.Till.Name() == payment.NameGateway {
					unknown = 1 // the second one, which could not be counted
				}
				if found, err := w.Platform.System().ReconcilePurchases(ctx()); err != nil ||
					found.FoundRefunds != unknown {
					t.Errorf("%+v, %v", found, err)
				}
			},
		} {
			sold := w.Sold(t, ada, w.Course(t, name, 10_00))
			first := w.RefundQuietly(t, sold.PaymentID)
			w.MustTell(t, sandbox.RefundProcessed, first)
			first = w.FailRefund(t, first)
			second := w.RefundQuietly(t, sold.PaymentID, sandbox.WithAmount(4_00))
			if w.Till.Name() == payment.NameGateway {
				w.MustTell(t, sandbox.RefundProcessed, second)
				w.WantBooks(t, sold.ID, purchase.Refunded, 10_00, 0)
				w.MustTell(t, sandbox.RefundFailed, first)
				w.WantBooks(t, sold.ID, purchase.Completed, 0, 0)
			}
			learn(second)
			w.WantBooks(t, sold.ID, purchase.Completed, 4_00, 0)
			w.WantSold(t, name, 1, 1, 0)
		}
		w.WantValidSales(t)
		w.Clock.Advance(day)
		w.Sweep(t, 2, 0)
	})
}

// One reconciliation asks for the refunds of 100 payments. The next one continues there, until
// each payment of 90 days was asked about.
func TestReconcile_SweepOfRefundsIsBounded(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		course := w.Course(t, "go", 10_00)
		w.UnpaidOrders(t, course, 130)
		w.Clock.Advance(time.Hour)
		w.Reconcile(t, 130, 130)
		w.Exec(t, "DELETE FROM sweeps") // it began when nothing was paid
		w.Sweep(t, 100, 0)
		w.Sweep(t, 30, 0)
		w.Sweep(t, 0, 0)
		w.Clock.Advance(90*day - 59*time.Minute)
		w.Sweep(t, 0, 0)
		found, err := w.Platform.System().ReconcileRefunds(ctx(), w.Clock.Now().Add(-100*day))
		if err != nil || found.CheckedPayments != 130 {
			t.Errorf("by hand: %+v, %v", found, err)
		}
	})
}

// Several processes search at once: a refund is counted once.
func TestReconcile_SweepsOfRefundsAtOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		instances := []*roomtest.World{w, w.OtherInstance(t)}
		ada := w.Person(t, "ada", core.Student)
		var sold []purchase.Purchase
		for i := range 5 {
			p := w.Sold(t, ada, w.Course(t, fmt.Sprintf("go-%d", i), 10_00))
			w.RefundQuietly(t, p.PaymentID)
			sold = append(sold, p)
		}
		w.Clock.Advance(day)
		for _, err := range roomtest.Concurrently(4, func(i int) error {
			_, err := instances[i%2].Platform.System().ReconcilePurchases(ctx())
			return err
		}) {
			if err != nil {
				t.Error(err)
			}
		}
		for _, p := range sold {
			w.WantBooks(t, p.ID, purchase.Refunded, 10_00, 0)
		}
		if n := w.Count(t, "refunds"); n != len(sold) {
			t.Errorf("%d refunds", n)
		}
		w.Sweep(t, 0, 0)
	})
}

// A gateway that fails is asked three times, and the payments are asked about a day later.
func TestReconcile_SweepOfRefundsEndsWhileTheGatewayFails(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		ada := w.Person(t, "ada", core.Student)
		for i := range 5 {
			course := w.Course(t, fmt.Sprintf("go-%d", i), 10_00)
			w.RefundQuietly(t, w.Sold(t, ada, course).PaymentID)
			w.Clock.Advance(time.Minute)
		}
		w.Till.Faults().Next(3,
			sandbox.Fault{Kind: sandbox.FaultStatus, On: w.Till.Operations().ListRefunds})
		found, err := w.Platform.System().ReconcilePurchases(ctx())
		if err == nil || found.CheckedPayments != 3 || found.FoundRefunds != 0 {
			t.Errorf("%+v, %v", found, err)
		}
		w.Sweep(t, 2, 2)
		w.Clock.Advance(day)
		w.Sweep(t, 5, 3)
		w.WantValidSales(t)
	})
}

// What cannot be counted is logged, and does not keep others from being counted.
func TestReconcile_RefundThatDiffersIsNotCounted(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	foreign, sold := w.Sold(t, ada, w.Course(t, "euro", 10_00)),
		w.Sold(t, ada, w.Course(t, "go", 10_00))
	w.Exec(t, "UPDATE purchases SET currency = 'EUR' WHERE id = ?", foreign.ID)
	w.RefundQuietly(t, foreign.PaymentID)
	w.RefundQuietly(t, sold.PaymentID)
	w.Clock.Advance(day)
	w.Sweep(t, 2, 1)
	w.WantLogged(t, "refund differs from its purchase", 1)
	w.WantSold(t, "euro", 1, 1, 0)
	w.WantSold(t, "go", 0, 0, 0)
}

func TestReconcile_FaultAtEachStepOfASweepOfRefunds(t *testing.T) {
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			w.Clock.Advance(91 * day) // so that the purchases of earlier runs are too old
			ada := w.Person(t, "buyer-"+w.ID, core.Student)
			w.RefundQuietly(t, w.Sold(t, ada, w.Course(t, w.ID, 499_00)).PaymentID)
			w.Exec(t, "DELETE FROM sweeps")
			w.Clock.Advance(time.Hour)
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			_, err := w.Platform.System().ReconcilePurchases(ctx())
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) {
			w.Clock.Advance(day)
			if _, err := w.Platform.System().ReconcilePurchases(ctx()); err != nil {
				t.Error(err)
			}
			w.WantSold(t, w.ID, 0, 0, 0)
			if n := w.Count(t,
				"refunds r JOIN purchases p ON p.id = r.purchase_id WHERE p.course_id = '"+w.ID+
					"'"); n != 1 {
				t.Errorf("%d refunds", n)
			}
		},
		Steps: []string{"insert a sweep", "find a refund", "insert a refund", "delete an enrolment",
			"move a sweep"},
		// A step after the refund was counted may fail.
		Leaves: []string{"sweeps", "refunds", "papers", "notifications", "purchases", "courses", "enrollments",
			"past_enrollments", "totals"},
	}
	roomtest.AtTills(t, s.RunIn)
}
