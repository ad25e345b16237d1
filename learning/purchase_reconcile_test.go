package learning_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

const day = 24 * time.Hour

func TestReconcile_FindsUnreportedPaymentsOfAMonth(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		ada := w.Person(t, "ada", core.Student)
		pay := func(course string) { w.Pay(t, w.Order(t, ada, w.Course(t, course, 10_00)).OrderID) }

		pay("too old")
		w.Clock.Advance(time.Microsecond)
		pay("just young enough")
		w.Clock.Advance(30*day - 15*time.Minute - time.Microsecond)
		pay("just old enough")
		w.Clock.Advance(time.Microsecond)
		pay("too young")
		w.Clock.Advance(15 * time.Minute)

		w.Reconcile(t, 2, 2)
		for course, students := range map[string]int{"too old": 0, "just young enough": 1,
			"just old enough": 1, "too young": 0} {
			if n := w.Students(t, course); n != students {
				t.Errorf("%s: %d students, want %d", course, n, students)
			}
		}
		w.Reconcile(t, 0, 0)
	})
}

// Orders are asked for less often as they grow older: at each run for a day, once an hour for a
// week, and then once a day.
func TestReconcile_AsksOldOrdersLessOften(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		w.Order(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
		asked := func(advance time.Duration) int {
			w.Clock.Advance(advance)
			found, err := w.Platform.System().ReconcilePurchases(ctx())
			roomtest.Must(t, err)
			return found.Checked
		}
		for _, step := range []struct {
			advance time.Duration
			want    int
		}{
			{time.Hour, 1}, {time.Minute, 1}, // of an hour
			{2 * day, 1}, {time.Minute, 0}, {time.Hour, 1}, // of two days
			{10 * day, 1}, {time.Hour, 0}, {day, 1}, // of twelve days
			{20 * day, 0},
		} {
			if got := asked(step.advance); got != step.want {
				t.Errorf("after %v more %d orders were asked for, want %d", step.advance, got,
					step.want)
			}
		}
	})
}

// An order that always fails does not make the others of its age due at each run.
func TestReconcile_OneOrderFailsForEver(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		for _, buyer := range []string{"ada", "bob"} {
			w.Order(t, w.Person(t, buyer, core.Student), w.Course(t, "go of "+buyer, 10_00))
		}
		w.Exec(t, "UPDATE purchases SET order_id = 'order_unknown' WHERE user_id = 'bob'")
		w.Clock.Advance(2 * day)
		for _, want := range []int{2, 0} {
			found, err := w.Platform.System().ReconcilePurchases(ctx())
			if found.Checked != want || (err != nil) != (want > 0) {
				t.Errorf("%d orders were asked for, want %d: %v", found.Checked, want, err)
			}
			w.Clock.Advance(time.Minute)
		}
	})
}

func TestReconcile_CompletesOnlyPaidOrders(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		ada := w.Person(t, "ada", core.Student)
		order := func(course string) sale.Order {
			return w.Order(t, ada,
				w.Course(t, course, 10_00))
		}

		w.Pay(t, order("paid").OrderID)
		w.Pay(t, order("failed here").OrderID)
		w.Exec(t,
			"UPDATE purchases SET status = 'failed', is_open = NULL WHERE course_id = "+
				"'failed here'")
		w.Pay(t, order("refunded here").OrderID)
		w.Exec(t,
			"UPDATE purchases SET status = 'refunded', is_open = NULL WHERE course_id = "+
				"'refunded here'")
		order("not paid")
		w.RefundQuietly(t, w.Pay(t, order("refunded there").OrderID).ID)
		roomtest.Must(t, w.Till.Fail(order("failed there").OrderID, sandbox.WithoutWebhook()))
		roomtest.Must(t, w.Till.Authorize(order("authorized").OrderID, sandbox.WithoutWebhook()))
		paysTwice := w.Till.Name() == payment.NameGateway // at Stripe that cannot be
		twice := order("paid twice")
		w.Pay(t, twice.OrderID)
		if paysTwice {
			_, err := w.Till.Pay(twice.OrderID, sandbox.Again(), sandbox.WithoutWebhook())
			roomtest.Must(t, err)
		}
		w.Abandoned(t, ada, w.Course(t, "abandoned", 10_00), 10_00)

		w.Clock.Advance(time.Hour)
		w.Reconcile(t, 7, 3)
		for _, course := range []string{"paid", "failed here", "paid twice"} {
			w.WantSold(t, course, 1, 1, 0)
		}
		if n := w.Count(t, "enrollments"); n != 3 {
			t.Errorf("%d enrolments", n)
		}
		if paysTwice {
			w.WantLogged(t, "double payment", 1)
		}
		w.Reconcile(t, 4, 0)
	})
}

func TestReconcile_ConcurrentRunsOverAllPages(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		const orders = 230 // three pages; all orders have the same age
		w := newWorld()
		course := w.Course(t, "go", 10_00)
		// so that no sweep of refunds is due, which would delay one of the runs
		w.Reconcile(t, 0, 0)
		w.UnpaidOrders(t, course, orders)
		w.Clock.Advance(time.Hour)
		var checked atomic.Int64
		errs := roomtest.Concurrently(2, func(int) error {
			found, err := w.Platform.System().ReconcilePurchases(context.Background())
			checked.Add(int64(found.Checked))
			return err
		})
		if checked.Load() < orders {
			t.Errorf("%d orders were looked up", checked.Load())
		}
		if diff := cmp.Diff(map[string]int{"": 2}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantSold(t, course, orders, orders, 0)
		w.WantLogged(t, "double payment", 0)
		w.Reconcile(t, 0, 0)
	})
}

func TestReconcile_ContinuesAfterAFailedOrder(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		ada := w.Person(t, "ada", core.Student)
		for _, course := range []string{"a", "b", "c"} {
			w.Pay(t, w.Order(t, ada, w.Course(t, course, 10_00)).OrderID)
			w.Clock.Advance(time.Second)
		}
		w.Exec(t, "UPDATE purchases SET order_id = 'order_unknown' WHERE course_id = 'b'")
		w.Clock.Advance(time.Hour)

		found, err := w.Platform.System().ReconcilePurchases(context.Background())
		if diff := cmp.Diff(sale.Reconciliation{Checked: 3, Completed: 2}, found); diff != "" {
			t.Error(diff)
		}
		var id string
		if err := w.DB.QueryRow("SELECT id FROM purchases WHERE course_id = 'b'").Scan(&id); err !=
			nil {
			t.Fatal(err)
		}
		if err == nil || !strings.Contains(err.Error(), id) {
			t.Errorf("the error lacks the purchase's id: %v", err)
		}
		w.WantSold(t, "a", 1, 1, 0)
		w.WantSold(t, "b", 0, 0, 1)
		w.WantSold(t, "c", 1, 1, 0)
	})
}

// At the gateway only: what is paid at Stripe is what was asked for.
func TestReconcile_PaymentThatDiffersIsLoggedWithBothFigures(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		o := w.Order(t, ada, w.Course(t, "go", 499_00))
		if _, err := w.Sandbox.Gateway().Pay(o.OrderID, sandbox.WithAmount(100),
			sandbox.WithoutWebhook()); err != nil {
			t.Fatal(err)
		}
		foreign := w.Order(t, ada, w.Course(t, "euro", 10_00))
		w.Pay(t, foreign.OrderID)
		w.Exec(t, "UPDATE purchases SET currency = 'EUR' WHERE id = ?", foreign.PurchaseID)
		w.Pay(t, w.Order(t, ada, w.Course(t, "same", 10_00)).OrderID)

		w.Clock.Advance(time.Hour)
		w.Reconcile(t, 3, 3)
		w.WantLogged(t, `level=WARN msg="payment differs from its purchase" purchase=`+o.PurchaseID,
			1)
		w.WantLogged(t, `paid="1 INR" expected="499 INR"`, 1)
		w.WantLogged(t, `paid="10 INR" expected="10 EUR"`, 1)
		w.WantLogged(t, "payment differs from its purchase", 2)
	})
}

func TestReconcile_EndsWithItsContext(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		w.UnpaidOrders(t, w.Course(t, "go", 10_00), 3)
		w.Clock.Advance(time.Hour)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := w.Platform.System().ReconcilePurchases(ctx); !errors.Is(err,
			context.Canceled) {
			t.Errorf("%v", err)
		}
		w.Reconcile(t, 3, 3)
	})
}

func TestReconcile_RequiresAGateway(t *testing.T) {
	w := learningtest.New(t, learningtest.WithPlatform(learning.Without("WithProvider")))
	if _, err := w.Platform.System().ReconcilePurchases(context.Background()); !errors.Is(err,
		payment.ErrNotConfigured) {
		t.Errorf("%v", err)
	}
}
