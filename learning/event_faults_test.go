package learning_test

import (
	"errors"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// wantEventsOf checks the number of the events of a user, by type.
func (w faultRun) wantEventsOf(t *testing.T, userID string, want map[learning.EventType]int) {
	t.Helper()
	for eventType, n := range want {
		if got := w.count(t, "event_deliveries WHERE type = ? AND data LIKE ?", string(eventType),
			`%"userId":"`+userID+`"%`); got != n {
			t.Errorf("%d events %s of %s, want %d", got, eventType, userID, n)
		}
	}
	w.wantValidEvents(t)
}

// The events are written exactly if the change is committed, whatever fails, and also if
// the answer to COMMIT is lost and the transaction runs again.
func TestEvents_FaultAtEachStep(t *testing.T) {
	orders := map[string]learning.Order{}
	buyer := func(w faultRun) learning.Actor { return learning.Actor{UserID: "buyer-" + w.id} }
	for name, s := range map[string]*scenario{
		"purchase": {
			prepare: func(t *testing.T, w faultRun) {
				orders[w.id] = w.order(t, w.Person(t, "buyer-"+w.id, learning.Student),
					w.Course(t, w.id, 499_00))
			},
			do: func(_ *testing.T, w faultRun) error {
				return w.Platform.System().CapturePayment(ctx(),
					capturedPayment(orders[w.id], "pay_"+w.id))
			},
			check: func(t *testing.T, w faultRun) {
				w.wantEventsOf(t, buyer(w).UserID,
					map[learning.EventType]int{learning.EventPurchaseCompleted: 1,
						learning.EventEnrollmentCreated: 1})
			},
			steps: []string{"read the positions of events", "insert events"},
		},
		"free_course": {
			prepare: func(t *testing.T, w faultRun) {
				w.Course(t, w.id, 0)
				w.Person(t,
					"buyer-"+w.id, learning.Student)
			},
			do: func(_ *testing.T, w faultRun) error {
				_, err := w.Platform.OpenOrder(ctx(), buyer(w),
					learning.OrderRequest{CourseID: w.id})
				if w.lost && errors.Is(err, learning.ErrAlreadyEnrolled) {
					return nil // the student is enrolled by an earlier try
				}
				return err
			},
			check: func(t *testing.T, w faultRun) {
				w.wantEventsOf(t, buyer(w).UserID,
					map[learning.EventType]int{learning.EventPurchaseCompleted: 1,
						learning.EventEnrollmentCreated: 1})
			},
			steps: []string{"insert events"},
		},
		"completed_course": {
			prepare: func(t *testing.T, w faultRun) {
				w.publish(t, w.id, chapter("one", "a"))
				w.enrolls(t, "buyer-"+w.id, w.id)
			},
			do: func(_ *testing.T, w faultRun) error {
				_, err := w.Platform.CompleteLecture(ctx(), buyer(w), w.id, "a")
				return err
			},
			check: func(t *testing.T, w faultRun) {
				w.wantEventsOf(t, buyer(w).UserID,
					map[learning.EventType]int{learning.EventLectureCompleted: 1,
						learning.EventCourseCompleted: 1})
			},
			leaves: []string{"completed_lectures", "event_deliveries"},
			steps:  []string{"insert the completion of a course", "insert events"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.options = []learning.Option{learning.WithEvents("test", &receiver{})}
			onEnginesRepeatedly(t, s.run)
		})
	}
}
