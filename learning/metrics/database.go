package metrics

import (
	"database/sql"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/openlectern/openlectern/learning/core"
)

// databaseMetrics are the metrics of reads and transactions.
type databaseMetrics struct {
	reads            *prometheus.CounterVec
	readDurations    prometheus.Histogram
	transactions     *prometheus.CounterVec
	transactionTimes prometheus.Histogram
	repeats          prometheus.Counter
}

// newDatabaseMetrics returns the metrics, which r keeps.
func newDatabaseMetrics(r keeper) databaseMetrics {
	d := databaseMetrics{
		reads: r.counters("database_reads_total",
			"Reads outside transactions, by what they read and by outcome: ok, timeout, canceled "+
				"or error.", "read", "outcome"),
		readDurations: r.histogram("database_read_duration_seconds",
			"Time of reads outside transactions, with the wait for a connection.", fast),
		transactions: r.counters("database_transactions_total",
			"Transactions by outcome: ok, rolled_back (a rule refused it, or an error), timeout, "+
				"canceled, or unknown if the database did not say whether it has committed.",
			"outcome"),
		transactionTimes: r.histogram("database_transaction_duration_seconds",
			"Time of transactions with all their runs.", fast),
		repeats: r.counter("database_transaction_repeats_total",
			"Runs of transactions that were repeated after a deadlock, a lock time-out, a busy "+
				"database or a lost connection."),
	}
	fromZero(d.transactions, transactionOutcomes)
	return d
}

// observeRead counts a read, whose name is what it reads.
func (d databaseMetrics) observeRead(name string, took time.Duration, out core.Outcome) {
	d.reads.WithLabelValues(name, outcome(out.Err)).Inc()
	d.readDurations.Observe(took.Seconds())
}

// observeTransaction counts a transaction. The first of its runs is no repeat. A transaction that
// could not begin has no run. Transactions have no names.
func (d databaseMetrics) observeTransaction(_ string, took time.Duration, out core.Outcome) {
	d.transactions.WithLabelValues(transactionOutcome(out.Err)).Inc()
	d.transactionTimes.Observe(took.Seconds())
	d.repeats.Add(float64(max(out.Runs-1, 0)))
}

// Pools has the statistics of the connections of a store, by pool.
type Pools interface {
	PoolStats() map[string]sql.DBStats
}

// WatchPools adds the connections of a store.
func (m *Metrics) WatchPools(p Pools) { m.watch(poolCollector{p}) }

var (
	poolConnections = prometheus.NewDesc(namespace+"_database_connections",
		"Open connections by pool (reading, anonymous, urgent, writing) and state (in_use, idle).",
		[]string{"pool", "state"}, nil)
	poolMax = prometheus.NewDesc(namespace+"_database_connections_max",
		"Connections that a pool may open.", []string{"pool"}, nil)
	poolWaits = prometheus.NewDesc(namespace+"_database_connection_waits_total",
		"Operations that had to wait for a connection.", []string{"pool"}, nil)
	poolWaitTime = prometheus.NewDesc(namespace+"_database_connection_wait_seconds_total",
		"Time that operations have waited for a connection.", []string{"pool"}, nil)
)

// poolCollector reads the statistics when it is asked for metrics.
type poolCollector struct{ pools Pools }

// Describe implements [prometheus.Collector].
func (c poolCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolConnections, poolMax, poolWaits, poolWaitTime} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c poolCollector) Collect(out chan<- prometheus.Metric) {
	for name, s := range c.pools.PoolStats() {
		out <- prometheus.MustNewConstMetric(poolConnections, prometheus.GaugeValue,
			float64(s.InUse), name, "in_use")
		out <- prometheus.MustNewConstMetric(poolConnections, prometheus.GaugeValue,
			float64(s.Idle), name, "idle")
		out <- prometheus.MustNewConstMetric(poolMax, prometheus.GaugeValue,
			float64(s.MaxOpenConnections), name)
		out <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue,
			float64(s.WaitCount), name)
		out <- prometheus.MustNewConstMetric(poolWaitTime, prometheus.CounterValue,
			s.WaitDuration.Seconds(), name)
	}
}
