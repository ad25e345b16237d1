package learning_test

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
)

// wantReceived waits for an event.
func wantReceived(t *testing.T, events <-chan learning.Event, want core.EventType) {
	t.Helper()
	select {
	case e := <-events:
		if e.Type != want {
			t.Errorf("received %s, want %s", e.Type, want)
		}
	case <-time.After(30 * time.Second):
		t.Fatalf("%s was not received", want)
	}
}

func TestRunEvents_DeliversEventsOfThisAndOtherInstances(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		received := make(chan learning.Event, 10)
		r.Set(func(_ context.Context, e learning.Event) error { received <- e; return nil })
		w.AddEvents(t, "user:bob", 1) // before the start
		stop := w.RunEvents(t)
		wantReceived(t, received, people.EventUserDeleted)
		w.Course(t, "go", 499_00)
		wantReceived(t, received, catalog.EventCoursePublished)
		other := w.OtherInstance(t, r.Option()) // does not deliver
		other.Applied(t, "ada")
		wantReceived(t, received, staff.EventApplicationSubmitted)
		stop()
		w.WantValidEvents(t)
		if n := w.Count(t, "leases WHERE name NOT LIKE 'schedule:%'"); n != 0 {
			t.Errorf("%d leases are left", n)
		}
	})
}

// A call that ends because the process stops is not a failed attempt.
func TestRunEvents_StopDoesNotCountAsAnAttempt(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		called := make(chan struct{}, 10)
		r.Set(func(ctx context.Context, _ learning.Event) error {
			called <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		})
		w.AddEvents(t, "user:ada", 1)
		stop := w.RunEvents(t)
		<-called
		stop()
		if got := w.Delivery(t, "user:ada-0001"); got.Attempts != 0 ||
			got.Status != learning.EventPending {
			t.Errorf("the event is %+v", got)
		}
		r.Set(nil)
		w.DeliverEvents(t, 1)
	})
}

// The last target was removed from the settings of all instances.
func TestRunEvents_WithoutHandlersDeletesOldEvents(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	w.PutEvents(t, "user:ada", 2, learning.EventPending, w.Clock.Now())
	w.Clock.Advance(30 * 24 * time.Hour)
	w.RunEvents(t)
	limit := time.After(30 * time.Second)
	for w.Count(t, "event_deliveries") > 0 {
		select {
		case <-limit:
			t.Fatal("the events are not deleted")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
