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
	Code       string        // a stable name; "" for that of the status
	RetryAfter time.Duration // 0 if a new attempt would fail too
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

// The failures of every API.
var (
	ErrRouteNotFound    = &Failure{Status: http.StatusNotFound, Message: "Route not found"}
	ErrMethodNotAllowed = &Failure{Status: http.StatusMethodNotAllowed,
		Message: "Method not allowed"}
	ErrOriginNotAllowed = &Failure{
		Status: http.StatusForbidden, Message: "Origin not allowed", Code: "origin_not_allowed",
	}
	ErrUnexpected = &Failure{Status: http.StatusInternalServerError, Message: Unexpected}
)

// The fixed texts of 500.
const (
	Unexpected = "An unexpected error occurred" // a handler failed
	Panicked   = "Internal server error"        // a handler panicked
)

// statusGone is the status in the log of a request whose client left. The number is that of nginx.
const statusGone = 499

// Answer is what is answered to an error.
type Answer struct {
	Status     int
	Message    string
	RetryAfter time.Duration // 0 for none
	IsExpected bool          // the cause was logged when the server started, and not again
	IsBusy     bool          // the database has refused the request because of other requests
}

// Fail writes the answer to an error and records its cause for the log. A cancelled request whose
// client left is no failure of the server: it has the status 499.
func (s *Server) Fail(w http.ResponseWriter, r *http.Request, err error) {
	answer, info := s.AnswerTo(err), InfoOf(r)
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
	WriteJSON(w, answer.Status, s.FailureBody(r, answer.Message))
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
