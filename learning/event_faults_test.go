package learning_test

import (
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// The events are written exactly if the change is committed, whatever fails, and also if
// the answer to COMMIT is lost and the transaction runs again.
func TestEvents_FaultAtEachStep(t *testing.T) {
	orders := map[string]sale.Order{}
	buyer := func(w roomtest.FaultRun) learning.Actor { return learning.Actor{UserID: "buyer-" + w.ID} }
	for name, s := range map[string]*roomtest.Scenario{
		"purchase": {
			Prepare: func(t *testing.T, w roomtest.FaultRun) {
				orders[w.ID] = w.Order(t, w.Person(t, "buyer-"+w.ID, core.Student),
					w.Course(t, w.ID, 499_00))
			},
			Do: func(_ *testing.T, w roomtest.FaultRun) error {
				return w.Platform.System().CapturePayment(ctx(),
					roomtest.CapturedPayment(orders[w.ID], "pay_"+w.ID))
			},
			Check: func(t *testing.T, w roomtest.FaultRun) {
				w.WantEventsOf(t, buyer(w).UserID,
					map[core.EventType]int{purchase.EventCompleted: 1,
						study.EventEnrollmentCreated: 1})
			},
			Steps: []string{"read the positions of events", "insert events"},
		},
		"free_course": {
			Prepare: func(t *testing.T, w roomtest.FaultRun) {
				w.Course(t, w.ID, 0)
				w.Person(t,
					"buyer-"+w.ID, core.Student)
			},
			Do: func(_ *testing.T, w roomtest.FaultRun) error {
				_, err := w.Platform.Sales.OpenOrder(ctx(), buyer(w),
					sale.OrderRequest{CourseID: w.ID})
				if w.Lost && errors.Is(err, study.ErrAlreadyEnrolled) {
					return nil // the student is enrolled by an earlier try
				}
				return err
			},
			Check: func(t *testing.T, w roomtest.FaultRun) {
				w.WantEventsOf(t, buyer(w).UserID,
					map[core.EventType]int{purchase.EventCompleted: 1,
						study.EventEnrollmentCreated: 1})
			},
			Steps: []string{"insert events"},
		},
		"completed_course": {
			Prepare: func(t *testing.T, w roomtest.FaultRun) {
				w.Publish(t, w.ID, roomtest.Chapter("one", "a"))
				w.Enrolls(t, "buyer-"+w.ID, w.ID)
			},
			Do: func(_ *testing.T, w roomtest.FaultRun) error {
				_, err := w.Platform.Study.CompleteLecture(ctx(), buyer(w), w.ID, "a")
				return err
			},
			Check: func(t *testing.T, w roomtest.FaultRun) {
				w.WantEventsOf(t, buyer(w).UserID,
					map[core.EventType]int{study.EventLectureCompleted: 1,
						study.EventCourseCompleted: 1})
			},
			Leaves: []string{"completed_lectures", "enrollments", "event_deliveries"},
			Steps:  []string{"insert the completion of a course", "insert events"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.Options = []learning.Option{learning.WithEvents("test", &roomtest.Receiver{})}
			roomtest.OnEnginesRepeatedly(t, s.Run)
		})
	}
}
