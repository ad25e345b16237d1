package learning_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// sweep reconciles, and checks how many payments were asked for their refunds and how many
// refunds were found.
func (w *fixture) sweep(t *testing.T, checked, found int) {
	t.Helper()
	got, err := w.Platform.System().ReconcilePurchases(ctx())
	if diff := cmp.Diff(learning.Reconciliation{CheckedPayments: checked, FoundRefunds: found},
		got); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
}

// refundQuietly refunds a payment at the gateway, or a part of it, whose webhook is lost.
func (w *fixture) refundQuietly(t *testing.T, paymentID string,
	opts ...sandbox.PayOption) sandbox.Refund {
	t.Helper()
	if _, err := w.Sandbox.Gateway().Refund(paymentID,
		append(opts, sandbox.WithoutWebhook())...); err != nil {
		t.Fatal(err)
	}
	list := w.refundsAt(t, paymentID)
	return list[len(list)-1]
}

// A refund that was started at the gateway is counted once, also if its webhook comes at last,
// and taken back if it fails, also without a webhook.
func TestReconcile_RefundWhoseWebhookIsLost(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, _ *receiver) {
		ada := w.Person(t, "ada", learning.Student)
		sold := w.sold(t, ada, w.Course(t, "go", 10_00))
		kept := w.sold(t, ada, w.Course(t, "kept", 10_00))
		w.Clock.Advance(time.Hour)
		w.sweep(t, 2, 0)

		w.refundQuietly(t, sold.PaymentID, sandbox.WithAmount(4_00))
		w.Clock.Advance(23 * time.Hour)
		w.sweep(t, 0, 0)
		rest := w.refundQuietly(t, sold.PaymentID)
		w.Clock.Advance(time.Hour)
		w.sweep(t, 2, 2)
		w.wantBooks(t, sold.ID, learning.PurchaseRefunded, 10_00, 0)
		w.wantBooks(t, kept.ID, learning.PurchaseCompleted, 0, 0)
		w.wantSold(t, "go", 0, 0, 0)
		if n := w.count(t, "refunds"); n != 2 {
			t.Errorf("%d refunds", n)
		}
		events := map[learning.EventType]int{learning.EventPurchaseCompleted: 2,
			learning.EventPurchaseRefunded: 2, learning.EventEnrollmentCreated: 2,
			learning.EventEnrollmentEnded: 1, learning.EventCoursePublished: 2}
		w.wantEvents(t, events)

		w.mustTell(t, sandbox.RefundProcessed, rest)
		w.Clock.Advance(24 * time.Hour)
		w.sweep(t, 2, 0)
		w.wantEvents(t, events)

		if _, err := w.Sandbox.Gateway().FailRefund(rest.ID, sandbox.WithoutWebhook()); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(24 * time.Hour)
		w.sweep(t, 2, 1)
		w.wantBooks(t, sold.ID, learning.PurchaseCompleted, 4_00, 0)
		w.wantSold(t, "go", 1, 1, 0)
		w.Clock.Advance(24 * time.Hour)
		w.sweep(t, 2, 0)
	})
}

// A refund fails, and the gateway refunds again before it says so. The second one, of which
// nothing could be counted, is counted once the first is taken back: by a repeated webhook, or by
// the sweep.
func TestRefund_AgainBeforeTheFailureIsKnown(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		instances := []*fixture{w, w.otherInstance(t)}
		ada := w.Person(t, "ada", learning.Student)
		for name, learn := range map[string]func(second sandbox.Refund){
			"webhook": func(second sandbox.Refund) {
				for _, err := range concurrently(4,
					func(i int) error {
						return instances[i%2].tell(t, sandbox.RefundProcessed,
							second)
					}) {
					if err != nil {
						t.Error(err)
					}
				}
			},
			"sweep": func(sandbox.Refund) {
				w.Clock.Advance(day)
				if found, err := w.Platform.System().ReconcilePurchases(ctx()); err != nil ||
					found.FoundRefunds != 1 {
					t.Errorf("%+v, %v", found, err)
				}
			},
		} {
			sold := w.sold(t, ada, w.Course(t, name, 10_00))
			first := w.refundQuietly(t, sold.PaymentID)
			w.mustTell(t, sandbox.RefundProcessed, first)
			first, err := w.Sandbox.Gateway().FailRefund(first.ID, sandbox.WithoutWebhook())
			if err != nil {
				t.Fatal(err)
			}
			second := w.refundQuietly(t, sold.PaymentID, sandbox.WithAmount(4_00))
			w.mustTell(t, sandbox.RefundProcessed, second)
			w.wantBooks(t, sold.ID, learning.PurchaseRefunded, 10_00, 0)
			w.mustTell(t, sandbox.RefundFailed, first)
			w.wantBooks(t, sold.ID, learning.PurchaseCompleted, 0, 0)
			learn(second)
			w.wantBooks(t, sold.ID, learning.PurchaseCompleted, 4_00, 0)
			w.wantSold(t, name, 1, 1, 0)
		}
		w.wantValidSales(t)
		w.Clock.Advance(day)
		w.sweep(t, 2, 0)
	})
}

// One reconciliation asks for the refunds of 100 payments. The next one continues there, until
// each payment of 90 days was asked about.
func TestReconcile_SweepOfRefundsIsBounded(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.Course(t, "go", 10_00)
		w.unpaidOrders(t, course, 130)
		w.Clock.Advance(time.Hour)
		w.reconcile(t, 130, 130)
		w.exec(t, "DELETE FROM sweeps") // it began when nothing was paid
		w.sweep(t, 100, 0)
		w.sweep(t, 30, 0)
		w.sweep(t, 0, 0)
		w.Clock.Advance(90*day - 59*time.Minute)
		w.sweep(t, 0, 0)
		found, err := w.Platform.System().ReconcileRefunds(ctx(), w.Clock.Now().Add(-100*day))
		if err != nil || found.CheckedPayments != 130 {
			t.Errorf("by hand: %+v, %v", found, err)
		}
	})
}

// Several processes search at once: a refund is counted once.
func TestReconcile_SweepsOfRefundsAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		instances := []*fixture{w, w.otherInstance(t)}
		ada := w.Person(t, "ada", learning.Student)
		var sold []learning.Purchase
		for i := range 5 {
			p := w.sold(t, ada, w.Course(t, fmt.Sprintf("go-%d", i), 10_00))
			w.refundQuietly(t, p.PaymentID)
			sold = append(sold, p)
		}
		w.Clock.Advance(day)
		for _, err := range concurrently(4, func(i int) error {
			_, err := instances[i%2].Platform.System().ReconcilePurchases(ctx())
			return err
		}) {
			if err != nil {
				t.Error(err)
			}
		}
		for _, p := range sold {
			w.wantBooks(t, p.ID, learning.PurchaseRefunded, 10_00, 0)
		}
		if n := w.count(t, "refunds"); n != len(sold) {
			t.Errorf("%d refunds", n)
		}
		w.sweep(t, 0, 0)
	})
}

// A gateway that fails is asked three times, and the payments are asked about a day later.
func TestReconcile_SweepOfRefundsEndsWhileTheGatewayFails(t *testing.T) {
	w := newFixture(t, sqlite(t))
	ada := w.Person(t, "ada", learning.Student)
	for i := range 5 {
		w.refundQuietly(t, w.sold(t, ada, w.Course(t, fmt.Sprintf("go-%d", i), 10_00)).PaymentID)
		w.Clock.Advance(time.Minute)
	}
	w.Sandbox.Gateway().Faults().Next(3,
		sandbox.Fault{Kind: sandbox.FaultStatus, On: sandbox.OpListRefunds})
	found, err := w.Platform.System().ReconcilePurchases(ctx())
	if err == nil || found.CheckedPayments != 3 || found.FoundRefunds != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	w.sweep(t, 2, 2)
	w.Clock.Advance(day)
	w.sweep(t, 5, 3)
	w.wantValidSales(t)
}

// What cannot be counted is logged, and does not keep others from being counted.
func TestReconcile_RefundThatDiffersIsNotCounted(t *testing.T) {
	w := newFixture(t, sqlite(t))
	ada := w.Person(t, "ada", learning.Student)
	foreign, sold := w.sold(t, ada, w.Course(t, "euro", 10_00)),
		w.sold(t, ada, w.Course(t, "go", 10_00))
	w.exec(t, "UPDATE purchases SET currency = 'EUR' WHERE id = ?", foreign.ID)
	w.refundQuietly(t, foreign.PaymentID)
	w.refundQuietly(t, sold.PaymentID)
	w.Clock.Advance(day)
	w.sweep(t, 2, 1)
	w.wantLogged(t, "refund differs from its purchase", 1)
	w.wantSold(t, "euro", 1, 1, 0)
	w.wantSold(t, "go", 0, 0, 0)
}

func TestReconcile_FaultAtEachStepOfASweepOfRefunds(t *testing.T) {
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.Clock.Advance(91 * day) // so that the purchases of earlier runs are too old
			ada := w.Person(t, "buyer-"+w.id, learning.Student)
			w.refundQuietly(t, w.sold(t, ada, w.Course(t, w.id, 499_00)).PaymentID)
			w.exec(t, "DELETE FROM sweeps")
			w.Clock.Advance(time.Hour)
		},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.System().ReconcilePurchases(ctx())
			return err
		},
		check: func(t *testing.T, w faultRun) {
			w.Clock.Advance(day)
			if _, err := w.Platform.System().ReconcilePurchases(ctx()); err != nil {
				t.Error(err)
			}
			w.wantSold(t, w.id, 0, 0, 0)
			if n := w.count(t,
				"refunds r JOIN purchases p ON p.id = r.purchase_id WHERE p.course_id = '"+w.id+
					"'"); n != 1 {
				t.Errorf("%d refunds", n)
			}
		},
		steps: []string{"insert a sweep", "find a refund", "insert a refund", "delete an enrolment",
			"move a sweep"},
		// A step after the refund was counted may fail.
		leaves: []string{"sweeps", "refunds", "purchases", "courses", "enrollments",
			"past_enrollments", "totals"},
	}
	s.run(t, sqlite(t))
}
