package store

import (
	"context"
	"errors"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
)

// observeRead returns the ObserveRead of sqldb.Config that reports each read to o. The context that
// it returns is that of the read, and the function must be called with the read's error when it has
// ended. core.ErrNoRecord is no failure of a read.
func observeRead(
	o core.Observer,
) func(ctx context.Context, action string) (context.Context, func(error)) {
	return func(ctx context.Context, action string) (context.Context, func(error)) {
		ctx, end := o.Begin(ctx, core.Operation{Kind: core.OperationRead, Name: action})
		return ctx, func(err error) {
			if errors.Is(err, core.ErrNoRecord) {
				err = nil
			}
			end(core.Outcome{Err: err})
		}
	}
}

// observeTx returns the ObserveTx of sqldb.Config that reports each transaction, with all its runs,
// to o.
func observeTx(
	o core.Observer,
) func(ctx context.Context) (context.Context, func(err error, runs int)) {
	return func(ctx context.Context) (context.Context, func(error, int)) {
		ctx, end := o.Begin(ctx, core.Operation{Kind: core.OperationTransaction})
		return ctx, func(err error, runs int) { end(core.Outcome{Err: err, Runs: runs}) }
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
		core.Operation{Kind: core.OperationLease, Name: kind + "." + change})
	end(core.Outcome{}) // the change is an event without a duration or an error
}
