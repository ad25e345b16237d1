package tracing

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

var _ core.Observer = (*Tracing)(nil)

// Begin implements [core.Observer]. The span of a request is that of [Tracing.Middleware];
// its route is added when it has ended. A change of a lease is an event of the span around it.
func (t *Tracing) Begin(ctx context.Context,
	op core.Operation) (context.Context, func(core.Outcome)) {
	// Requests and leases have no span of their own.
	switch op.Kind {
	case core.OperationRequest:
		span := trace.SpanFromContext(ctx)
		return ctx, func(out core.Outcome) { endRequest(span, op.Name, out) }
	case core.OperationLease:
		trace.SpanFromContext(ctx).AddEvent("lease " + op.Name)
		return ctx, func(core.Outcome) {}
	}
	// All others have one, below that of the caller.
	ctx, span := t.tracer.Start(ctx, spanName(op), trace.WithSpanKind(spanKind(op.Kind)))
	return ctx, func(out core.Outcome) {
		describe(span, op.Kind, out)
		span.End()
	}
}

// spanName returns the name of the span of an operation. Transactions have no names.
func spanName(op core.Operation) string {
	switch op.Kind {
	case core.OperationTransaction:
		return "transaction"
	case core.OperationLimit, core.OperationList:
		return string(op.Kind) + " " + op.Name
	}
	return op.Name
}

// spanKind returns the kind of the span of an operation: internal for limits and lists, and client
// for reads, transactions and calls of providers, which wait for another server.
func spanKind(kind core.OperationKind) trace.SpanKind {
	if kind == core.OperationLimit || kind == core.OperationList {
		return trace.SpanKindInternal
	}
	return trace.SpanKindClient
}

// endRequest names the span of a request, which the middleware ends, after the route: before the
// answer the route was not known. An unknown path has none. method is the name of the operation.
func endRequest(span trace.Span, method string, out core.Outcome) {
	if out.Route == "" {
		span.SetName(method)
		return
	}
	span.SetName(method + " " + out.Route)
	span.SetAttributes(attribute.String("lectern.route", out.Route))
}

// describe adds the result of an operation to its span.
func describe(span trace.Span, kind core.OperationKind, out core.Outcome) {
	switch kind {
	case core.OperationTransaction:
		span.SetAttributes(attribute.Int("lectern.transaction.runs", out.Runs))
	case core.OperationProvider:
		if out.Usage != (core.AIUsage{}) {
			span.SetAttributes(attribute.Int64("gen_ai.usage.input_tokens", out.Usage.Prompt),
				attribute.Int64("gen_ai.usage.output_tokens", out.Usage.Completion))
		}
	}
	if out.Err != nil {
		span.SetStatus(codes.Error, errorKind(out.Err))
	}
}

// errorKind says what kind of error err is: that of its context, the code that a client gets, or
// error. The text of an error is not part of a span.
func errorKind(err error) string {
	public, isPublic := errors.AsType[*learning.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case isPublic:
		return public.Code
	}
	return "error"
}
