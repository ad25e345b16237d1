package core

import (
	"context"
	"errors"
	"time"
)

// Sweep is the saved position of a scan that is spread over several runs. A scan that has reached
// its end is followed by one that begins at the start.
type Sweep struct {
	Name      string
	StartedAt time.Time
	After     Position // the last row that was looked at
}

// BeginSweep reads the sweep with the name of first. If there is none, it stores first and returns
// it.
func BeginSweep[T SweepTx](
	ctx context.Context, r SweepReader, base Base[T], first Sweep,
) (Sweep, error) {
	s, err := r.Sweep(ctx, first.Name)
	if !errors.Is(err, ErrNoRecord) {
		return s, err
	}
	err = base.InTx(ctx, func(tx T) error { return tx.InsertSweep(ctx, first) })
	if errors.Is(err, ErrDuplicate) { // another instance was first
		return r.Sweep(ctx, first.Name)
	}
	return first, err
}

// IfDue calls do if that has not succeeded for the time every, which is 0 for always. The time of
// the last success is kept as the start of a sweep with a name.
func IfDue[T SweepTx](ctx context.Context, r SweepReader, base Base[T], name string,
	every time.Duration, do func() error) error {
	if every == 0 {
		return do()
	}
	now := base.Now()
	last, err := BeginSweep(ctx, r, base, Sweep{Name: name, StartedAt: now.Add(-every)})
	if err != nil {
		return Wrap("read when work was done last", err)
	}
	if now.Before(last.StartedAt.Add(every)) {
		return nil
	}
	if err := do(); err != nil {
		return err
	}
	err = base.InTx(ctx, func(tx T) error {
		tx.Repeatable() // a second run finds the sweep moved
		next := last
		next.StartedAt = now
		_, err := tx.MoveSweep(ctx, last, next) // false if a concurrent run has moved it
		return err
	})
	return Wrap("store when work was done", err)
}

// SweepReader reads sweeps.
type SweepReader interface {
	Sweep(ctx context.Context, name string) (Sweep, error)
}

// SweepWriter writes sweeps.
type SweepWriter interface {
	// InsertSweep adds a sweep. It returns [ErrDuplicate] if there is one of this name.
	InsertSweep(ctx context.Context, s Sweep) error
	// MoveSweep sets the start and the position of a sweep to those of s, if they are those of
	// from. It reports whether it did.
	MoveSweep(ctx context.Context, from, s Sweep) (bool, error)
}

// SweepTx is a transaction that writes sweeps.
type SweepTx interface {
	Tx
	SweepWriter
}
