package learning_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestMaintainEvents_DeletesThirtyDaysAfterDelivery(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		const old = 1_001 // more than two batches, with equal times
		w.PutEvents(t, "user:ada", old, learning.EventDelivered, w.Clock.Now())
		w.PutEvents(t, "user:bob", 2, learning.EventFailed, w.Clock.Now())
		w.Clock.Advance(30*24*time.Hour - time.Microsecond)
		w.PutEvents(t, "user:eve", 1, learning.EventDelivered, w.Clock.Now())
		maintain(t, w, old+3)
		w.Clock.Advance(time.Microsecond)
		maintain(t, w, 3)
	})
}

// The deliveries to a target that no instance has any more are deleted 30 days after the last
// of them was written or tried. One of another instance that is still written stays.
func TestMaintainEvents_DeletesDeliveriesToRemovedTargets(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, _ *roomtest.Receiver) {
		removed := w.OtherInstance(t,
			learningtest.WithPlatform(learning.WithEvents("removed", &roomtest.Receiver{}),
				learning.WithEvents("used", &roomtest.Receiver{})))
		for i := range 20 {
			removed.Course(t, fmt.Sprint("go-", i), 499_00)
		}
		const each = 20
		states := []learning.EventStatus{learning.EventPending, learning.EventBlocked,
			learning.EventFailed, learning.EventDelivered}
		for i, status := range states {
			w.Exec(t,
				fmt.Sprintf(
					"UPDATE event_deliveries SET status = '%s' WHERE subject LIKE 'course:go-%%%d'",
					status, i))
		}
		// to a target of this instance
		w.PutEvents(t, "user:ada", 2, learning.EventFailed, w.Clock.Now())
		maintain(t, w, 2*each+2)
		w.Clock.Advance(30*24*time.Hour - time.Microsecond)
		maintain(t, w, 2*each+2)
		w.Exec(t, "DELETE FROM event_deliveries WHERE target = 'used' AND subject <> 'course:go-0'")
		w.PutEventsTo(t, "used", "user:bob", 1, learning.EventPending, w.Clock.Now())
		w.Clock.Advance(time.Microsecond)
		maintain(t, w, 2+2)
		w.WantLogged(t, "the events of a removed target are deleted", 1)
		if n := w.Count(t, "event_deliveries WHERE target = 'removed'"); n != 0 {
			t.Errorf("%d deliveries to the removed target are left", n)
		}
	})
}

// maintain runs the maintenance of events and checks how many deliveries are left.
func maintain(t *testing.T, w *roomtest.World, left int) {
	t.Helper()
	if err := w.Platform.MaintainEvents(ctx()); err != nil {
		t.Error(err)
	}
	if n := w.Count(t, "event_deliveries"); n != left {
		t.Errorf("%d deliveries are left, want %d", n, left)
	}
}
