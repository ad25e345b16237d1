package core

import (
	"errors"
	"time"

	"github.com/openlectern/openlectern/internal/record"
)

// Kind classifies an [Error]. The list is complete: a transport (HTTP, a queue, a
// command) maps each kind once.
type Kind uint8

// The kinds of failure.
const (
	Internal        Kind = iota // a failure of the platform or a provider; the caller may retry
	Invalid                     // the request itself is wrong
	Unauthenticated             // the caller is not signed in
	Forbidden                   // signed in, but not allowed
	NotFound                    // does not exist, or the caller may not know that it exists
	Conflict                    // valid, but not possible in the current state
	TooLarge                    // exceeds the limit of bytes
	RateLimited                 // too many requests
	Unavailable                 // a provider does not answer or is not configured
	NoSpace                     // the disk or the bucket is full
)

// Error is a failure that callers may see. Its message is public. Every other error
// is internal and is only logged.
type Error struct {
	Kind    Kind
	Code    string // stable, for programs: "course_not_found"
	Message string // for people: "Course not found"
}

// Error returns the public message.
func (e *Error) Error() string { return e.Message }

// RetryableError is a failure that the client may retry after After. It wraps Failure.
type RetryableError struct {
	Failure *Error
	After   time.Duration
}

// Error returns the public message.
func (p *RetryableError) Error() string { return p.Failure.Error() }

// Unwrap returns the failure.
func (p *RetryableError) Unwrap() error { return p.Failure }

// ImportError says why something that is imported or uploaded is refused, and what to do about it.
// It wraps Failure, such as that of a course package, a quiz or a file that is refused.
type ImportError struct {
	Failure *Error
	Reason  string
}

// Error returns the public message with the reason.
func (e *ImportError) Error() string { return e.Failure.Message + ": " + e.Reason }

// Unwrap returns the failure.
func (e *ImportError) Unwrap() error { return e.Failure }

// The failures that every operation may return. Front ends compare the texts, so that they do not
// change (docs/api.md §2). The rooms declare those of their nouns.
var (
	ErrInvalidRequest = &Error{Kind: Invalid, Code: "invalid_request",
		Message: "Invalid request data"}
	ErrUnauthenticated = &Error{Kind: Unauthenticated, Code: "unauthenticated",
		Message: "Unauthorized Access"}
	ErrForbidden = &Error{Kind: Forbidden, Code: "forbidden", Message: "Unauthorized Access"}
)

// ErrBusy means that the database did not answer in time, or that a transaction was given up
// because of others on the same rows. Nothing has changed. Errors of a store that mean this wrap
// it, and operations return them as they are, so that the log has the cause.
var ErrBusy = &RetryableError{
	Failure: &Error{Kind: Unavailable, Code: "busy",
		Message: "The server is busy. Please try again."},
	After: 5 * time.Second,
}

// Errors of a store. Operations convert them to public errors.
var (
	// ErrNoRecord means that the row does not exist.
	ErrNoRecord = record.ErrNone
	// ErrDuplicate means that a row with the same key exists. The transaction has failed.
	ErrDuplicate = record.ErrDuplicate
	// ErrUnknownOutcome means that COMMIT was sent and not answered, and that the store
	// could not find out whether the transaction has taken effect.
	ErrUnknownOutcome = errors.New(
		"learning: COMMIT was not answered; the transaction may have taken effect or not")
)

// Errors of the providers that verify webhooks.
var (
	// ErrInvalidWebhook means that the signature or the age of a webhook is wrong.
	ErrInvalidWebhook = errors.New("learning: invalid webhook message")
	// ErrMalformedEvent means that a provider has signed an event with invalid content, such
	// as one without a user id.
	ErrMalformedEvent = errors.New("learning: malformed event")
)
