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

// IsRefused reports whether err is a refusal by a rule, so that the same call fails again until
// something else has changed: a user is missing, a coupon has expired. What was asked for has not
// happened then. A worker gives such a call up, and repeats it after any other error: the database
// or a provider did not answer, or the outcome is unknown ([ErrUnknownOutcome]).
func IsRefused(err error) bool {
	refusal, isPublic := errors.AsType[*Error](err)
	if !isPublic {
		return false
	}
	switch refusal.Kind {
	case Invalid, Unauthenticated, Forbidden, NotFound, Conflict, TooLarge:
		_, mayRetry := errors.AsType[*RetryableError](err)
		return !mayRetry
	default: // Internal, RateLimited, Unavailable, NoSpace
		return false
	}
}
