package learning_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// runEvents calls RunEvents until the test ends. stop ends it earlier.
func (w *fixture) runEvents(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.Platform.System().RunEvents(ctx) })
	stop = func() { cancel(); running.Wait() }
	t.Cleanup(stop)
	return stop
}

// wantReceived waits for an event.
func wantReceived(t *testing.T, events <-chan learning.Event, want learning.EventType) {
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
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		received := make(chan learning.Event, 10)
		r.set(func(_ context.Context, e learning.Event) error { received <- e; return nil })
		w.addEvents(t, "user:bob", 1) // before the start
		stop := w.runEvents(t)
		wantReceived(t, received, learning.EventUserDeleted)
		w.Course(t, "go", 499_00)
		wantReceived(t, received, learning.EventCoursePublished)
		other := w.otherInstance(t, r.option()) // does not deliver
		other.applied(t, "ada")
		wantReceived(t, received, learning.EventApplicationSubmitted)
		stop()
		w.wantValidEvents(t)
		if n := w.count(t, "leases WHERE name NOT LIKE 'schedule:%'"); n != 0 {
			t.Errorf("%d leases are left", n)
		}
	})
}

// A call that ends because the process stops is not a failed attempt.
func TestRunEvents_StopDoesNotCountAsAnAttempt(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		called := make(chan struct{}, 10)
		r.set(func(ctx context.Context, _ learning.Event) error {
			called <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		})
		w.addEvents(t, "user:ada", 1)
		stop := w.runEvents(t)
		<-called
		stop()
		if got := w.delivery(t, "user:ada-0001"); got.Attempts != 0 ||
			got.Status != learning.EventPending {
			t.Errorf("the event is %+v", got)
		}
		r.set(nil)
		w.deliverEvents(t, 1)
	})
}

// The last target was removed from the settings of all instances.
func TestRunEvents_WithoutHandlersDeletesOldEvents(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	w.putEvents(t, "user:ada", 2, learning.EventPending, w.Clock.Now())
	w.Clock.Advance(30 * 24 * time.Hour)
	w.runEvents(t)
	limit := time.After(30 * time.Second)
	for w.count(t, "event_deliveries") > 0 {
		select {
		case <-limit:
			t.Fatal("the events are not deleted")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
