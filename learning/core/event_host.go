package core

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// HostTx is the transaction of a change, as a function of WithInTransaction gets it. Function SQL
// of package store returns what runs statements in it. It must not be used after the function has
// returned.
type HostTx interface {
	// AfterCommit registers a function to call after the commit. It is not called for a run of the
	// transaction that was rolled back. It must not panic.
	AfterCommit(func())
}

// HostFunc is a function of a host that runs inside transactions: see WithInTransaction of package
// learning.
type HostFunc func(ctx context.Context, tx HostTx, events []Event) error

// HostError is the error of an operation that was rolled back because a [HostFunc] returned an
// error or panicked. It is an internal error: a caller of the API gets a 500, and the log has the
// cause. It hides the cause from [errors.Is], so that an error of the host, such as a missing row,
// is never taken for one of the platform. If the cause is that the database is busy or that the
// context of the operation is done, it matches [ErrBusy] or the error of the context, as the error
// of any other operation does.
type HostError struct {
	Events []EventType // of the change
	Err    error       // what the function returned
}

// Error names the types of the events and the cause.
func (e *HostError) Error() string {
	types := make([]string, len(e.Events))
	for i, t := range e.Events {
		types[i] = string(t)
	}
	return fmt.Sprintf("the host's function for %s: %v", strings.Join(types, ", "), e.Err)
}

// Unwrap returns the part of the cause that the platform knows, or nil.
func (e *HostError) Unwrap() error {
	for _, known := range []error{ErrBusy, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(e.Err, known) {
			return known
		}
	}
	return nil
}
