package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// traceReceiver receives spans by OTLP/HTTP.
type traceReceiver struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*otlp.Span
	err   error
}

func receiveTraces(t *testing.T) *traceReceiver {
	t.Helper()
	r := &traceReceiver{}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP decodes the spans of a request.
func (r *traceReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	var message collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &message)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || request.URL.Path != "/v1/traces" {
		r.err = err
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, resource := range message.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

// named returns the span with a name.
func (r *traceReceiver) named(t *testing.T, name string) *otlp.Span {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, span := range r.spans {
		if span.Name == name {
			return span
		}
		names = append(names, span.Name)
	}
	t.Fatalf("no span %q in %q (%v)", name, names, r.err)
	return nil
}

// headerRecorder passes requests on to a provider and records one of their headers.
type headerRecorder struct {
	*httptest.Server
	mu     sync.Mutex
	values []string
}

func recordHeader(t *testing.T, provider, name string) *headerRecorder {
	t.Helper()
	target, err := url.Parse(provider)
	if err != nil {
		t.Fatal(err)
	}
	h := &headerRecorder{}
	proxy := httputil.NewSingleHostReverseProxy(target)
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.values = append(h.values, r.Header.Get(name))
		h.mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

// The exporter reads the environment of the process, so that this test cannot be parallel.
func TestTracing_PurchaseIsOneTrace(t *testing.T) {
	receiver, box := receiveTraces(t), providers(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.URL)
	env := configured(box, shop(t))
	env["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.URL
	gateway := recordHeader(t, env["LEARNING_GATEWAY_URL"], "traceparent")
	env["LEARNING_GATEWAY_URL"] = gateway.URL
	s := serve(t, env)
	token := join(t, box, s.url, sandbox.User{ID: "user_1"})
	if status := <-buy(t, s.url, token); status != http.StatusOK {
		t.Fatalf("the purchase is answered with %d", status)
	}
	_, _ = read(t, s.url+"/livez")
	if code := s.stop(t); code != 0 { // sends the last spans
		t.Fatalf("the server ended with %d", code)
	}
	request, order := receiver.named(t, "POST purchase.create"),
		receiver.named(t, "gateway.create_order")
	trace := hex.EncodeToString(request.TraceId)
	var inside []string
	for _, span := range receiver.spans {
		if slices.Equal(span.TraceId, request.TraceId) &&
			slices.Equal(span.ParentSpanId, request.SpanId) {
			inside = append(inside, span.Name)
		}
	}
	for _, name := range []string{"transaction", "gateway.create_order", "limit payment"} {
		if !slices.Contains(inside, name) {
			t.Errorf("inside the request are the spans %q, and no %s", inside, name)
		}
	}
	if want := "00-" + trace + "-" + hex.EncodeToString(order.SpanId) +
		"-01"; !slices.Contains(gateway.values, want) {
		t.Errorf("the gateway got traceparent %q, want %s", gateway.values, want)
	}
	if !strings.Contains(s.stderr.String(), `"trace_id":"`+trace+`"`) {
		t.Errorf("no log line has the trace %s", trace)
	}
	receiver.wantNothingPersonal(t, token)
}

// wantNothingPersonal fails if a span has a path, an address of a client, an id of a user or a
// token, or if a probe has a span.
func (r *traceReceiver) wantNothingPersonal(t *testing.T, token string) {
	t.Helper()
	for _, span := range r.spans {
		text := span.String()
		for _, secret := range []string{token, "user_1", "@example", "/api/", "127.0.0.1",
			"Go-http-client", "paid", "GET live"} {
			if strings.Contains(text, secret) {
				t.Errorf("a span contains %q: %s", secret, text)
			}
		}
	}
}

// A receiver that fails costs spans and no request.
func TestTracing_ReceiverFails_ServerWorksAndLogsIt(t *testing.T) {
	broken := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(broken.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", broken.URL)
	env := configured(providers(t), shop(t))
	env["OTEL_EXPORTER_OTLP_ENDPOINT"] = broken.URL
	s := serve(t, env)
	if status, _ := read(t, s.url+"/api/course/all"); status != http.StatusOK {
		t.Errorf("the list is answered with %d", status)
	}
	if code := s.stop(t); code != 0 ||
		!strings.Contains(s.stderr.String(), "traces were not sent") {
		t.Errorf("the server ended with %d:\n%s", code, s.stderr.String())
	}
}
