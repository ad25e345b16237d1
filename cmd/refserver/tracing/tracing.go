// Package tracing sends the operations of a platform as spans of OpenTelemetry.
//
// Spans have ids of routes and names of calls. They have no path, no address of a client, no
// text of a user and no text of an error.
package tracing

import (
	"context"
	"fmt"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"
)

// endpoints are the variables of OpenTelemetry that say where traces are sent.
var endpoints = []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"}

// IsConfigured reports whether the environment says where traces are sent, and does not switch
// them off. The variables are those of OpenTelemetry.
func IsConfigured(getenv func(string) string) bool {
	if getenv("OTEL_SDK_DISABLED") == "true" || getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	for _, name := range endpoints {
		if getenv(name) != "" {
			return true
		}
	}
	return false
}

// Tracing sends spans. It is a [core.Observer]. It is safe for concurrent use.
type Tracing struct {
	provider *trace.TracerProvider
	tracer   api.Tracer
	context  propagation.TraceContext
}

// Start returns a Tracing that sends to the OTLP/HTTP receiver of the environment of the
// process. It does not fail if the receiver cannot be reached; failed receives the errors of
// sending. The caller must call Stop. Start must be called once in a process at most, because
// OpenTelemetry has one handler of errors.
func Start(ctx context.Context, version string, failed func(error)) (*Tracing, error) {
	// Sending happens in the background, so its errors have no other way to the caller.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(failed))
	// The exporter reads the variables of OpenTelemetry.
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	// Name the program.
	service, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "lectern"),
			attribute.String("service.version", version)),
		// so that OTEL_SERVICE_NAME replaces the name
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	// Spans are sent in batches.
	t := &Tracing{provider: trace.NewTracerProvider(trace.WithBatcher(exporter),
		trace.WithResource(service))}
	t.tracer = t.provider.Tracer("github.com/openlectern/openlectern/cmd/refserver")
	return t, nil
}

// Stop sends the spans that have ended, until ctx is done.
func (t *Tracing) Stop(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// hidden has empty values for the attributes of requests that may contain personal data or secrets:
// a path has ids, which for certificates nobody can guess. Package otelhttp adds them after its own
// values, which they replace.
var hidden = []attribute.KeyValue{
	attribute.String("url.path", ""), attribute.String("user_agent.original", ""),
	attribute.String("http.request.method_original", ""),
	attribute.String("client.address", ""), attribute.String("network.peer.address", ""),
	attribute.Int("network.peer.port", 0),
	attribute.String("server.address", ""),
}

// Middleware returns a handler that makes a span of each request, except those for which skip
// is true. The span continues the trace of the request's traceparent if isTrusted is true, and
// is linked to it otherwise, because a client could have all its requests recorded.
func (t *Tracing) Middleware(next http.Handler,
	isTrusted, skip func(*http.Request) bool) http.Handler {
	return otelhttp.NewHandler(next, "request",
		otelhttp.WithTracerProvider(t.provider), otelhttp.WithPropagators(t.context),
		// The name is a preliminary one: see endRequest.
		otelhttp.WithSpanNameFormatter(func(string, *http.Request) string { return "request" }),
		otelhttp.WithPublicEndpointFn(func(r *http.Request) bool { return !isTrusted(r) }),
		otelhttp.WithFilter(func(r *http.Request) bool { return !skip(r) }),
		otelhttp.WithSpanOptions(api.WithAttributes(hidden...)),
	)
}

// Transport returns a transport that sends requests by next, and passes the trace of each one to
// its receiver in the header traceparent.
func (t *Tracing) Transport(next http.RoundTripper) http.RoundTripper { return transport{t, next} }

type transport struct {
	*Tracing
	next http.RoundTripper
}

// RoundTrip sends a copy of r that has the header.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	t.context.Inject(r.Context(), propagation.HeaderCarrier(r.Header))
	return t.next.RoundTrip(r)
}
