package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

func TestIsConfigured_FollowsTheVariablesOfOpenTelemetry(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, true},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"},
			true},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
			"OTEL_SDK_DISABLED": "true"}, false},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
			"OTEL_TRACES_EXPORTER": "none"}, false},
	} {
		if got := IsConfigured(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: got %v", c.env, got)
		}
	}
}

// recorded returns a Tracing whose spans are recorded.
func recorded() (*Tracing, *tracetest.SpanRecorder) {
	spans := tracetest.NewSpanRecorder()
	t := &Tracing{provider: trace.NewTracerProvider(trace.WithSpanProcessor(spans))}
	t.tracer = t.provider.Tracer("test")
	return t, spans
}

const remote = "4bf92f3577b34da6a3ce929d0e0e4736"

// serve answers one request that has a traceparent, and returns its span.
func serve(t *testing.T, isTrusted bool) trace.ReadOnlySpan {
	t.Helper()
	tracing, spans := recorded()
	handler := tracing.Middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, end := tracing.Begin(r.Context(),
			core.Operation{Kind: core.OperationRequest, Name: "GET"})
		end(core.Outcome{Route: "course.get", Status: http.StatusOK})
	}), func(*http.Request) bool { return isTrusted },
		func(r *http.Request) bool { return r.URL.Path == "/probe" })
	for _, path := range []string{"/probe", "/api/course/secret-id"} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Traceparent", "00-"+remote+"-00f067aa0ba902b7-01")
		r.Header.Set("User-Agent", "ada@example.com")
		r.Header.Set("X-Forwarded-For", "203.0.113.9")
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	if n := len(spans.Ended()); n != 1 {
		t.Fatalf("%d spans", n)
	}
	return spans.Ended()[0]
}

func TestMiddleware_ContinuesTheTraceOfATrustedProxyOnly(t *testing.T) {
	if span := serve(t, true); span.SpanContext().TraceID().String() != remote ||
		span.Name() != "GET course.get" {
		t.Errorf("behind a proxy: %s of trace %s", span.Name(), span.SpanContext().TraceID())
	}
	span := serve(t, false)
	if span.SpanContext().TraceID().String() == remote || len(span.Links()) != 1 {
		t.Errorf("without a proxy: trace %s with the links %v", span.SpanContext().TraceID(),
			span.Links())
	}
}

func TestMiddleware_SpanHasNoPersonalData(t *testing.T) {
	for _, a := range serve(t, true).Attributes() {
		for _, secret := range []string{"secret-id", "@", "203.0.113.9", "192.0.2.1"} {
			if strings.Contains(a.Value.String(), secret) {
				t.Errorf("the attribute %s is %q", a.Key, a.Value.String())
			}
		}
	}
}

func TestBegin_ErrorsByTheirKindOnly(t *testing.T) {
	for want, err := range map[string]error{
		"error":              errors.New("ada@example.com"),
		"timeout":            fmt.Errorf("late: %w", context.DeadlineExceeded),
		"canceled":           context.Canceled,
		tutor.ErrAIBusy.Code: fmt.Errorf("ask: %w", tutor.ErrAIBusy),
	} {
		tracing, spans := recorded()
		_, end := tracing.Begin(t.Context(),
			core.Operation{Kind: core.OperationProvider, Name: "ai.complete"})
		end(core.Outcome{Err: err})
		if got := spans.Ended()[0]; got.Status().Description != want ||
			got.Name() != "ai.complete" || len(got.Events()) != 0 {
			t.Errorf("%v: got %s with %q", err, got.Name(), got.Status().Description)
		}
	}
}

func TestLogHandler_AddsTheTrace(t *testing.T) {
	tracing, _ := recorded()
	var out strings.Builder
	log := slog.New(LogHandler(slog.NewTextHandler(&out, nil))).With("a", 1)
	log.InfoContext(t.Context(), "outside")
	ctx, end := tracing.Begin(t.Context(), core.Operation{Kind: core.OperationTransaction})
	log.InfoContext(ctx, "inside")
	end(core.Outcome{})
	first, second, _ := strings.Cut(out.String(), "\n")
	if strings.Contains(first, "trace_id") || !strings.Contains(second, "trace_id=") ||
		!strings.Contains(second, "span_id=") {
		t.Errorf("got %s", out.String())
	}
}
