// Package schedule does work that one instance at a time does, about once in each interval.
package schedule

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// leaseLength is the length of the lease of scheduled work while an instance works. If
// the instance crashes, another one may do the work after this time.
const leaseLength = time.Minute

// Schedule is work that is due at each interval. Its lease is kept after the work until the work
// is due again, so that other instances skip it.
type Schedule struct {
	leases *lease.Leases
	name   string
	every  time.Duration
	work   func(ctx context.Context) error
	length time.Duration                           // of the lease while an instance works
	isDue  func(ctx context.Context) (bool, error) // see OnlyIf; nil: always
}

// New returns a schedule. Its name must differ from those of other work.
func New(
	leases *lease.Leases, name string, every time.Duration, work func(ctx context.Context) error,
) Schedule {
	return Schedule{leases: leases, name: name, every: every, work: work, length: leaseLength}
}

// WithLease returns s with a lease of the given length while an instance works, in place of a
// minute. After a crash the others wait for so long, so it is for work that must not wait.
func (s Schedule) WithLease(length time.Duration) Schedule {
	s.length = length
	return s
}

// OnlyIf returns s that asks isDue before it takes the lease, and works only if that is true or
// fails. It is for work that is tried often and has seldom something to do: a read costs less than
// a lease.
func (s Schedule) OnlyIf(isDue func(ctx context.Context) (bool, error)) Schedule {
	s.isDue = isDue
	return s
}

// FirstPause returns the pause between the start of an instance and its first try of work with an
// interval: about a minute, or an interval if that is shorter. It lets the instance start before it
// works, and is random so that instances do not try at the same time.
func FirstPause(every time.Duration) time.Duration {
	pause := min(every, time.Minute)
	return pause*4/5 + rand.N(pause*2/5+1) // 80 to 120 percent
}

// Loop tries to do the work again and again until ctx is done, for the first time after a
// pause.
func (s Schedule) Loop(ctx context.Context, pause time.Duration) {
	Loop(ctx, Work{Schedule: s, FirstPause: pause})
}

// Work is a schedule, and the pause between the start of an instance and its first try.
type Work struct {
	Schedule
	FirstPause time.Duration
}

// Loop tries to do each of several works again and again until ctx is done, and returns when none
// is done any more. A work has a goroutine only while it is done, so that a program with many
// schedules that wait has one for all of them.
func Loop(ctx context.Context, works ...Work) {
	type try struct {
		work  int           // its index
		pause time.Duration // until the next one
	}
	ended := make(chan try)
	running := 0
	next := make([]time.Time, len(works)) // zero while the work is tried
	for i, w := range works {
		next[i] = time.Now().Add(w.FirstPause)
	}
	for ctx.Err() == nil {
		// Try what is due, and find out what is due next.
		pause := time.Hour
		for i := range works {
			wait := time.Until(next[i])
			switch {
			case next[i].IsZero():
			case wait > 0:
				pause = min(pause, wait)
			default:
				next[i] = time.Time{}
				running++
				go func() { ended <- try{work: i, pause: works[i].RunIfDue(ctx)} }()
			}
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case t := <-ended:
			running--
			next[t.work] = time.Now().Add(t.pause)
		case <-ctx.Done():
		}
		timer.Stop()
	}
	for ; running > 0; running-- {
		<-ended
	}
}

// RunIfDue does the work if it is due and no other instance does it. The work is not due while the
// lease of the last run is kept: see Release. RunIfDue returns the pause until the next try. The
// pause ends when the lease expires, but after at most an interval. Up to a fifth of an interval is
// added at random, so that instances do not try at the same time.
func (s Schedule) RunIfDue(ctx context.Context) (pause time.Duration) {
	if s.isDue != nil {
		if isDue, err := s.isDue(ctx); err == nil && !isDue {
			return s.every + rand.N(s.every/5+1)
		}
	}
	r := &scheduledRun{
		Renewed:  s.leases.NewRenewed("schedule:"+s.name, s.length),
		schedule: s,
		due:      s.leases.Now().Add(s.every),
	}
	err := lease.Run(ctx, r, s.length, r.run) // calls r.Take, r.run and r.Release

	// Find out when to try next: when the work is due again, or when the lease of another instance
	// expires.
	next := r.due
	log := s.leases.Log.With("work", s.name)
	switch {
	case errors.Is(err, lease.ErrHeld):
		log.DebugContext(ctx,
			"scheduled work is skipped, because another instance does it or has done it")
		if !r.HeldUntil.IsZero() { // zero if the other instance was first by a moment
			next = r.HeldUntil
		}
	case err != nil && ctx.Err() == nil:
		log.WarnContext(ctx, "scheduled work failed and is tried again", "error", err)
	}
	return max(0, min(next.Sub(s.leases.Now()), s.every)) + rand.N(s.every/5+1)
}

// scheduledRun is one run of scheduled work, with its lease.
type scheduledRun struct {
	*lease.Renewed
	schedule Schedule
	due      time.Time // when the work is due again
	ended    bool      // whether the work returned before its context was done
}

// run does the work. A panic of the work is an error, because it would end the process.
func (r *scheduledRun) run(ctx context.Context) (err error) {
	defer func() {
		if value := recover(); value != nil {
			r.schedule.leases.Log.ErrorContext(ctx, "panic",
				"value", fmt.Sprint(value), "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", value)
		}
		r.ended = ctx.Err() == nil // read by Release
	}()
	return r.schedule.work(ctx)
}

// Release is called by lease.Run when the work has ended. It keeps the lease until the work is due
// again, so that no instance does the work before. If the work was cancelled, it gives the lease
// back, so that another instance can do the work.
func (r *scheduledRun) Release(ctx context.Context) {
	wasCancelled := !r.ended
	if wasCancelled {
		r.Renewed.Release(ctx)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lease.Margin)
	defer cancel()
	kept := r.Lease()
	kept.ExpiresAt = r.due
	// It does not matter whether another instance has taken the lease over: then that one keeps it.
	if _, err := r.schedule.leases.Extend(ctx, kept); err != nil {
		r.schedule.leases.Log.WarnContext(ctx, "the lease of scheduled work was not kept",
			"lease", kept.Name, "error", err)
	}
}
