package store

import (
	"context"
	"errors"
	"strings"

	"github.com/openlectern/openlectern/learning"
)

// errPanicked is the error of a transaction whose function did not return.
var errPanicked = errors.New("store: the function of a transaction panicked")

// observe begins a read. end is called when it has ended. learning.ErrNoRecord is no failure
// of a read.
func (p *pool) observe(ctx context.Context, action string) (inner context.Context, end func(error)) {
	if p.observer == nil {
		return ctx, ignoreEnd
	}
	ctx, done := p.observer.Begin(ctx, learning.Operation{Kind: learning.OperationRead, Name: action})
	return ctx, func(err error) {
		if errors.Is(err, learning.ErrNoRecord) {
			err = nil
		}
		done(learning.Outcome{Err: err})
	}
}

func ignoreEnd(error) {}

// observeTransaction begins a transaction with all its runs, which the caller counts in runs.
func (s *Store) observeTransaction(ctx context.Context) (inner context.Context, runs *int, end func(error)) {
	runs = new(int)
	if s.observer == nil {
		return ctx, runs, ignoreEnd
	}
	ctx, done := s.observer.Begin(ctx, learning.Operation{Kind: learning.OperationTransaction})
	return ctx, runs, func(err error) { done(learning.Outcome{Err: err, Runs: *runs}) }
}

// The changes of a lease that are observed.
const (
	leaseTaken     = "taken"
	leaseTakenOver = "taken_over"
	leaseLost      = "lost"
	leaseReleased  = "released"
)

// leaseChanged observes a change of a lease that takes effect with the transaction.
func (t *tx) leaseChanged(ctx context.Context, name, change string) {
	if t.observer != nil {
		t.AfterCommit(func() { t.observeLease(ctx, name, change) })
	}
}

// observeLease observes a change of a lease. The kind of a lease is its name up to the first
// colon, because an id follows.
func (t *tx) observeLease(ctx context.Context, name, change string) {
	if t.observer == nil {
		return
	}
	kind, _, _ := strings.Cut(name, ":")
	_, end := t.observer.Begin(ctx, learning.Operation{Kind: learning.OperationLease, Name: kind + "." + change})
	end(learning.Outcome{})
}
