package learning_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// manySubjects returns n subjects whose events are in one shard, or in all shards.
func manySubjects(n int, oneShard bool) []string {
	if oneShard {
		return sameShard(n)
	}
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("user:", i)
	}
	return list
}

// Each look for due events reads a page of bounded length, so the number of looks bounds the
// rows that are read. Each event has its own subject, and all are in one shard.
func TestDeliverEvents_LooksForDueEventsDoNotGrowWithTheBacklog(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const many = 4_000
		var looks atomic.Int64
		r := &roomtest.Receiver{}
		w := roomtest.New(t, database, r.Option(),
			learningtest.WithStore(func(s learning.Store) learning.Store {
				return faultystore.With(s, func(_ context.Context, step string) error {
					if strings.HasSuffix(step, "due events") {
						looks.Add(1)
					}
					return nil
				})
			}))
		w.PutBacklog(t, sameShard(many), 0)
		start := time.Now()
		w.DeliverEvents(t, many)
		took := time.Since(start)
		if n, most := looks.Load(), int64(many/128+2*took.Seconds()+10); n > most {
			t.Errorf("%d looks for %d due events, want at most %d", n, many, most)
		}
		t.Logf("%d looks; %v an event", looks.Load(), took/many)
	})
}

// After a failure of the receiver more subjects are due again than wait in memory. Some of them
// have a later event.
func TestDeliverEvents_ManySubjectsAreDueAgain(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, _ *roomtest.Receiver) {
		subjects := sameShard(outbox.MostQueued + 500)
		w.PutBacklog(t, subjects, 3)
		for _, s := range subjects[len(subjects)-10:] {
			w.FollowEvents(t, s, 2, 1)
		}
		w.DeliverEvents(t, len(subjects)+10)
	})
}

// All hanging events are older than the others. Their calls last until the test ends.
func TestRunEvents_HangingSubjectsDoNotStopOthers(t *testing.T) {
	for name, c := range map[string]struct {
		hanging  int
		attempts int // of the hanging events
		oneShard bool
	}{
		"first_attempts_in_all_shards":             {160, 0, false},
		"first_attempts_in_one_shard":              {32, 0, true},
		"later_attempts_in_all_shards":             {1000, 1, false},
		"later_attempts_in_one_shard":              {1000, 1, true},
		"events_of_hanging_ones_follow":            {100, 0, false},
		"events_of_later_attempts_are_found_first": {600, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			roomtest.OnEngines(t, func(t *testing.T, database string) {
				r := &roomtest.Receiver{}
				w := roomtest.New(t, database, r.Option(),
					learningtest.WithPlatform(learning.WithEventTimeout(10*time.Minute)))
				const others = 200
				subjects := manySubjects(c.hanging+2*others, c.oneShard)
				hanging, before, after := subjects[:c.hanging],
					subjects[c.hanging:c.hanging+others], subjects[c.hanging+others:]
				await := r.Hang(t, hanging)
				w.PutBacklog(t, hanging, c.attempts)
				if strings.HasPrefix(name, "events_of") {
					for _, s := range hanging {
						w.FollowEvents(t, s, 2, 10)
					}
				}
				w.Clock.Advance(time.Second)
				if c.attempts > 0 {
					w.Exec(t, "UPDATE event_deliveries SET status_at = ? WHERE seq = 1",
						w.Clock.Now().Format("2006-01-02 15:04:05.000000"))
				}
				w.Clock.Advance(time.Second)
				w.PutBacklog(t, before, 0)
				w.RunEvents(t)
				await(others)
				w.PutBacklog(t, after, 0) // while the others hang
				await(others)
			})
		})
	}
}

// A subject with many events has turns between those of the others, in order.
func TestDeliverEvents_SubjectWithManyEventsTakesTurns(t *testing.T) {
	withManyEvents(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		const many, others = 2_500, 300
		subjects := sameShard(others + 1)
		large := subjects[0]
		w.FollowEvents(t, large, 1, many)
		w.Clock.Advance(time.Second)
		w.PutBacklog(t, subjects[1:], 0)
		w.DeliverEvents(t, many+others)
		last, ofLarge := "", 0
		for _, e := range r.Events() {
			if e.Subject != large {
				if ofLarge > many/2 {
					t.Fatalf("%s was handled after %d events of the subject with %d", e.ID, ofLarge,
						many)
				}
				continue
			}
			if ofLarge++; e.ID <= last {
				t.Errorf("%s was handled after %s", e.ID, last)
			}
			last = e.ID
		}
	})
}

// The later events of a subject are blocked once, and not changed at each failure, so that
// what a failure costs does not depend on their number. They follow the first one when that
// is delivered.
func TestDeliverEvents_LaterEventsAreBlockedOnce(t *testing.T) {
	withManyEvents(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		const many = 1_200 // more than one transaction blocks
		w.FollowEvents(t, "user:ada", 1, many)
		r.FailFor("user:ada")
		w.DeliverEvents(t, 0)
		first := w.Clock.Now()
		blockedSince := func(at time.Time) int {
			return w.Count(t, "event_deliveries WHERE status = 'blocked' AND status_at = ?",
				at.Format("2006-01-02 15:04:05.000000"))
		}
		for _, delay := range outbox.Delays[:3] {
			w.Clock.Advance(delay)
			w.DeliverEvents(t, 0)
			if n := blockedSince(first); n != many-1 {
				t.Errorf("%d events are blocked since the first failure, want %d", n, many-1)
			}
		}
		later := w.Clock.Now()
		w.FollowEvents(t, "user:ada", many+1, 2)
		w.DeliverEvents(t, 0)
		if n := blockedSince(later); n != 2 {
			t.Errorf("%d events are blocked that were written after the failure, want 2", n)
		}
		r.Set(nil)
		w.Clock.Advance(time.Hour)
		w.DeliverEvents(t, many+2)
	})
}

// A pending event between blocked ones is not found again and again while the first one has
// failed. No program writes such rows; an operator who changes the table may.
func TestDeliverEvents_PendingEventBetweenBlockedOnes(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		w.PutEvents(t, "user:ada", 5, learning.EventBlocked, w.Clock.Now())
		w.Exec(t, "UPDATE event_deliveries SET status = 'failed' WHERE seq = 1")
		w.Exec(t, "UPDATE event_deliveries SET status = 'pending' WHERE seq = 3")
		w.DeliverEvents(t, 0)
		w.Redeliver(t, learning.EventQuery{}, 1)
		w.DeliverEvents(t, 5)
	})
}

// The database fails at each step, so that the instance stops between the calls of the
// handler and the record of their results. All are delivered in the end, the first time in
// the order of each subject, and no subject is forgotten.
func TestDeliverEvents_FaultAtEachStep(t *testing.T) {
	roomtest.OnEnginesRepeatedly(t, func(t *testing.T, database string) {
		const each = 300
		r, faults := &roomtest.Receiver{}, &roomtest.FaultyStore{}
		w := roomtest.New(t, database, r.Option(), roomtest.WithFaultyStore(faults))
		subjects := sameShard(6)
		for _, s := range subjects {
			w.FollowEvents(t, s, 1, each)
		}
		for _, fault := range []struct {
			step string
			n    int // at which time
		}{
			{"list due events", 1},
			{"list undelivered events", 1},
			{"block events", 2},
			{"find the last pending events", 3},
			{"set the status of delivered events", 1},
			{"set the status of delivered events", 7},
			{"unblock events", 1},
			{"unblock events", 7},
			{"list undelivered events", 2},
			{"COMMIT", 5},
			{"COMMIT", 20},
			{"hold a lease", 10},
		} {
			faults.Arm(fault.n, fault.step)
			if _, err := w.Platform.System().DeliverEvents(ctx()); !errors.Is(err, roomtest.ErrInjected) ||
				faults.Disarm() == "" {
				t.Errorf("%s: %v", fault.step, err)
			}
			w.WantValidEvents(t)
			w.Exec(t, "DELETE FROM leases") // its release may have failed
		}
		faults.Arm(8, roomtest.LostAnswer)
		w.DeliverEvents(t, -1)
		if faults.Disarm() == "" {
			t.Error("no answer was lost")
		}
		if n := w.Count(t, "event_deliveries WHERE status = 'delivered'"); n != each*len(subjects) {
			t.Errorf("%d events are delivered, want %d", n, each*len(subjects))
		}
		last := map[string]int{}
		for _, e := range r.Events() {
			number, err := strconv.Atoi(e.ID[len(e.ID)-6:])
			if err != nil || number > last[e.Subject]+1 {
				t.Errorf("%s was handled after event %d: %v", e.ID, last[e.Subject], err)
			}
			last[e.Subject] = max(last[e.Subject], number)
		}
	})
}

// The number of calls at once is bounded, whatever waits.
func TestDeliverEvents_CallsAtOnceAreBounded(t *testing.T) {
	r := &roomtest.Receiver{}
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db", r.Option())
	var mu sync.Mutex
	calls, most := 0, 0
	r.Set(func(context.Context, learning.Event) error {
		mu.Lock()
		calls++
		most = max(most, calls)
		mu.Unlock()
		for range 100 {
			runtime.Gosched() // others may call now
		}
		mu.Lock()
		calls--
		mu.Unlock()
		return nil
	})
	subjects := sameShard(400)
	w.PutBacklog(t, subjects[:200], 0)
	w.PutBacklog(t, subjects[200:], 1)
	w.DeliverEvents(t, 400)
	if most > outbox.Calls {
		t.Errorf("%d calls at once in one shard, want at most %d", most, outbox.Calls)
	}
}
