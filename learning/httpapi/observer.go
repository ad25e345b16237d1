package httpapi

import (
	"context"
	"net/http"

	"github.com/openlectern/openlectern/learning"
)

// observe begins an operation. end is called when it has ended.
func (a *api) observe(ctx context.Context, kind learning.OperationKind, name string) (inner context.Context, end func(error)) {
	if a.observer == nil {
		return ctx, func(error) {}
	}
	ctx, done := a.observer.Begin(ctx, learning.Operation{Kind: kind, Name: name})
	return ctx, func(err error) { done(learning.Outcome{Err: err}) }
}

// observeRequest begins the operation of a request. end is called when the answer is written.
func (a *api) observeRequest(r *http.Request) (inner context.Context, end func(*requestInfo, *recorder)) {
	if a.observer == nil {
		return r.Context(), func(*requestInfo, *recorder) {}
	}
	ctx, done := a.observer.Begin(r.Context(), learning.Operation{Kind: learning.OperationRequest, Name: methodName(r.Method)})
	return ctx, func(n *requestInfo, rec *recorder) {
		done(learning.Outcome{Err: n.cause, Route: n.route, Status: rec.status, Bytes: rec.bytes})
	}
}

// methodName returns a method, or "other" for one that a client has invented.
func methodName(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodConnect, http.MethodOptions, http.MethodTrace:
		return method
	}
	return "other"
}
