package learning_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning"
)

// wantValidSales checks the invariants of sales and refunds.
func (w *fixture) wantValidSales(t *testing.T) {
	t.Helper()
	for _, set := range []map[string]string{invariants.Courses, invariants.Refunds} {
		for name, query := range set {
			if n := w.count(t, query); n != 0 {
				t.Errorf("%d rows violate the invariant %q", n, name)
			}
		}
	}
	w.wantRightTotals(t)
}

// bought returns a user who has paid for a new course with this id, and the purchase.
func (w *fixture) bought(t *testing.T, courseID string) (learning.Actor, learning.Order) {
	t.Helper()
	ada := w.Person(t, "ada", learning.Student)
	o := w.order(t, ada, w.Course(t, courseID, 499_00))
	if err := w.Platform.System().CapturePayment(ctx(), capturedPayment(o, "pay_"+courseID)); err !=
		nil {
		t.Fatal(err)
	}
	return ada, o
}

// end ends an enrolment as an admin. want is whether there is one.
func (w *fixture) end(t *testing.T, want bool, userID, courseID string) {
	t.Helper()
	err := w.Platform.EndEnrollment(ctx(), boss, userID, courseID)
	if want && err != nil || !want && !errors.Is(err, learning.ErrEnrollmentNotFound) {
		t.Errorf("the end of an enrolment returned %v; there is one: %t", err, want)
	}
}

func TestEndEnrollment_MovesTheRowOnceAndKeepsTheProgress(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		w.publish(t, "go", chapter("one", "a", "b"))
		ada := w.enrolls(t, "ada", "go")
		if _, err := w.Platform.CompleteLecture(ctx(), ada, "go", "a"); err != nil {
			t.Fatal(err)
		}
		kept := w.dump(t, "enrollments", "past_enrollments", "courses", "event_deliveries",
			"totals")
		w.end(t, true, ada.UserID, "go")
		w.end(t, false, ada.UserID, "go")
		if diff := cmp.Diff(kept,
			w.dump(t, "enrollments", "past_enrollments", "courses", "event_deliveries",
				"totals")); diff != "" {
			t.Error(diff)
		}
		if n := w.students(t, "go"); n != 0 {
			t.Errorf("%d students", n)
		}
		if n := w.count(t,
			"past_enrollments WHERE user_id = 'ada' AND course_id = 'go' AND ended_by = 'boss' "+
				"AND end_reason IS NULL"); n != 1 {
			t.Errorf("%d past enrolments", n)
		}
		w.wantValidSales(t)
		w.deliverEvents(t, -1)
		types := r.types("user:ada")
		if n := len(types); n == 0 || types[n-1] != learning.EventEnrollmentEnded ||
			types[max(n-2, 0)] == learning.EventEnrollmentEnded {
			t.Errorf("the events are %v", types)
		}
	})
}

func TestEndEnrollment_AtOnceEndsOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada, _ := w.bought(t, "go")
		errs := concurrently(8,
			func(int) error { return w.Platform.EndEnrollment(ctx(), boss, ada.UserID, "go") })
		if diff := cmp.Diff(map[string]int{"": 1, learning.ErrEnrollmentNotFound.Error(): 7},
			countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.count(t, "past_enrollments"); n != 1 {
			t.Errorf("there are %d past enrolments", n)
		}
		w.students(t, "go")
		w.wantValidSales(t)
	})
}

func TestEndEnrollment_WhoBuysAgainIsEnrolledAgain(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada, _ := w.bought(t, "go")
		w.end(t, true, ada.UserID, "go")
		o := w.order(t, ada, "go")
		if err := w.Platform.System().CapturePayment(ctx(), capturedPayment(o, "pay_again")); err !=
			nil {
			t.Fatal(err)
		}
		w.wantSold(t, "go", 1, 2, 0)
		w.wantLogged(t, "double payment", 0)
		w.wantValidSales(t)
	})
}
