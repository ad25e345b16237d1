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
		Code: "not_json",
	}
	errNotMultipart = &web.Failure{
		Status:  http.StatusUnsupportedMediaType,
		Message: "Content-Type must be multipart/form-data",
		Code:    "not_multipart",
	}
	// errMalformedJSON is the failure of a body, or of a part of one, that is no JSON.
	errMalformedJSON = &web.Failure{Status: http.StatusBadRequest,
		Message: core.ErrInvalidRequest.Message, Code: "malformed_json"}
	// errBodyEnded is the failure of a body that ends early, or of a form that is none.
	errBodyEnded = &web.Failure{Status: http.StatusBadRequest,
		Message: core.ErrInvalidRequest.Message, Code: "malformed_body"}
	// errRefusedByHost is the failure of an operation that a function of the host has refused: see
	// [core.HostError].
	errRefusedByHost = &web.Failure{Status: http.StatusInternalServerError,
		Message: web.ErrUnexpected.Message, Code: "refused_by_host"}
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

// failureOf returns the answer to an error, without what depends on the request. An error that is
// not public is 500 with a fixed message, and only the log has its cause.
func failureOf(err error) web.Answer {
	if refused, ok := errors.AsType[*core.ImportError](err); ok {
		return web.Answer{Status: statuses[refused.Failure.Kind], Message: refused.Error(),
			Title: refused.Failure.Message, Detail: refused.Reason, Code: refused.Failure.Code}
	}
	public, ok := errors.AsType[*core.Error](err)
	if ok && public.Kind != core.Internal {
		answer := web.Answer{Status: statuses[public.Kind], Message: public.Message,
			Code: public.Code}
		if retryable, ok := errors.AsType[*core.RetryableError](err); ok {
			answer.RetryAfter = retryable.After
		}
		return answer
	}
	if own, ok := errors.AsType[*web.Failure](err); ok {
		return own.Answer()
	}
	if _, ok := errors.AsType[*core.HostError](err); ok {
		return errRefusedByHost.Answer()
	}
	if _, ok := errors.AsType[*singleflight.PanicError](err); ok {
		return web.ErrPanicked.Answer()
	}
	return web.ErrUnexpected.Answer()
}

// answerTo returns what is answered to an error of a request. Package web calls it for each
// failure.
func (a *api) answerTo(r *http.Request, err error) web.Answer {
	answer := failureOf(err)
	answer.IsExpected, answer.IsBusy = a.isNotConfigured(err), errors.Is(err, core.ErrBusy)
	if web.WantsProblem(r) { // no other answer has them
		answer.Errors = a.placesOf(web.InfoOf(r).Route, err)
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
		a.server.Log.Info("some routes answer 503", "reason", missing.Message, "routes", routes)
	}
}
