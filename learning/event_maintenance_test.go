package learning_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// maintain runs the maintenance of events and checks how many deliveries are left.
func (w *fixture) maintain(t *testing.T, left int) {
	t.Helper()
	if err := w.Platform.MaintainEvents(ctx()); err != nil {
		t.Error(err)
	}
	if n := w.count(t, "event_deliveries"); n != left {
		t.Errorf("%d deliveries are left, want %d", n, left)
	}
}

func TestMaintainEvents_DeletesThirtyDaysAfterDelivery(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		const old = 1_001 // more than two batches, with equal times
		w.putEvents(t, "user:ada", old, learning.EventDelivered, w.Clock.Now())
		w.putEvents(t, "user:bob", 2, learning.EventFailed, w.Clock.Now())
		w.Clock.Advance(30*24*time.Hour - time.Microsecond)
		w.putEvents(t, "user:eve", 1, learning.EventDelivered, w.Clock.Now())
		w.maintain(t, old+3)
		w.Clock.Advance(time.Microsecond)
		w.maintain(t, 3)
	})
}

// The deliveries to a target that no instance has any more are deleted 30 days after the last
// of them was written or tried. One of another instance that is still written stays.
func TestMaintainEvents_DeletesDeliveriesToRemovedTargets(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, _ *receiver) {
		removed := w.otherInstance(t,
			learningtest.WithPlatform(learning.WithEvents("removed", &receiver{}),
				learning.WithEvents("used", &receiver{})))
		for i := range 20 {
			removed.Course(t, fmt.Sprint("go-", i), 499_00)
		}
		const each = 20
		states := []learning.EventStatus{learning.EventPending, learning.EventBlocked,
			learning.EventFailed, learning.EventDelivered}
		for i, status := range states {
			w.exec(t,
				fmt.Sprintf(
					"UPDATE event_deliveries SET status = '%s' WHERE subject LIKE 'course:go-%%%d'",
					status, i))
		}
		// to a target of this instance
		w.putEvents(t, "user:ada", 2, learning.EventFailed, w.Clock.Now())
		w.maintain(t, 2*each+2)
		w.Clock.Advance(30*24*time.Hour - time.Microsecond)
		w.maintain(t, 2*each+2)
		w.exec(t, "DELETE FROM event_deliveries WHERE target = 'used' AND subject <> 'course:go-0'")
		w.putEventsTo(t, "used", "user:bob", 1, learning.EventPending, w.Clock.Now())
		w.Clock.Advance(time.Microsecond)
		w.maintain(t, 2+2)
		w.wantLogged(t, "the events of a removed target are deleted", 1)
		if n := w.count(t, "event_deliveries WHERE target = 'removed'"); n != 0 {
			t.Errorf("%d deliveries to the removed target are left", n)
		}
	})
}
