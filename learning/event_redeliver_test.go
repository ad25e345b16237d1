package learning_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
)

func TestRedeliverEvents_AllOfATarget(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		for i := range 103 {
			w.PutEvents(t, fmt.Sprint("user:", i), 1, learning.EventFailed, w.Clock.Now())
		}
		w.DeliverEvents(t, 0)
		w.Redeliver(t, learning.EventQuery{Target: "test"}, 103)
		w.DeliverEvents(t, 103)
	})
}

// A page of failed deliveries may end between those of one event to two targets.
func TestRedeliverEvents_AllOfEveryTarget(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, _ *roomtest.Receiver) {
		w.PutEvents(t, "user:a", 1, learning.EventFailed, w.Clock.Now())
		for _, target := range []string{"mail", "post"} {
			w.PutEventsTo(t, target, "user:b", 60, learning.EventFailed, w.Clock.Now())
		}
		w.Redeliver(t, learning.EventQuery{}, 121)
	})
}

// A pending event whose next attempt is hours away is due at once, with all attempts, and the
// later events of its subject follow. Those that are due, blocked or delivered stay as they are.
func TestRedeliverEvents_PendingEventSkipsTheRestOfItsPause(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		for i := range 105 { // more than a page
			w.FollowEvents(t, fmt.Sprint("user:", i), 1, 2)
		}
		w.PutEvents(t, "user:failed", 2, learning.EventFailed, w.Clock.Now())
		w.Exec(t,
			"UPDATE event_deliveries SET status = 'blocked' WHERE subject = 'user:failed' AND "+
				"seq = 2")
		r.Set(func(context.Context, learning.Event) error { return roomtest.ErrInjected })
		w.DeliverEvents(t, 0)
		for _, delay := range outbox.Delays[:6] {
			w.Clock.Advance(delay)
			w.DeliverEvents(t, 0)
		}
		r.Set(nil)
		w.Clock.Advance(time.Minute) // ten hours before the next attempt
		w.FollowEvents(t, "user:due", 1, 1)
		w.DeliverEvents(t, 1)
		w.FollowEvents(t, "user:due", 2, 1)

		for _, id := range []string{"user:due-000001", "user:due-000002", "user:0-000002",
			"user:failed-0002", "unknown"} {
			w.Redeliver(t, learning.EventQuery{ID: id}, 0)
		}
		for _, status := range []learning.EventStatus{learning.EventBlocked,
			learning.EventDelivered} {
			w.Redeliver(t, learning.EventQuery{Status: status}, 0)
		}
		w.Redeliver(t, learning.EventQuery{ID: "user:0-000001", Target: "other"}, 0)
		w.Redeliver(t, learning.EventQuery{ID: "user:0-000001", Status: learning.EventFailed}, 0)
		w.Redeliver(t, learning.EventQuery{ID: "user:0-000001"}, 1)
		if got := w.Delivery(t, "user:0-000001"); got.Attempts != 0 ||
			got.Status != learning.EventPending || got.StatusAt.After(w.Clock.Now()) {
			t.Errorf("the event is %+v", got)
		}
		w.DeliverEvents(t, 3) // with the second of its subject, and the one that was due
		w.Redeliver(t, learning.EventQuery{Status: learning.EventPending}, 104)
		w.Redeliver(t, learning.EventQuery{Status: learning.EventPending}, 0)
		w.DeliverEvents(t, 208)
		w.Redeliver(t, learning.EventQuery{}, 1)
		w.DeliverEvents(t, 2)
	})
}

// RedeliverEvents has read that an event waits, and makes it due after its last attempt has
// begun. The event stays due with all attempts if that fails, and is delivered if it does not.
func TestRedeliverEvents_DuringAnAttempt(t *testing.T) {
	for name, tt := range map[string]struct {
		result error
		want   learning.EventDelivery
	}{
		"failure": {roomtest.ErrInjected,
			learning.EventDelivery{Status: learning.EventPending, Attempts: 1}},
		"success": {nil, learning.EventDelivery{Status: learning.EventDelivered, Attempts: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
				w.FollowEvents(t, "user:ada", 1, 1)
				w.Exec(t, "UPDATE event_deliveries SET attempts = 7, last_error = 'status 500'")
				calls := 0
				r.Set(func(context.Context, learning.Event) error {
					if calls++; calls == 1 {
						// the statement of RedeliverEvents
						w.Exec(t, "UPDATE event_deliveries SET attempts = 0")
					}
					return tt.result
				})
				w.DeliverEvents(t, -1)
				got := w.Delivery(t, "user:ada-000001")
				if got.Status != tt.want.Status || got.Attempts != tt.want.Attempts {
					t.Errorf("the event is %+v", got)
				}
			})
		})
	}
}
