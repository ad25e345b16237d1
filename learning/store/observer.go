package store

import (
	"context"
	"errors"
	"strings"

	"github.com/openlectern/openlectern/learning"
)

// observeRead returns the ObserveRead of sqldb.Config that reports each read to o. The context that
// it returns is that of the read, and the function must be called with the read's error when it has
// ended. learning.ErrNoRecord is no failure of a read.
func observeRead(
	o learning.Observer,
) func(ctx context.Context, action string) (context.Context, func(error)) {
	return func(ctx context.Context, action string) (context.Context, func(error)) {
		ctx, end := o.Begin(ctx, learning.Operation{Kind: learning.OperationRead, Name: action})
		return ctx, func(err error) {
			if errors.Is(err, learning.ErrNoRecord) {
				err = nil
			}
			end(learning.Outcome{Err: err})
		}
	}
}

// observeTx returns the ObserveTx of sqldb.Config that reports each transaction, with all its runs,
// to o.
func observeTx(
	o learning.Observer,
) func(ctx context.Context) (context.Context, func(err error, runs int)) {
	return func(ctx context.Context) (context.Context, func(error, int)) {
		ctx, end := o.Begin(ctx, learning.Operation{Kind: learning.OperationTransaction})
		return ctx, func(err error, runs int) { end(learning.Outcome{Err: err, Runs: runs}) }
	}
}

// The changes of a lease that are observed.
const (
	leaseTaken     = "taken"
	leaseTakenOver = "taken_over"
	leaseLost      = "lost"
	leaseReleased  = "released"
)

// leaseChanged reports a change of a lease to the observer after the transaction is committed,
// because it takes effect with it.
func (t *tx) leaseChanged(ctx context.Context, name, change string) {
	if t.observer != nil {
		t.AfterCommit(func() { t.observeLease(ctx, name, change) })
	}
}

// observeLease reports a change of a lease to the observer at once, if there is one. The kind of a
// lease is its name up to the first colon, because an id follows.
func (t *tx) observeLease(ctx context.Context, name, change string) {
	if t.observer == nil {
		return
	}
	kind, _, _ := strings.Cut(name, ":")
	_, end := t.observer.Begin(ctx,
		learning.Operation{Kind: learning.OperationLease, Name: kind + "." + change})
	end(learning.Outcome{}) // the change is an event without a duration or an error
}
