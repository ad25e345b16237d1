package learning_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// addEvents writes n pending events of a subject for the receiver, which are due now.
func (w *fixture) addEvents(t *testing.T, subject string, n int) {
	t.Helper()
	w.putEvents(t, subject, n, learning.EventPending, w.Clock.Now())
}

func (w *fixture) putEvents(t *testing.T, subject string, n int, status learning.EventStatus,
	at time.Time) {
	t.Helper()
	w.putEventsTo(t, "test", subject, n, status, at)
}

// putEventsTo is putEvents for another target.
func (w *fixture) putEventsTo(t *testing.T, target, subject string, n int,
	status learning.EventStatus, at time.Time) {
	t.Helper()
	list := make([]outbox.Delivery, n)
	for i := range list {
		list[i] = outbox.Delivery{
			Event: outbox.Event{ID: fmt.Sprintf("%s-%04d", subject, i+1),
				Type: string(learning.EventUserDeleted), CreatedAt: at, Subject: subject},
			Target: target, Shard: outbox.ShardOf(target, subject), Seq: int64(i + 1),
			Status: status, StatusAt: at,
		}
	}
	if err := w.Store.InTx(ctx(),
		func(tx learning.Tx) error { return tx.InsertEvents(ctx(), list) }); err != nil {
		t.Fatal(err)
	}
}

// sameShard returns n subjects whose events are in one shard.
func sameShard(n int) (subjects []string) {
	for i := 0; len(subjects) < n; i++ {
		if s := fmt.Sprint("user:", i); outbox.ShardOf("test", s) == "test/3" {
			subjects = append(subjects, s)
		}
	}
	return subjects
}

// ids returns the ids of the handled events, in their order.
func (r *receiver) ids() (ids []string) {
	for _, e := range r.events() {
		ids = append(ids, e.ID)
	}
	return ids
}

// failFor makes the receiver refuse the events of a subject.
func (r *receiver) failFor(subject string) {
	r.set(func(_ context.Context, e learning.Event) error {
		if e.Subject == subject {
			return errors.New("the receiver is down")
		}
		return nil
	})
}

// delivery returns the only delivery of an event.
func (w *fixture) delivery(t *testing.T, id string) learning.EventDelivery {
	t.Helper()
	list, err := w.Platform.System().EventDeliveries(t.Context(), learning.EventQuery{ID: id})
	if err != nil || len(list) != 1 {
		t.Fatalf("event %s: %v, %v", id, list, err)
	}
	return list[0]
}

func TestDeliverEvents_FailedEventBlocksItsSubjectUntilItIsRedelivered(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		w.addEvents(t, "user:ada", 3)
		r.failFor("user:ada")
		w.deliverEvents(t, 0)
		for i, delay := range outbox.Delays {
			w.Clock.Advance(delay - time.Microsecond)
			w.deliverEvents(t, 0)
			if got := w.delivery(t, "user:ada-0001"); got.Attempts != i+1 ||
				got.Status != learning.EventPending || got.LastError != "the receiver is down" {
				t.Errorf("before the pause of %v has ended: %+v", delay, got)
			}
			w.Clock.Advance(time.Microsecond)
			w.deliverEvents(t, 0)
		}
		if got := w.delivery(t, "user:ada-0001"); got.Attempts != 8 ||
			got.Status != learning.EventFailed {
			t.Errorf("after the last attempt: %+v", got)
		}
		r.set(nil)
		w.Clock.Advance(24 * time.Hour)
		w.addEvents(t, "user:bob", 1)
		w.deliverEvents(t, 1)
		if got := w.delivery(t, "user:ada-0002"); got.Attempts != 0 ||
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
		w.deliverEvents(t, 3)
		if diff := cmp.Diff([]string{"user:bob-0001", "user:ada-0001", "user:ada-0002",
			"user:ada-0003"}, r.ids()); diff != "" {
			t.Error(diff)
		}
	})
}

// An event that is written while an earlier one waits for its next attempt waits too.
func TestDeliverEvents_LaterEventWaitsForTheEarlierOne(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		ada, admin := w.Person(t, "ada", learning.Student), w.Person(t, "admin", learning.Admin)
		behind := w.otherInstance(t, r.option(),
			learningtest.WithPlatform(
				learning.WithClock(learningtest.NewClock(w.Clock.Now().Add(-time.Hour)))))
		a, err := w.Platform.Apply(ctx(), ada, submitted())
		if err != nil {
			t.Fatal(err)
		}
		r.failFor("user:ada")
		w.deliverEvents(t, 0)
		r.set(nil)
		// the clock of this instance is an hour slow
		if err := behind.Platform.Reject(ctx(), admin, a.ID, "no"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Platform.Apply(ctx(), ada, submitted()); err != nil {
			t.Fatal(err)
		}
		w.deliverEvents(t, 0)
		w.Clock.Advance(time.Minute)
		w.deliverEvents(t, 3)
		want := []learning.EventType{learning.EventApplicationSubmitted,
			learning.EventApplicationRejected, learning.EventApplicationSubmitted}
		if diff := cmp.Diff(want, r.types("user:ada")); diff != "" {
			t.Error(diff)
		}
	})
}

// Two instances deliver at once, and the receiver refuses each event twice.
func TestDeliverEvents_TwoInstancesKeepTheOrderOfEachSubject(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		const subjects, each = 20, 4
		for i := range subjects {
			w.addEvents(t, fmt.Sprint("user:", i), each)
		}
		other := w.otherInstance(t, r.option())
		refused := map[string]int{}
		var mu sync.Mutex
		r.set(func(_ context.Context, e learning.Event) error {
			mu.Lock()
			defer mu.Unlock()
			if refused[e.ID]++; refused[e.ID] <= 2 {
				return errInjected
			}
			return nil
		})
		for range 3 * each {
			for _, err := range concurrently(4, func(i int) error {
				_, err := []*fixture{w, other}[i%2].Platform.System().DeliverEvents(ctx())
				return err
			}) {
				if err != nil {
					t.Error(err)
				}
			}
			w.wantValidEvents(t)
			w.Clock.Advance(time.Minute)
		}
		if n := w.count(t, "event_deliveries WHERE status = 'delivered'"); n != subjects*each {
			t.Errorf("%d events are delivered", n)
		}
		last := map[string]string{}
		for _, e := range r.events() {
			if e.ID <= last[e.Subject] {
				t.Errorf("%s was handled after %s", e.ID, last[e.Subject])
			}
			last[e.Subject] = e.ID
		}
	})
}

func TestDeliverEvents_PanicIsAFailedAttempt(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		w.addEvents(t, "user:ada", 1)
		w.addEvents(t, "user:bob", 1)
		r.set(func(_ context.Context, e learning.Event) error {
			if e.Subject == "user:ada" {
				panic("a bug")
			}
			return nil
		})
		w.deliverEvents(t, 1)
		if got := w.delivery(t, "user:ada-0001"); got.Attempts != 1 ||
			got.Status != learning.EventPending || got.LastError != "panic: a bug" {
			t.Errorf("the event is %+v", got)
		}
		w.wantLogged(t, "msg=panic", 1)
		r.set(nil)
		w.Clock.Advance(time.Minute)
		w.deliverEvents(t, 1)
	})
}

func TestDeliverEvents_HandlerWithoutAnswerIsAFailedAttempt(t *testing.T) {
	r, done := &receiver{}, make(chan struct{})
	defer close(done)
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db", r.option(),
		learningtest.WithPlatform(learning.WithEventTimeout(20*time.Millisecond)))
	w.addEvents(t, "user:ada", 1)
	r.set(func(context.Context, learning.Event) error { <-done; return errInjected })
	w.deliverEvents(t, 0)
	if got := w.delivery(t, "user:ada-0001"); got.Attempts != 1 ||
		!strings.Contains(got.LastError, "no answer within") {
		t.Errorf("the event is %+v", got)
	}
}

// The slow call ends only after the event of another subject in the same shard is handled.
func TestDeliverEvents_SlowSubjectDoesNotStopOthers(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		subjects, handled := sameShard(2), make(chan struct{})
		w.addEvents(t, subjects[0], 80) // more than a page of due events
		r.set(func(ctx context.Context, e learning.Event) error {
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
		w.addEvents(t, subjects[1], 1)
		w.deliverEvents(t, 81)
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
		"failure": {errInjected, nil, 2, learning.EventDelivered},
		"success": {nil, errInjected, 0, learning.EventPending},
	} {
		t.Run(name, func(t *testing.T) {
			withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
				w.addEvents(t, "user:ada", 2)
				mine := &receiver{}
				slow := w.otherInstance(t, mine.option())
				r.set(func(context.Context, learning.Event) error { return tt.others })
				mine.set(func(context.Context, learning.Event) error {
					w.Clock.Advance(time.Minute)
					w.deliverEvents(t, tt.delivered)
					return tt.mine
				})
				slow.deliverEvents(t, 0)
				if got := w.delivery(t, "user:ada-0001"); got.Status != tt.status ||
					got.Attempts != 1 {
					t.Errorf("the event is %+v", got)
				}
				if n := len(mine.events()); n > 1 {
					t.Errorf("%d events were handled without the lease", n)
				}
			})
		})
	}
}

func TestDeliverEvents_EachTargetOnItsOwn(t *testing.T) {
	a, b := &receiver{}, &receiver{}
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithPlatform(learning.WithEvents("a", a), learning.WithEvents("b", b)))
	w.Course(t, "go", 499_00)
	a.failFor("course:go")
	w.deliverEvents(t, 1)
	a.set(nil)
	w.Clock.Advance(time.Minute)
	w.deliverEvents(t, 1)
	if diff := cmp.Diff(a.events(), b.events()); diff != "" || len(a.events()) != 1 {
		t.Errorf("the targets received different events:\n%s", diff)
	}
}
