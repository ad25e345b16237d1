package core

import (
	"errors"
	"fmt"
)

// Wrap returns err with the action before it. It returns nil and a public error (see IsPublic)
// unchanged, because the text of a public error is part of the API.
func Wrap(action string, err error) error {
	if err == nil || IsPublic(err) {
		return err
	}
	return fmt.Errorf("%s: %w", action, err)
}

// IsPublic reports whether err is or wraps an [*Error], which says why an operation was refused.
// The one that [ErrBusy] wraps does not count: it says nothing about the operation, only about the
// database.
func IsPublic(err error) bool {
	public, found := errors.AsType[*Error](err)
	return found && public != ErrBusy.Failure
}

// IsRateLimited reports whether err is or wraps an [*Error] of the kind RateLimited.
func IsRateLimited(err error) bool {
	public, found := errors.AsType[*Error](err)
	return found && public.Kind == RateLimited
}
