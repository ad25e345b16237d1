package httpapi

import (
	"context"
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

// observe begins an operation for the observer; without one it does nothing. end must be called
// when the operation has ended, and the operation run with the context inner.
func (a *api) observe(ctx context.Context, kind core.OperationKind,
	name string) (inner context.Context, end func(error)) {
	observer := a.platform.Observer()
	if observer == nil {
		return ctx, func(error) {}
	}
	ctx, done := observer.Begin(ctx, core.Operation{Kind: kind, Name: name})
	return ctx, func(err error) { done(core.Outcome{Err: err}) }
}

// observeRequest begins the operation of a request for the observer; without one it does nothing.
// end is called when the answer is written, with its status and the bytes of its body.
func (a *api) observeRequest(r *http.Request) (inner context.Context,
	end func(*web.Info, int, int64)) {
	observer := a.platform.Observer()
	if observer == nil {
		return r.Context(), func(*web.Info, int, int64) {}
	}
	request := core.Operation{Kind: core.OperationRequest, Name: methodName(r.Method)}
	ctx, done := observer.Begin(r.Context(), request)
	return ctx, func(info *web.Info, status int, bytes int64) {
		done(core.Outcome{Err: info.Cause, Route: info.Route, Status: status, Bytes: bytes})
	}
}

// methodName returns a method, or "other" for one that a client has invented.
func methodName(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return method
	}
	return "other"
}
