package learning

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/singleflight"
)

// scheduleLease is the length of the lease of scheduled work while an instance works. If
// the instance crashes, another one may do the work after this time.
const scheduleLease = time.Minute

// schedule is work that one instance at a time does, about once in each interval. The
// lease is kept after the work until the work is due again, so that other instances skip
// it.
type schedule struct {
	*Platform
	name  string
	every time.Duration
	work  func(ctx context.Context) error
	lease time.Duration // length of the lease while an instance works
}

// newSchedule returns a schedule of work that is due at each interval.
func (p *Platform) newSchedule(name string, every time.Duration, work func(ctx context.Context) error) schedule {
	return schedule{Platform: p, name: name, every: every, work: work, lease: scheduleLease}
}

// firstPause returns the pause between the start of an instance and its first try of work with an
// interval. It lets the instance start before it works, and is random so that instances do not
// try at the same time.
func firstPause(every time.Duration) time.Duration {
	pause := min(every, time.Minute)
	return pause*4/5 + rand.N(pause*2/5+1)
}

// run tries to do the work again and again until ctx is done, for the first time after a
// pause.
func (s schedule) run(ctx context.Context, pause time.Duration) {
	for backoff.Sleep(ctx, pause) == nil {
		pause = s.try(ctx)
	}
}

// try does the work if it is due and no other instance does it. It returns the pause until
// the next try. The pause ends when the lease expires, but after at most an interval. Up
// to a fifth of an interval is added at random, so that instances do not try at the same
// time.
func (s schedule) try(ctx context.Context) (pause time.Duration) {
	t := &turn{renewedLease: s.newRenewedLease("schedule:"+s.name, s.lease), due: s.now().Add(s.every), work: s.work}
	err := lease.Run(ctx, t, s.lease, t.do)
	next := t.due
	switch {
	case errors.Is(err, lease.ErrHeld):
		s.log.DebugContext(ctx, "scheduled work is skipped, because another instance does it or has done it", "work", s.name)
		if !t.heldUntil.IsZero() {
			next = t.heldUntil
		}
	case err != nil && ctx.Err() == nil:
		s.log.WarnContext(ctx, "scheduled work failed and is tried again", "work", s.name, "error", err)
	}
	return max(0, min(next.Sub(s.now()), s.every)) + rand.N(s.every/5+1)
}

// turn is one call of scheduled work, with its lease.
type turn struct {
	renewedLease
	due   time.Time // when the work is due again
	work  func(ctx context.Context) error
	ended bool // whether the work returned before its context was done
}

// do does the work. A panic of the work is an error, because it would end the process.
func (t *turn) do(ctx context.Context) (err error) {
	defer func() {
		if value := recover(); value != nil {
			t.logPanic(ctx, &singleflight.PanicError{Value: value, Stack: debug.Stack()})
			err = fmt.Errorf("panic: %v", value)
		}
		t.ended = ctx.Err() == nil
	}()
	return t.work(ctx)
}

// Release makes the lease expire when the work is due again. If the work was cancelled,
// Release gives the lease back, so that another instance can do the work.
func (t *turn) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lease.Margin)
	defer cancel()
	kept := t.lease()
	kept.ExpiresAt = t.due
	var err error
	if t.ended {
		_, err = t.extend(ctx, kept)
	} else {
		err = t.releaseLease(ctx, kept)
	}
	if err != nil {
		t.log.WarnContext(ctx, "the lease of scheduled work was not released", "lease", t.name, "error", err)
	}
}
