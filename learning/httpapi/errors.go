package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/learning"
)

// failure is a failure of HTTP itself, which package learning does not have.
type failure struct {
	status  int
	message string
}

func (f *failure) Error() string { return f.message }

// The failures of HTTP (docs/api.md §2). All others are in package learning.
var (
	errRouteNotFound    = &failure{http.StatusNotFound, "Route not found"}
	errMethodNotAllowed = &failure{http.StatusMethodNotAllowed, "Method not allowed"}
	errOriginNotAllowed = &failure{http.StatusForbidden, "Origin not allowed"}
	errBodyTooLarge     = &failure{http.StatusRequestEntityTooLarge, "Request body too large"}
	errNotJSON          = &failure{http.StatusUnsupportedMediaType, "Content-Type must be application/json"}
	errUnexpected       = &failure{http.StatusInternalServerError, unexpected}
	errNotMultipart     = &failure{http.StatusUnsupportedMediaType, "Content-Type must be multipart/form-data"}
)

// The fixed texts of 500 (docs/api.md §2).
const (
	unexpected = "An unexpected error occurred" // a handler failed
	panicked   = "Internal server error"        // a handler panicked
)

// statuses maps each kind of public failure to its HTTP status.
var statuses = map[learning.Kind]int{
	learning.Internal:        http.StatusInternalServerError,
	learning.Invalid:         http.StatusBadRequest,
	learning.Unauthenticated: http.StatusUnauthorized,
	learning.Forbidden:       http.StatusForbidden,
	learning.NotFound:        http.StatusNotFound,
	learning.Conflict:        http.StatusConflict,
	learning.TooLarge:        http.StatusRequestEntityTooLarge,
	learning.RateLimited:     http.StatusTooManyRequests,
	learning.Unavailable:     http.StatusServiceUnavailable,
}

// answerTo returns the status and the message for an error. An error that is not public is
// 500 with a fixed message, and only the log has its cause.
func answerTo(err error) (status int, message string) {
	var public *learning.Error
	if errors.As(err, &public) && public.Kind != learning.Internal {
		return statuses[public.Kind], public.Message
	}
	var own *failure
	if errors.As(err, &own) {
		return own.status, own.message
	}
	if _, ok := errors.AsType[*singleflight.PanicError](err); ok {
		return http.StatusInternalServerError, panicked
	}
	return http.StatusInternalServerError, unexpected
}

// fail writes the answer to an error and records its cause for the log.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, message := answerTo(err)
	if retryable, ok := errors.AsType[*learning.RetryableError](err); ok {
		w.Header().Set("Retry-After", seconds(retryable.After))
	}
	n := infoOf(r)
	n.known = a.isNotConfigured(err)
	if status == http.StatusInternalServerError || status == http.StatusServiceUnavailable && !n.known {
		n.cause = err
	}
	if status == http.StatusInternalServerError && errors.Is(err, context.Canceled) && clientLeft(r.Context()) {
		status = statusGone
	}
	writeFailure(w, r, status, message)
}

// isNotConfigured reports whether err means that a provider is not configured. That is
// logged at the start, so it is not logged as an error of each request.
func (a *api) isNotConfigured(err error) bool {
	for _, missing := range a.notConfigured {
		if errors.Is(err, missing) {
			return true
		}
	}
	return false
}

// logNotConfigured logs which routes answer that a provider is not configured.
func (a *api) logNotConfigured(rows []Route) {
	for _, missing := range a.notConfigured {
		var routes []string
		for _, row := range rows {
			for _, err := range row.failures() {
				if errors.Is(err, missing) {
					routes = append(routes, row.ID)
				}
			}
		}
		a.log.Warn("some routes answer 503", "reason", missing.Message, "routes", routes)
	}
}

// clientLeft reports whether a request was cancelled because its client left. A server that
// cancels requests itself, when it stops, does so with another cause.
func clientLeft(ctx context.Context) bool { return context.Cause(ctx) == context.Canceled }

// statusGone is the status in the log of a request whose client left.
const statusGone = 499
