package learning_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

const (
	workEvery = time.Hour
	workLease = time.Minute
)

// scheduled returns a schedule of this instance that counts its calls and then does more
// work, if there is any.
func (w *fixture) scheduled(calls *int, more func()) learning.Schedule {
	return w.Platform.NewSchedule(workEvery, workLease, func(context.Context) error {
		*calls++
		if more != nil {
			more()
		}
		return nil
	})
}

// wantTry tries to do the work once. The pause until the next try must be the given one or
// up to a fifth of an interval longer.
func wantTry(t *testing.T, s learning.Schedule, calls *int, want int, pause time.Duration) {
	t.Helper()
	got := s.Try(ctx())
	if *calls != want || got < pause || got > pause+workEvery/5 {
		t.Errorf("%d calls and a pause of %v, want %d and %v", *calls, got, want, pause)
	}
}

func TestSchedule_OneInstanceWorksInAnInterval(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		var calls, others int
		w := newFixture(t, database)
		other := w.otherInstance(t).scheduled(&others, nil)
		first := w.scheduled(&calls, func() { wantTry(t, other, &others, 0, workLease) })
		wantTry(t, first, &calls, 1, workEvery)

		wantTry(t, other, &others, 0, workEvery)
		w.Clock.Advance(workEvery - time.Second)
		wantTry(t, first, &calls, 1, time.Second)
		wantTry(t, other, &others, 0, time.Second)
		w.Clock.Advance(time.Second)
		wantTry(t, other, &others, 1, workEvery)
		wantTry(t, first, &calls, 1, workEvery)
	})
}

func TestSchedule_TakesOverFromACrashedInstance(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		var calls int
		w := newFixture(t, database)
		err := w.Store.InTx(ctx(), func(tx learning.Tx) error {
			return tx.InsertLease(ctx(), learning.Lease{Name: "schedule:work", Holder: "died", ExpiresAt: w.Clock.Now().Add(workLease)})
		})
		if err != nil {
			t.Fatal(err)
		}
		wantTry(t, w.scheduled(&calls, nil), &calls, 0, workLease)
		w.Clock.Advance(workLease)
		wantTry(t, w.scheduled(&calls, nil), &calls, 1, workEvery)
	})
}

func TestSchedule_LostLeaseCancelsTheWork(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		const short = 3 * time.Second // it is extended, and the loss seen, after a third
		s := w.Platform.NewSchedule(workEvery, short, func(ctx context.Context) error {
			w.exec(t, "UPDATE leases SET holder = 'successor'")
			select {
			case <-ctx.Done():
			case <-time.After(30 * time.Second):
				t.Error("the work was not cancelled")
			}
			return ctx.Err()
		})
		s.Try(ctx())
		if n := w.count(t, "leases WHERE holder = 'successor'"); n != 1 {
			t.Errorf("the leases are %v", w.rows(t, "leases"))
		}
	})
}

// The next instance does not wait for an interval after an instance was stopped.
func TestSchedule_StoppedInstanceReleasesTheLease(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		stopped, stop := context.WithCancel(ctx())
		w.Platform.NewSchedule(workEvery, workLease, func(ctx context.Context) error { stop(); return ctx.Err() }).Try(stopped)
		if n := w.count(t, "leases"); n != 0 {
			t.Errorf("the leases are %v", w.rows(t, "leases"))
		}
	})
}

func TestSchedule_ContinuesAfterAnErrorAndAPanic(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		running, stop := context.WithTimeout(ctx(), time.Minute)
		defer stop()
		const every = time.Millisecond
		calls := 0
		w.Platform.NewSchedule(every, workLease, func(context.Context) error {
			w.Clock.Advance(2 * every) // so that it is due at the next try
			switch calls++; calls {
			case 1:
				return errors.New("refused")
			case 2:
				panic("oops")
			}
			stop()
			return nil
		}).Run(running)
		if calls != 3 {
			t.Errorf("%d calls, want 3", calls)
		}
		w.wantLogged(t, "scheduled work failed and is tried again", 2)
		w.wantLogged(t, "msg=panic value=oops", 1)
	})
}

func TestSchedules_AreSwitchedOffByNoInterval(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	w.Platform.System().RunReconciliation(ctx(), 0) // returns
	w.Platform.System().RunTidying(ctx(), 0)
}

// A longer pause after the start would let instances that are restarted before it ends never do the work.
func TestSchedules_FirstRunIsSoonAfterTheStart(t *testing.T) {
	for _, every := range []time.Duration{time.Second, 5 * time.Minute, 24 * time.Hour} {
		usual := min(every, time.Minute)
		if got := learning.FirstPause(every); got < usual/2 || got > usual*3/2 {
			t.Errorf("every %v: the first pause is %v", every, got)
		}
	}
}
