package learning_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/staff"
)

// sameShard returns n subjects whose events are in one shard.
func sameShard(n int) (subjects []string) {
	for i := 0; len(subjects) < n; i++ {
		if s := fmt.Sprint("user:", i); outbox.ShardOf("test", s) == "test/3" {
			subjects = append(subjects, s)
		}
	}
	return subjects
}

func TestDeliverEvents_FailedEventBlocksItsSubjectUntilItIsRedelivered(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		w.AddEvents(t, "user:ada", 3)
		r.FailFor("user:ada")
		w.DeliverEvents(t, 0)
		for i, delay := range outbox.Delays {
			w.Clock.Advance(delay - time.Microsecond)
			w.DeliverEvents(t, 0)
			if got := w.Delivery(t, "user:ada-0001"); got.Attempts != i+1 ||
				got.Status != learning.EventPending || got.LastError != "the receiver is down" {
				t.Errorf("before the pause of %v has ended: %+v", delay, got)
			}
			w.Clock.Advance(time.Microsecond)
			w.DeliverEvents(t, 0)
		}
		if got := w.Delivery(t, "user:ada-0001"); got.Attempts != 8 ||
			got.Status != learning.EventFailed {
			t.Errorf("after the last attempt: %+v", got)
		}
		r.Set(nil)
		w.Clock.Advance(24 * time.Hour)
		w.AddEvents(t, "user:bob", 1)
		w.DeliverEvents(t, 1)
		if got := w.Delivery(t, "user:ada-0002"); got.Attempts != 0 ||
			got.Status != learning.EventBlocked {
			t.Errorf("the next event is %+v", got)
		}
		for _, none := range []struct{ target, id string }{{"test", "user:ada-0002"},
			{"test", "user:bob-0001"}, {"other", ""}, {"test", "unknown"}} {
			if n, err := w.Platform.System().RedeliverEvents(ctx(),
				learning.EventQuery{Target: none.target, ID: none.id}); err != nil || n != 0 {
				t.Errorf("%+v: %d events are due again: %v", none, n, err)
			}
		}
		if n, err := w.Platform.System().RedeliverEvents(ctx(),
			learning.EventQuery{Target: "test", ID: "user:ada-0001"}); err != nil || n != 1 {
			t.Errorf("%d events are due again: %v", n, err)
		}
		w.DeliverEvents(t, 3)
		if diff := cmp.Diff([]string{"user:bob-0001", "user:ada-0001", "user:ada-0002",
			"user:ada-0003"}, r.Ids()); diff != "" {
			t.Error(diff)
		}
	})
}

// An event that is written while an earlier one waits for its next attempt waits too.
func TestDeliverEvents_LaterEventWaitsForTheEarlierOne(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		ada, admin := w.Person(t, "ada", core.Student), w.Person(t, "admin", core.Admin)
		behind := w.OtherInstance(t, r.Option(),
			learningtest.WithPlatform(
				learning.WithClock(learningtest.NewClock(w.Clock.Now().Add(-time.Hour)))))
		a, err := w.Platform.Staff.Apply(ctx(), ada, roomtest.Submitted())
		if err != nil {
			t.Fatal(err)
		}
		r.FailFor("user:ada")
		w.DeliverEvents(t, 0)
		r.Set(nil)
		// the clock of this instance is an hour slow
		if err := behind.Platform.Staff.Reject(ctx(), admin, a.ID, "no"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Platform.Staff.Apply(ctx(), ada, roomtest.Submitted()); err != nil {
			t.Fatal(err)
		}
		w.DeliverEvents(t, 0)
		w.Clock.Advance(time.Minute)
		w.DeliverEvents(t, 4)
		want := []core.EventType{staff.EventApplicationSubmitted,
			staff.EventApplicationRejected, core.EventNotificationCreated,
			staff.EventApplicationSubmitted}
		if diff := cmp.Diff(want, r.Types("user:ada")); diff != "" {
			t.Error(diff)
		}
	})
}

// Two instances deliver at once, and the receiver refuses each event twice.
func TestDeliverEvents_TwoInstancesKeepTheOrderOfEachSubject(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		const subjects, each = 20, 4
		for i := range subjects {
			w.AddEvents(t, fmt.Sprint("user:", i), each)
		}
		other := w.OtherInstance(t, r.Option())
		refused := map[string]int{}
		var mu sync.Mutex
		r.Set(func(_ context.Context, e learning.Event) error {
			mu.Lock()
			defer mu.Unlock()
			if refused[e.ID]++; refused[e.ID] <= 2 {
				return roomtest.ErrInjected
			}
			return nil
		})
		for range 3 * each {
			for _, err := range roomtest.Concurrently(4, func(i int) error {
				_, err := []*roomtest.World{w, other}[i%2].Platform.System().DeliverEvents(ctx())
				return err
			}) {
				if err != nil {
					t.Error(err)
				}
			}
			w.WantValidEvents(t)
			w.Clock.Advance(time.Minute)
		}
		if n := w.Count(t, "event_deliveries WHERE status = 'delivered'"); n != subjects*each {
			t.Errorf("%d events are delivered", n)
		}
		last := map[string]string{}
		for _, e := range r.Events() {
			if e.ID <= last[e.Subject] {
				t.Errorf("%s was handled after %s", e.ID, last[e.Subject])
			}
			last[e.Subject] = e.ID
		}
	})
}

func TestDeliverEvents_PanicIsAFailedAttempt(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		w.AddEvents(t, "user:ada", 1)
		w.AddEvents(t, "user:bob", 1)
		r.Set(func(_ context.Context, e learning.Event) error {
			if e.Subject == "user:ada" {
				panic("a bug")
			}
			return nil
		})
		w.DeliverEvents(t, 1)
		if got := w.Delivery(t, "user:ada-0001"); got.Attempts != 1 ||
			got.Status != learning.EventPending || got.LastError != "panic: a bug" {
			t.Errorf("the event is %+v", got)
		}
		w.WantLogged(t, "msg=panic", 1)
		r.Set(nil)
		w.Clock.Advance(time.Minute)
		w.DeliverEvents(t, 1)
	})
}

func TestDeliverEvents_HandlerWithoutAnswerIsAFailedAttempt(t *testing.T) {
	r, done := &roomtest.Receiver{}, make(chan struct{})
	defer close(done)
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db", r.Option(),
		learningtest.WithPlatform(learning.WithEventTimeout(20*time.Millisecond)))
	w.AddEvents(t, "user:ada", 1)
	r.Set(func(context.Context, learning.Event) error { <-done; return roomtest.ErrInjected })
	w.DeliverEvents(t, 0)
	if got := w.Delivery(t, "user:ada-0001"); got.Attempts != 1 ||
		!strings.Contains(got.LastError, "no answer within") {
		t.Errorf("the event is %+v", got)
	}
}

// The slow call ends only after the event of another subject in the same shard is handled.
func TestDeliverEvents_SlowSubjectDoesNotStopOthers(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		subjects, handled := sameShard(2), make(chan struct{})
		w.AddEvents(t, subjects[0], 80) // more than a page of due events
		r.Set(func(ctx context.Context, e learning.Event) error {
			if e.Subject == subjects[1] {
				close(handled)
				return nil
			}
			select {
			case <-handled:
			case <-ctx.Done():
			}
			return ctx.Err()
		})
		w.AddEvents(t, subjects[1], 1)
		w.DeliverEvents(t, 81)
	})
}

// While the handler of one instance works, its lease expires and another instance takes
// it. The results of the first are not recorded, be they failures or successes.
func TestDeliverEvents_LostLeaseChangesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		mine, others error
		delivered    int // by the other instance
		status       learning.EventStatus
	}{
		"failure": {roomtest.ErrInjected, nil, 2, learning.EventDelivered},
		"success": {nil, roomtest.ErrInjected, 0, learning.EventPending},
	} {
		t.Run(name, func(t *testing.T) {
			withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
				w.AddEvents(t, "user:ada", 2)
				mine := &roomtest.Receiver{}
				slow := w.OtherInstance(t, mine.Option())
				r.Set(func(context.Context, learning.Event) error { return tt.others })
				mine.Set(func(context.Context, learning.Event) error {
					w.Clock.Advance(time.Minute)
					w.DeliverEvents(t, tt.delivered)
					return tt.mine
				})
				slow.DeliverEvents(t, 0)
				if got := w.Delivery(t, "user:ada-0001"); got.Status != tt.status ||
					got.Attempts != 1 {
					t.Errorf("the event is %+v", got)
				}
				if n := len(mine.Events()); n > 1 {
					t.Errorf("%d events were handled without the lease", n)
				}
			})
		})
	}
}

func TestDeliverEvents_EachTargetOnItsOwn(t *testing.T) {
	a, b := &roomtest.Receiver{}, &roomtest.Receiver{}
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithPlatform(learning.WithEvents("a", a), learning.WithEvents("b", b)))
	w.Course(t, "go", 499_00)
	a.FailFor("course:go")
	w.DeliverEvents(t, 1)
	a.Set(nil)
	w.Clock.Advance(time.Minute)
	w.DeliverEvents(t, 1)
	if diff := cmp.Diff(a.Events(), b.Events()); diff != "" || len(a.Events()) != 1 {
		t.Errorf("the targets received different events:\n%s", diff)
	}
}
