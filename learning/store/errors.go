package store

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning"
)

// ErrTimeout is the error of a read or a transaction that did not end within its
// deadline: see [WithDeadlines]. It matches [learning.ErrBusy] and [context.DeadlineExceeded].
var ErrTimeout error = &busyError{
	fmt.Errorf("store: the database did not answer in time: %w", context.DeadlineExceeded),
}

// busyError is an error that means [learning.ErrBusy] too.
type busyError struct{ error }

// Unwrap returns the error and [learning.ErrBusy].
func (b *busyError) Unwrap() []error { return []error{b.error, learning.ErrBusy} }

// noRecord returns the error of an action that did not find its row.
func noRecord(action string) error { return fmt.Errorf("%s: %w", action, learning.ErrNoRecord) }

// firstError returns the first error that is not nil, or nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
