package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// namespace is the prefix of the names.
const namespace = "lectern"

// Upper bounds of the buckets of durations, in seconds: of operations of the server itself, and
// of those that may wait for a provider.
var (
	fast = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	slow = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
)

// sizes are the upper bounds of the buckets of answers, in bytes.
var sizes = prometheus.ExponentialBuckets(256, 4, 9) // 256 B to 16 MiB, each four times the last

// keeper makes metrics and keeps them in a list. Its methods with labels return a metric for each
// combination of their values.
type keeper struct{ kept *[]prometheus.Collector }

func (k keeper) keep(c prometheus.Collector) { *k.kept = append(*k.kept, c) }

func (k keeper) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	k.keep(g)
	return g
}

func (k keeper) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help},
		labels)
	k.keep(g)
	return g
}

func (k keeper) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	k.keep(c)
	return c
}

func (k keeper) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name,
		Help: help}, labels)
	k.keep(c)
	return c
}

// fromZero creates a counter at 0 for each of lastValues, which are all values of the last label.
// labels are the values of the labels before it. Counters that exist stay as they are. Prometheus
// measures how much a counter grows, so it does not see the first event of a counter that begins to
// exist with that event.
func fromZero(c *prometheus.CounterVec, lastValues []string, labels ...string) {
	for _, value := range lastValues {
		c.WithLabelValues(append(slices.Clip(labels), value)...) // Clip, so that append copies
	}
}

func (k keeper) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name,
		Help: help, Buckets: buckets})
	k.keep(h)
	return h
}

func (k keeper) histograms(name, help string, buckets []float64,
	labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name,
		Help: help, Buckets: buckets}, labels)
	k.keep(h)
	return h
}

// httpMetrics are the metrics of requests.
type httpMetrics struct {
	requests         *prometheus.CounterVec
	durations, sizes *prometheus.HistogramVec
}

// newHTTPMetrics returns the metrics, which r keeps.
func newHTTPMetrics(r keeper) httpMetrics {
	return httpMetrics{
		requests: r.counters("http_requests_total",
			"Requests that were answered. The route none is an unknown path, and the status 0 a "+
				"connection that ended before the answer.", "route", "method", "status"),
		durations: r.histograms("http_request_duration_seconds",
			"Time from the first line of a request to the end of its answer.", slow, "route"),
		sizes: r.histograms("http_response_size_bytes", "Length of the bodies of answers.",
			sizes, "route"),
	}
}

// providerMetrics are the metrics of calls of providers.
type providerMetrics struct {
	calls              *prometheus.CounterVec
	durations          *prometheus.HistogramVec
	prompt, completion prometheus.Counter
	cost               prometheus.Counter
}

// newProviderMetrics returns the metrics, which r keeps.
func newProviderMetrics(r keeper) providerMetrics {
	tokens := r.counters("ai_tokens_total",
		"Tokens that the AI has read (prompt) and written (completion).", "kind")
	return providerMetrics{
		calls: r.counters("provider_calls_total",
			"Calls of providers, deliveries of events included, by outcome: ok, timeout, canceled "+
				"or error.", "call", "outcome"),
		durations: r.histograms("provider_call_duration_seconds", "Time of calls of providers.",
			slow, "call"),
		prompt:     tokens.WithLabelValues("prompt"),
		completion: tokens.WithLabelValues("completion"),
		cost: r.counter("ai_cost_total",
			"Cost of these tokens, in the currency of LEARNING_AI_PRICE."),
	}
}
