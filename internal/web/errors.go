package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Failure is a failure of HTTP itself. It is the error that the functions of this package return
// for a request that is refused.
type Failure struct {
	Status     int
	Message    string
	Code       string        // a stable name, for programs: "route_not_found"
	RetryAfter time.Duration // 0 if a new attempt would fail too
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

// The failures of every API.
var (
	ErrRouteNotFound = &Failure{
		Status: http.StatusNotFound, Message: "Route not found", Code: "route_not_found",
	}
	ErrMethodNotAllowed = &Failure{
		Status: http.StatusMethodNotAllowed, Message: "Method not allowed",
		Code: "method_not_allowed",
	}
	ErrOriginNotAllowed = &Failure{
		Status: http.StatusForbidden, Message: "Origin not allowed", Code: "origin_not_allowed",
	}
	// ErrUnexpected is the failure of a handler that has returned an error which is not public.
	ErrUnexpected = &Failure{
		Status: http.StatusInternalServerError, Message: "An unexpected error occurred",
		Code: "unexpected_error",
	}
	// ErrPanicked is the failure of a handler that has panicked.
	ErrPanicked = &Failure{
		Status: http.StatusInternalServerError, Message: "Internal server error",
		Code: "internal_server_error",
	}
)

// statusGone is the status in the log of a request whose client left. The number is that of nginx.
const statusGone = 499

// Answer is what is answered to an error.
type Answer struct {
	Status     int
	Message    string
	Code       string         // as that of a Failure
	Title      string         // the part of Message that never varies; "" for all of it
	Detail     string         // the part that varies; "" for none
	Errors     []InvalidValue // the values of the request that are wrong
	RetryAfter time.Duration  // 0 for none
	IsExpected bool           // the cause was logged when the server started, and not again
	IsBusy     bool           // the database has refused the request because of other requests
}

// Answer returns what is answered to the failure.
func (f *Failure) Answer() Answer {
	return Answer{Status: f.Status, Message: f.Message, Code: f.Code, RetryAfter: f.RetryAfter}
}

// Fail writes the answer to an error and records its cause for the log. A cancelled request whose
// client left is no failure of the server: it has the status 499.
func (s *Server) Fail(w http.ResponseWriter, r *http.Request, err error) {
	answer, info := s.AnswerTo(r, err), InfoOf(r)
	if answer.RetryAfter != 0 {
		w.Header().Set("Retry-After", Seconds(answer.RetryAfter))
	}
	info.expected = answer.IsExpected
	// The log line has the cause of a 500, and of a 503 unless it was logged at the start. Other
	// failures are those of the client, and their message says enough.
	isInternal := answer.Status == http.StatusInternalServerError
	if isInternal || answer.Status == http.StatusServiceUnavailable && !answer.IsExpected {
		info.Cause = err
	}
	if isInternal && errors.Is(err, context.Canceled) && ClientLeft(r.Context()) {
		answer.Status = statusGone
	}
	s.writeFailure(w, r, answer)
}

// ClientLeft reports whether the context of a request was cancelled because its client left.
// net/http then cancels it without a cause of its own. A server that cancels requests when it stops
// must do so with another cause.
func ClientLeft(ctx context.Context) bool { return context.Cause(ctx) == context.Canceled }

// Seconds returns a duration for a header. It rounds up, so that a client that waits that long has
// waited long enough.
func Seconds(d time.Duration) string {
	return strconv.FormatInt(int64((max(d, 0)+time.Second-1)/time.Second), 10)
}
