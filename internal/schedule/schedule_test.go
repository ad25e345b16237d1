package schedule_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
)

const (
	workEvery = time.Hour
	workLease = time.Minute
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// leaseStore is a store with the leases of all instances.
type leaseStore struct{ *store.Store }

func (s leaseStore) InTx(ctx context.Context, fn func(lease.Tx) error) error {
	return s.Store.InTx(ctx, func(tx learning.Tx) error { return fn(tx) })
}

// fixture is the leases of an instance on a database.
type fixture struct {
	*lease.Leases
	clock *learningtest.Clock
	log   *bytes.Buffer
}

// onEngines runs a test on SQLite and on MariaDB.
func onEngines(t *testing.T, test func(t *testing.T, w *fixture)) {
	t.Parallel()
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		s, err := engines.Open(t.Context(), e.Reused(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		w := &fixture{clock: learningtest.NewClock(time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)),
			log: &bytes.Buffer{}}
		w.Leases = &lease.Leases{
			Store: leaseStore{s},
			Now:   func() time.Time { return w.clock.Now().UTC().Truncate(time.Microsecond) },
			NewID: uuid.NewString,
			Log:   slog.New(slog.NewTextHandler(w.log, nil)),
		}
		test(t, w)
	})
}

// schedule returns a schedule of an instance.
func (w *fixture) schedule(work func(context.Context) error) schedule.Schedule {
	return schedule.New(w.Leases, "work", workEvery, work).WithLease(workLease)
}

// counted returns a schedule that counts its calls and then does more work, if there is any.
func (w *fixture) counted(calls *int, more func()) schedule.Schedule {
	return w.schedule(func(context.Context) error {
		*calls++
		if more != nil {
			more()
		}
		return nil
	})
}

// holder returns the holder of the lease.
func (w *fixture) holder(t *testing.T) string {
	t.Helper()
	l, err := w.Store.Lease(context.Background(), "schedule:work")
	if err != nil {
		t.Fatal(err)
	}
	return l.Holder
}

// wantRun tries to do the work once. The pause until the next try must be the given one or
// up to a fifth of an interval longer.
func wantRun(t *testing.T, s schedule.Schedule, calls *int, want int, pause time.Duration) {
	t.Helper()
	got := s.RunIfDue(t.Context())
	if *calls != want || got < pause || got > pause+workEvery/5 {
		t.Errorf("%d calls and a pause of %v, want %d and %v", *calls, got, want, pause)
	}
}

// Work that has nothing to do takes no lease. If it cannot be asked, it is tried.
func TestSchedule_OnlyIf(t *testing.T) {
	onEngines(t, func(t *testing.T, w *fixture) {
		var calls int
		isDue, failure := false, error(nil)
		s := w.counted(&calls, nil).OnlyIf(func(context.Context) (bool, error) {
			return isDue, failure
		})
		wantRun(t, s, &calls, 0, workEvery)
		if _, err := w.Store.Lease(t.Context(), "schedule:work"); err == nil && w.holder(t) != "" {
			t.Error("work that is not due has taken a lease")
		}
		failure = errors.New("broken on purpose")
		wantRun(t, s, &calls, 1, workEvery)
		w.clock.Advance(workEvery)
		isDue, failure = true, nil
		wantRun(t, s, &calls, 2, workEvery)
	})
}

func TestSchedule_OneInstanceWorksInAnInterval(t *testing.T) {
	onEngines(t, func(t *testing.T, w *fixture) {
		var calls, others int
		other := w.counted(&others, nil)
		first := w.counted(&calls, func() { wantRun(t, other, &others, 0, workLease) })
		wantRun(t, first, &calls, 1, workEvery)

		wantRun(t, other, &others, 0, workEvery)
		w.clock.Advance(workEvery - time.Second)
		wantRun(t, first, &calls, 1, time.Second)
		wantRun(t, other, &others, 0, time.Second)
		w.clock.Advance(time.Second)
		wantRun(t, other, &others, 1, workEvery)
		wantRun(t, first, &calls, 1, workEvery)
	})
}

func TestSchedule_TakesOverFromACrashedInstance(t *testing.T) {
	onEngines(t, func(t *testing.T, w *fixture) {
		died := lease.Lease{Name: "schedule:work", Holder: "died",
			ExpiresAt: w.Now().Add(workLease)}
		if _, err := w.Take(t.Context(), died); err != nil {
			t.Fatal(err)
		}
		var calls int
		wantRun(t, w.counted(&calls, nil), &calls, 0, workLease)
		w.clock.Advance(workLease)
		wantRun(t, w.counted(&calls, nil), &calls, 1, workEvery)
	})
}

func TestSchedule_LostLeaseCancelsTheWork(t *testing.T) {
	onEngines(t, func(t *testing.T, w *fixture) {
		const short = 3 * time.Second // it is extended, and the loss seen, after a third
		w.schedule(func(ctx context.Context) error {
			w.clock.Advance(2 * short)
			successor := lease.Lease{
				Name: "schedule:work", Holder: "successor", ExpiresAt: w.Now().Add(time.Hour),
			}
			if _, err := w.Take(ctx, successor); err != nil {
				t.Error(err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(30 * time.Second):
				t.Error("the work was not cancelled")
			}
			return ctx.Err()
		}).WithLease(short).RunIfDue(t.Context())
		if got := w.holder(t); got != "successor" {
			t.Errorf("the lease has the holder %q", got)
		}
	})
}

// The next instance does not wait for an interval after an instance was stopped.
func TestSchedule_StoppedInstanceReleasesTheLease(t *testing.T) {
	onEngines(t, func(t *testing.T, w *fixture) {
		stopped, stop := context.WithCancel(t.Context())
		w.schedule(func(ctx context.Context) error { stop(); return ctx.Err() }).RunIfDue(stopped)
		if got := w.holder(t); got != "" {
			t.Errorf("the lease has the holder %q", got)
		}
	})
}

func TestSchedule_ContinuesAfterAnErrorAndAPanic(t *testing.T) {
	onEngines(t, func(t *testing.T, w *fixture) {
		running, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		const every = time.Millisecond
		calls := 0
		schedule.New(w.Leases, "work", every, func(context.Context) error {
			w.clock.Advance(2 * every) // so that it is due at the next try
			switch calls++; calls {
			case 1:
				return errors.New("refused")
			case 2:
				panic("oops")
			}
			stop()
			return nil
		}).Loop(running, 0)
		if calls != 3 {
			t.Errorf("%d calls, want 3", calls)
		}
		for text, want := range map[string]int{
			"scheduled work failed and is tried again": 2,
			"msg=panic value=oops":                     1,
		} {
			if n := strings.Count(w.log.String(), text); n != want {
				t.Errorf("%q is logged %d times, want %d", text, n, want)
			}
		}
	})
}

// A longer pause after the start would let instances that are restarted before it ends never do the
// work.
func TestSchedule_FirstRunIsSoonAfterTheStart(t *testing.T) {
	for _, every := range []time.Duration{time.Second, 5 * time.Minute, 24 * time.Hour} {
		usual := min(every, time.Minute)
		if got := schedule.FirstPause(every); got < usual/2 || got > usual*3/2 {
			t.Errorf("every %v: the first pause is %v", every, got)
		}
	}
}
