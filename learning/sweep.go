package learning

import (
	"context"
	"time"
)

// Sweep is how far a walk over many rows has come that takes several runs. When it has come
// to its end, the next one begins at the start.
type Sweep struct {
	Name      string
	StartedAt time.Time
	After     Position // the last row that was looked at
}

// sweepReader reads sweeps.
type sweepReader interface {
	Sweep(ctx context.Context, name string) (Sweep, error)
}

// sweepWriter writes sweeps.
type sweepWriter interface {
	// InsertSweep adds a sweep. It returns [ErrDuplicate] if there is one of this name.
	InsertSweep(ctx context.Context, s Sweep) error
	// MoveSweep sets the start and the position of a sweep to those of s, if they are those of
	// from. It reports whether it did.
	MoveSweep(ctx context.Context, from, s Sweep) (bool, error)
}
