package study_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/study"
)

func TestEndEnrollment_MovesTheRowOnceAndKeepsTheProgress(t *testing.T) {
	roomtest.WithEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		w.Publish(t, "go", roomtest.Chapter("one", "a", "b"))
		ada := w.Enrolls(t, "ada", "go")
		if _, err := w.Platform.Study.CompleteLecture(ctx(), ada, "go", "a"); err != nil {
			t.Fatal(err)
		}
		kept := w.Dump(t, "enrollments", "past_enrollments", "courses", "event_deliveries",
			"totals", "decisions")
		w.End(t, true, ada.UserID, "go")
		w.End(t, false, ada.UserID, "go")
		if diff := cmp.Diff(kept,
			w.Dump(t, "enrollments", "past_enrollments", "courses", "event_deliveries",
				"totals", "decisions")); diff != "" {
			t.Error(diff)
		}
		if n := w.Students(t, "go"); n != 0 {
			t.Errorf("%d students", n)
		}
		if n := w.Count(t,
			"past_enrollments WHERE user_id = 'ada' AND course_id = 'go' AND ended_by = 'boss' "+
				"AND end_reason IS NULL"); n != 1 {
			t.Errorf("%d past enrolments", n)
		}
		w.WantValidSales(t)
		w.DeliverEvents(t, -1)
		types := r.Types("user:ada")
		if n := len(types); n == 0 || types[n-1] != study.EventEnrollmentEnded ||
			types[max(n-2, 0)] == study.EventEnrollmentEnded {
			t.Errorf("the events are %v", types)
		}
	})
}

func TestEndEnrollment_AtOnceEndsOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, _ := w.Bought(t, "go")
		errs := roomtest.Concurrently(8,
			func(int) error { return w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, ada.UserID, "go") })
		if diff := cmp.Diff(map[string]int{"": 1, study.ErrEnrollmentNotFound.Error(): 7},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Count(t, "past_enrollments"); n != 1 {
			t.Errorf("there are %d past enrolments", n)
		}
		w.Students(t, "go")
		w.WantValidSales(t)
	})
}

func TestEndEnrollment_WhoBuysAgainIsEnrolledAgain(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, _ := w.Bought(t, "go")
		w.End(t, true, ada.UserID, "go")
		o := w.Order(t, ada, "go")
		if err := w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(o,
			"pay_again")); err !=
			nil {
			t.Fatal(err)
		}
		w.WantSold(t, "go", 1, 2, 0)
		w.WantLogged(t, "double payment", 0)
		w.WantValidSales(t)
	})
}
