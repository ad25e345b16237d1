package metrics

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

// pools are the statistics of a store that has used both pools.
type pools struct{}

func (pools) PoolStats() map[string]sql.DBStats {
	return map[string]sql.DBStats{
		"reading": {InUse: 3, Idle: 1, MaxOpenConnections: 16, WaitCount: 2,
			WaitDuration: time.Second}, "writing": {},
	}
}

// used returns metrics after an operation of each kind.
func used() *Metrics {
	m := New("v1.2.3", Price{Prompt: 2, Completion: 10})
	m.WatchPools(pools{})
	m.WatchSharedLimits(func() bool { return true })
	m.WatchBacklog(func(context.Context) (learning.Backlog, error) {
		return learning.Backlog{PendingEvents: 5, FailedEvents: 1,
			OldestEvent: time.Now().Add(-time.Hour), Leases: 2}, nil
	})
	m.do(core.OperationRequest, "POST",
		core.Outcome{Route: "purchase.create", Status: 200, Bytes: 300})
	m.do(core.OperationLimit, "payment",
		core.Outcome{Err: &core.RetryableError{Failure: tutor.ErrAIBusy}})
	m.do(core.OperationList, "courses", core.Outcome{})
	m.do(core.OperationTransaction, "", core.Outcome{Runs: 3})
	m.do(core.OperationRead, "read a course", core.Outcome{})
	m.do(core.OperationLease, "order.taken_over", core.Outcome{})
	m.do(core.OperationProvider, "ai.complete",
		core.Outcome{Usage: core.AIUsage{Prompt: 500_000, Completion: 100_000}})
	return m
}

func (m *Metrics) do(kind core.OperationKind, name string, out core.Outcome) {
	_, end := m.Begin(context.Background(), core.Operation{Kind: kind, Name: name})
	end(out)
}

// registryOf returns a registry with metrics, as a host has one.
func registryOf(m *Metrics) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(m, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// page returns the page of metrics.
func (m *Metrics) page() string {
	w := httptest.NewRecorder()
	promhttp.HandlerFor(registryOf(m), promhttp.HandlerOpts{}).
		ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// A host registers the metrics, and then makes the platform that they are of.
func TestMetrics_WatchesAfterTheRegistration(t *testing.T) {
	m := New("", Price{})
	r := registryOf(m)
	m.WatchPools(pools{})
	m.WatchSharedLimits(func() bool { return false })
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range families {
		if f.GetName() == "lectern_rate_limits_shared" ||
			f.GetName() == "lectern_database_connections" {
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 families were collected", found)
	}
}

// Two platforms of one program have their metrics in one registry.
func TestMetrics_OfSeveralPlatforms(t *testing.T) {
	r := prometheus.NewRegistry()
	for _, school := range []string{"north", "south"} {
		m := used()
		prometheus.WrapRegistererWith(prometheus.Labels{"school": school}, r).MustRegister(m)
	}
	if _, err := r.Gather(); err != nil {
		t.Error(err)
	}
}

func wantLines(t *testing.T, page string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+page, "\n"+line+"\n") {
			name, _, _ := strings.Cut(line, "{")
			var similar []string
			for l := range strings.Lines(page) {
				if strings.HasPrefix(l, name) {
					similar = append(similar, l)
				}
			}
			t.Errorf("no line %q, but:\n%s", line, strings.Join(similar, ""))
		}
	}
}

func TestMetrics_OperationsOfEachKind(t *testing.T) {
	wantLines(t, used().page(),
		`lectern_http_requests_total{method="POST",route="purchase.create",status="200"} 1`,
		`lectern_http_response_size_bytes_sum{route="purchase.create"} 300`,
		`lectern_http_requests_in_flight 0`,
		`lectern_rate_limit_requests_total{limit="payment",outcome="refused"} 1`,
		`lectern_list_build_duration_seconds_count{list="courses",outcome="ok"} 1`,
		`lectern_database_transactions_total{outcome="ok"} 1`,
		`lectern_database_transaction_repeats_total 2`,
		`lectern_database_reads_total{outcome="ok",read="read a course"} 1`,
		`lectern_database_connections{pool="reading",state="in_use"} 3`,
		`lectern_database_connections_max{pool="reading"} 16`,
		`lectern_database_connection_waits_total{pool="reading"} 2`,
		`lectern_lease_changes_total{change="taken_over",lease="order"} 1`,
		`lectern_provider_calls_total{call="ai.complete",outcome="ok"} 1`,
		`lectern_ai_tokens_total{kind="prompt"} 500000`,
		`lectern_ai_tokens_total{kind="completion"} 100000`,
		`lectern_ai_cost_total 2`,
		`lectern_events_undelivered{status="pending"} 5`,
		`lectern_leases_held 2`,
		`lectern_backlog_up 1`,
		`lectern_rate_limits_shared 1`,
	)
}

// An alert on the growth of a counter sees the first event only if the counter was 0 before.
func TestMetrics_CountersOfRareEventsBeginAtZero(t *testing.T) {
	m := New("", Price{})
	wantLines(t, m.page(), `lectern_database_transactions_total{outcome="unknown"} 0`,
		`lectern_database_transactions_total{outcome="timeout"} 0`)
	m.do(core.OperationLease, "order.taken", core.Outcome{})
	wantLines(t, m.page(), `lectern_lease_changes_total{change="taken",lease="order"} 1`,
		`lectern_lease_changes_total{change="lost",lease="order"} 0`)
}

func TestMetrics_OutcomesOfErrors(t *testing.T) {
	m := New("", Price{})
	for _, err := range []error{errors.New("refused"),
		fmt.Errorf("late: %w", context.DeadlineExceeded), fmt.Errorf("left: %w", context.Canceled),
		fmt.Errorf("commit: %w", core.ErrUnknownOutcome)} {
		m.do(core.OperationTransaction, "", core.Outcome{Err: err, Runs: 1})
		m.do(core.OperationProvider, "gateway.order", core.Outcome{Err: err})
	}
	m.do(core.OperationLimit, "payment", core.Outcome{Err: errors.New("no limiter")})
	m.do(core.OperationRequest, "GET", core.Outcome{Status: 404})
	wantLines(t, m.page(),
		`lectern_database_transactions_total{outcome="rolled_back"} 1`,
		`lectern_database_transactions_total{outcome="timeout"} 1`,
		`lectern_database_transactions_total{outcome="canceled"} 1`,
		`lectern_database_transactions_total{outcome="unknown"} 1`,
		`lectern_provider_calls_total{call="gateway.order",outcome="error"} 2`,
		`lectern_rate_limit_requests_total{limit="payment",outcome="failed"} 1`,
		`lectern_http_requests_total{method="GET",route="none",status="404"} 1`,
		`lectern_ai_cost_total 0`,
	)
}

func TestMetrics_RequestInFlight(t *testing.T) {
	m := New("", Price{})
	_, end := m.Begin(t.Context(), core.Operation{Kind: core.OperationRequest, Name: "GET"})
	wantLines(t, m.page(), `lectern_http_requests_in_flight 1`)
	end(core.Outcome{Status: 200})
	wantLines(t, m.page(), `lectern_http_requests_in_flight 0`)
}

// Two pages count once. A failed count leaves the other metrics.
func TestMetrics_BacklogIsCountedSeldom(t *testing.T) {
	m, calls := New("", Price{}), 0
	m.WatchBacklog(func(context.Context) (learning.Backlog, error) {
		calls++
		return learning.Backlog{}, errors.New("no database")
	})
	for range 2 {
		page := m.page()
		wantLines(t, page, `lectern_backlog_up 0`, `lectern_http_requests_in_flight 0`)
		if strings.Contains(page, "lectern_events_undelivered") {
			t.Error("events were counted without a database")
		}
	}
	if calls != 1 {
		t.Errorf("the backlog was counted %d times", calls)
	}
}

// BenchmarkMetrics_Begin is what the metrics add to an operation.
func BenchmarkMetrics_Begin(b *testing.B) {
	m := New("", Price{})
	b.ReportAllocs()
	for b.Loop() {
		m.do(core.OperationRequest, "GET", core.Outcome{Route: "course.list", Status: 200})
	}
}
