// Package metrics gives the operations of a platform to Prometheus, as a collector that a host
// registers where its own metrics are. It serves no page, and a program that does not import it
// compiles no library of metrics.
//
// Labels have few values, whatever clients send: ids of routes, names of limits and of calls of
// providers; never paths, users or ids. docs/operations.md says what each metric means.
package metrics

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/openlectern/openlectern/learning/core"
)

// Metrics counts and measures operations. It is a [core.Observer] for the options WithObserver of
// packages learning and store, and a [prometheus.Collector], which is registered once. It is safe
// for concurrent use. Several platforms of one program have metrics of their own, with a label that
// tells them apart: see [prometheus.WrapRegistererWith].
type Metrics struct {
	price Price
	by    map[core.OperationKind]observe
	kept  []prometheus.Collector // all that count while operations run

	mu      sync.Mutex
	watched []prometheus.Collector // those that Collect asks, by the methods Watch

	inFlight prometheus.Gauge
	http     httpMetrics
	database databaseMetrics
	provider providerMetrics
	limits   *prometheus.CounterVec
	waits    prometheus.Histogram // for the answer of a limiter
	lists    *prometheus.HistogramVec
	leases   *prometheus.CounterVec
}

// observe records an operation that took a time.
type observe func(name string, took time.Duration, out core.Outcome)

// Price is the price of a million tokens of the AI, in any currency.
type Price struct{ Prompt, Completion float64 }

var (
	_ core.Observer        = (*Metrics)(nil)
	_ prometheus.Collector = (*Metrics)(nil)
)

// New returns metrics of a program with a version. The price gives the cost of the AI; without
// one the cost is 0.
func New(version string, price Price) *Metrics {
	m := &Metrics{price: price}
	r := keeper{&m.kept}
	// Requests, the database and providers.
	m.inFlight = r.gauge("http_requests_in_flight", "Requests that are being answered.")
	m.http = newHTTPMetrics(r)
	m.database = newDatabaseMetrics(r)
	m.provider = newProviderMetrics(r)
	// What the library does between these: limits, lists and leases.
	m.limits = r.counters("rate_limit_requests_total",
		"Requests that were counted towards a rate limit, by outcome: allowed, refused, or failed "+
			"if the limiter did not answer.", "limit", "outcome")
	m.waits = r.histogram("rate_limit_duration_seconds",
		"Time to count a request towards a rate limit.", fast)
	m.lists = r.histograms("list_build_duration_seconds",
		"Time to make a list that is kept, by outcome.", slow, "list", "outcome")
	m.leases = r.counters("lease_changes_total",
		"Changes of leases by this instance: taken, taken_over, lost, released.", "lease", "change")
	// The version is a label, as is usual for build information.
	r.gauges("build_info", "1, with the version of the program and of Go.", "version",
		"go").WithLabelValues(version, runtime.Version()).Set(1)
	// Which of them counts an operation.
	m.by = map[core.OperationKind]observe{
		core.OperationRequest:     m.request,
		core.OperationLimit:       m.limit,
		core.OperationList:        m.list,
		core.OperationLease:       m.lease,
		core.OperationRead:        m.database.observeRead,
		core.OperationTransaction: m.database.observeTransaction,
		core.OperationProvider:    m.call,
	}
	return m
}

// sharedLimits is what WatchSharedLimits adds.
var sharedLimits = prometheus.NewDesc(namespace+"_rate_limits_shared",
	"1 if Redis counts the rate limits, 0 if this instance counts in its own memory because Redis "+
		"does not answer.", nil, nil)

// WatchSharedLimits adds whether instances share their rate limits now, such as Shared of package
// redislimit.
func (m *Metrics) WatchSharedLimits(shared func() bool) { m.watch(sharedCollector(shared)) }

type sharedCollector func() bool

// Describe implements [prometheus.Collector].
func (c sharedCollector) Describe(out chan<- *prometheus.Desc) { out <- sharedLimits }

// Collect implements [prometheus.Collector].
func (c sharedCollector) Collect(out chan<- prometheus.Metric) {
	value := 0.0
	if c() {
		value = 1
	}
	out <- prometheus.MustNewConstMetric(sharedLimits, prometheus.GaugeValue, value)
}

// watch makes Collect ask a collector too.
func (m *Metrics) watch(c prometheus.Collector) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watched = append(m.watched, c)
}

// Describe implements [prometheus.Collector]. It describes also what is not watched yet, because
// a host may register the metrics before there is a platform.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, c := range m.kept {
		c.Describe(out)
	}
	for _, c := range []prometheus.Collector{sharedCollector(nil), poolCollector{},
		&backlogCollector{}} {
		c.Describe(out)
	}
}

// Collect implements [prometheus.Collector].
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	m.mu.Lock()
	watched := slices.Clone(m.watched)
	m.mu.Unlock()
	for _, c := range slices.Concat(m.kept, watched) {
		c.Collect(out)
	}
}

// Begin implements [core.Observer].
func (m *Metrics) Begin(ctx context.Context,
	op core.Operation) (context.Context, func(core.Outcome)) {
	begun := time.Now()
	record := m.by[op.Kind]
	if record == nil { // package learning may get kinds that have no metrics
		return ctx, func(core.Outcome) {}
	}
	if op.Kind == core.OperationRequest {
		m.inFlight.Inc() // until m.request
	}
	return ctx, func(out core.Outcome) { record(op.Name, time.Since(begun), out) }
}

// request counts a request that has been answered; its name is the method, or "other" for one that
// HTTP does not define.
func (m *Metrics) request(method string, took time.Duration, out core.Outcome) {
	m.inFlight.Dec()
	route := out.Route
	if route == "" { // the path is that of no route
		route = "none"
	}
	m.http.requests.WithLabelValues(route, method, strconv.Itoa(out.Status)).Inc()
	m.http.durations.WithLabelValues(route).Observe(took.Seconds())
	m.http.sizes.WithLabelValues(route).Observe(float64(out.Bytes))
}

// limit counts a request that was counted towards the rate limit with a name, or that the limiter
// failed to count.
func (m *Metrics) limit(name string, took time.Duration, out core.Outcome) {
	m.limits.WithLabelValues(name, limitOutcome(out.Err)).Inc()
	m.waits.Observe(took.Seconds())
}

// list observes how long it took to make the list with a name.
func (m *Metrics) list(name string, took time.Duration, out core.Outcome) {
	m.lists.WithLabelValues(name, outcome(out.Err)).Observe(took.Seconds())
}

// leaseChanges are the changes of leases.
var leaseChanges = []string{"taken", "released", "taken_over", "lost"}

// lease counts a change of a lease; the name is the kind of the lease, a dot and the change. The
// first change of a kind adds the counters of its other changes.
func (m *Metrics) lease(name string, _ time.Duration, _ core.Outcome) {
	lease, change := cutLast(name)
	fromZero(m.leases, leaseChanges, lease)
	m.leases.WithLabelValues(lease, change).Inc()
}

// call counts a call of a provider, with the tokens of the AI and their cost, which are 0 for other
// providers.
func (m *Metrics) call(name string, took time.Duration, out core.Outcome) {
	m.provider.calls.WithLabelValues(name, outcome(out.Err)).Inc()
	m.provider.durations.WithLabelValues(name).Observe(took.Seconds())
	prompt, completion := float64(out.Usage.Prompt), float64(out.Usage.Completion)
	m.provider.prompt.Add(prompt)
	m.provider.completion.Add(completion)
	const million = 1e6 // the tokens of a price
	m.provider.cost.Add((prompt*m.price.Prompt + completion*m.price.Completion) / million)
}
