package sqldb

import (
	"context"
	"errors"
	"fmt"
)

// Errors are the errors that the operations of a [DB] return, in addition to those of the drivers.
// The caller gives them, because it has errors of its own with these meanings.
type Errors struct {
	NoRow          error // a statement that must read or change a row has found none
	Duplicate      error // a unique key has the value
	Busy           error // the operation was given up because of others, or did not end in time
	Timeout        error // see [NewTimeout]
	UnknownOutcome error // COMMIT was not answered, and its outcome was not found out
}

// NewTimeout returns an error for Errors.Timeout. It matches busy, the value of Errors.Busy, and
// [context.DeadlineExceeded].
func NewTimeout(text string, busy error) error {
	return &busyError{fmt.Errorf("%s: %w", text, context.DeadlineExceeded), busy}
}

// busyError is an error that means busy too.
type busyError struct {
	error
	busy error
}

// Unwrap returns both errors.
func (b *busyError) Unwrap() []error { return []error{b.error, b.busy} }

// errPanicked is the error of a transaction whose function did not return.
var errPanicked = errors.New("store: the function of a transaction panicked")

// firstError returns the first error that is not nil, or nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
