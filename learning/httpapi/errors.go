package httpapi

import (
	"errors"
	"net/http"

	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

// The failures of HTTP that package web does not have (docs/api.md §2).
var (
	errNotJSON = &web.Failure{
		Status: http.StatusUnsupportedMediaType, Message: "Content-Type must be application/json",
	}
	errNotMultipart = &web.Failure{
		Status:  http.StatusUnsupportedMediaType,
		Message: "Content-Type must be multipart/form-data",
	}
)

// statuses maps each kind of public failure to its HTTP status.
var statuses = map[core.Kind]int{
	core.Internal:        http.StatusInternalServerError,
	core.Invalid:         http.StatusBadRequest,
	core.Unauthenticated: http.StatusUnauthorized,
	core.Forbidden:       http.StatusForbidden,
	core.NotFound:        http.StatusNotFound,
	core.Conflict:        http.StatusConflict,
	core.TooLarge:        http.StatusRequestEntityTooLarge,
	core.RateLimited:     http.StatusTooManyRequests,
	core.Unavailable:     http.StatusServiceUnavailable,
	core.NoSpace:         http.StatusInsufficientStorage,
}

// statusOf returns the status and the message for an error. An error that is not public is
// 500 with a fixed message, and only the log has its cause.
func statusOf(err error) (status int, message string) {
	if refused, ok := errors.AsType[*core.ImportError](err); ok {
		return statuses[refused.Failure.Kind], refused.Error()
	}
	var public *core.Error
	if errors.As(err, &public) && public.Kind != core.Internal {
		return statuses[public.Kind], public.Message
	}
	if own, ok := errors.AsType[*web.Failure](err); ok {
		return own.Status, own.Message
	}
	if _, ok := errors.AsType[*singleflight.PanicError](err); ok {
		return http.StatusInternalServerError, web.Panicked
	}
	return http.StatusInternalServerError, web.Unexpected
}

// answerTo returns what is answered to an error. Package web calls it for each failure.
func (a *api) answerTo(err error) web.Answer {
	answer := web.Answer{IsExpected: a.isNotConfigured(err),
		IsBusy: errors.Is(err, core.ErrBusy)}
	answer.Status, answer.Message = statusOf(err)
	// Two types of errors say when a new attempt may succeed.
	if retryable, ok := errors.AsType[*core.RetryableError](err); ok {
		answer.RetryAfter = retryable.After
	} else if own, ok := errors.AsType[*web.Failure](err); ok {
		answer.RetryAfter = own.RetryAfter
	}
	return answer
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

// logNotConfigured logs, once for each provider that is not configured, which routes answer 503
// because of it.
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
		a.server.Log.Warn("some routes answer 503", "reason", missing.Message, "routes", routes)
	}
}
