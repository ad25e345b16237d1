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
