package learning_test

import (
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
}

// bought returns a user who has paid for a new course with this id, and the purchase.
func (w *fixture) bought(t *testing.T, courseID string) (learning.Actor, learning.Order) {
	t.Helper()
	ada := w.Person(t, "ada", learning.Student)
	o := w.order(t, ada, w.Course(t, courseID, 499_00))
	if err := w.Platform.System().CapturePayment(ctx(), capturedPayment(o, "pay_"+courseID)); err != nil {
		t.Fatal(err)
	}
	return ada, o
}

func (w *fixture) end(t *testing.T, want bool, end learning.EnrollmentEnd) {
	t.Helper()
	if ended, err := w.Platform.RevokeEnrollment(ctx(), end); err != nil || ended != want {
		t.Errorf("the end of an enrolment is %t with the error %v, want %t", ended, err, want)
	}
}

func TestEndEnrollment_MovesTheRowOnceAndKeepsTheProgress(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		w.publish(t, "go", chapter("one", "a", "b"))
		ada := w.enrolls(t, "ada", "go")
		if _, err := w.Platform.CompleteLecture(ctx(), ada, "go", "a"); err != nil {
			t.Fatal(err)
		}
		kept := w.dump(t, "enrollments", "past_enrollments", "courses", "event_deliveries")
		end := learning.EnrollmentEnd{UserID: ada.UserID, CourseID: "go", By: "admin", Reason: "left the school", Title: "Go"}
		w.end(t, true, end)
		w.end(t, false, end)
		if diff := cmp.Diff(kept, w.dump(t, "enrollments", "past_enrollments", "courses", "event_deliveries")); diff != "" {
			t.Error(diff)
		}
		if n := w.students(t, "go"); n != 0 {
			t.Errorf("%d students", n)
		}
		if n := w.count(t, "past_enrollments WHERE user_id = 'ada' AND course_id = 'go' AND ended_by = 'admin' AND end_reason = 'left the school'"); n != 1 {
			t.Errorf("%d past enrolments", n)
		}
		w.wantValidSales(t)
		w.deliverEvents(t, -1)
		types := r.types("user:ada")
		if n := len(types); n == 0 || types[n-1] != learning.EventEnrollmentEnded || types[max(n-2, 0)] == learning.EventEnrollmentEnded {
			t.Errorf("the events are %v", types)
		}
	})
}

func TestEndEnrollment_OfAPurchaseLeavesOthers(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada, o := w.bought(t, "go")
		w.end(t, false, learning.EnrollmentEnd{UserID: ada.UserID, CourseID: "go", PurchaseID: "another"})
		if n := w.students(t, "go"); n != 1 {
			t.Errorf("%d students", n)
		}
		w.end(t, true, learning.EnrollmentEnd{UserID: ada.UserID, CourseID: "go", PurchaseID: o.PurchaseID})
		w.wantValidSales(t)
	})
}

func TestEndEnrollment_AtOnceEndsOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada, _ := w.bought(t, "go")
		results := make([]bool, 8)
		errs := concurrently(len(results), func(i int) (err error) {
			results[i], err = w.Platform.RevokeEnrollment(ctx(), learning.EnrollmentEnd{UserID: ada.UserID, CourseID: "go"})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": len(results)}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		ended := 0
		for _, is := range results {
			if is {
				ended++
			}
		}
		if n := w.count(t, "past_enrollments"); n != 1 || ended != 1 {
			t.Errorf("%d calls ended the enrolment, and there are %d past ones", ended, n)
		}
		w.students(t, "go")
		w.wantValidSales(t)
	})
}

func TestEndEnrollment_WhoBuysAgainIsEnrolledAgain(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada, _ := w.bought(t, "go")
		w.end(t, true, learning.EnrollmentEnd{UserID: ada.UserID, CourseID: "go"})
		o := w.order(t, ada, "go")
		if err := w.Platform.System().CapturePayment(ctx(), capturedPayment(o, "pay_again")); err != nil {
			t.Fatal(err)
		}
		w.wantSold(t, "go", 1, 2, 0)
		w.wantLogged(t, "double payment", 0)
		w.wantValidSales(t)
	})
}
