package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/openlectern/openlectern/learning"
)

const (
	// backlogFresh is how long a count of the backlog is kept, so that several Prometheus servers,
	// or one that asks often, cost the database no more.
	backlogFresh = 10 * time.Second
	// backlogTime bounds a count. It is shorter than the usual time limit of Prometheus, 10 s.
	backlogTime = 4 * time.Second
)

// WatchBacklog adds the events and leases in the database. read counts them; it is called when
// metrics are asked for, at most once in ten seconds. If it fails, these metrics are missing,
// and lectern_backlog_up is 0.
func (m *Metrics) WatchBacklog(read func(ctx context.Context) (learning.Backlog, error)) {
	m.watch(&backlogCollector{read: read})
}

var (
	backlogUp = prometheus.NewDesc(namespace+"_backlog_up",
		"1 if the events and leases in the database could be counted.", nil, nil)
	backlogEvents = prometheus.NewDesc(namespace+"_events_undelivered",
		"Deliveries of events of all instances, by status: pending, blocked or failed.",
		[]string{"status"}, nil)
	backlogAge = prometheus.NewDesc(namespace+"_events_oldest_age_seconds",
		"Age of the oldest event that is not delivered; 0 if there is none.", nil, nil)
	backlogLeases = prometheus.NewDesc(namespace+"_leases_held",
		"Leases of all instances that have not expired.", nil, nil)
)

// backlogCollector counts the backlog when it is asked for metrics.
type backlogCollector struct {
	read func(ctx context.Context) (learning.Backlog, error)

	mu   sync.Mutex
	last learning.Backlog // of the last count
	err  error            // of the last count, or nil
	at   time.Time        // when it ended; zero before the first one
}

// Describe implements [prometheus.Collector].
func (c *backlogCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{backlogUp, backlogEvents, backlogAge, backlogLeases} {
		out <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *backlogCollector) Collect(out chan<- prometheus.Metric) {
	// All metrics of a scrape are of one count.
	b, err := c.current()
	if err != nil {
		out <- prometheus.MustNewConstMetric(backlogUp, prometheus.GaugeValue, 0)
		return
	}
	out <- prometheus.MustNewConstMetric(backlogUp, prometheus.GaugeValue, 1)
	// The events that are not delivered, and the age of the oldest.
	for status, n := range map[learning.EventStatus]int64{
		learning.EventPending: b.PendingEvents, learning.EventBlocked: b.BlockedEvents,
		learning.EventFailed: b.FailedEvents,
	} {
		out <- prometheus.MustNewConstMetric(backlogEvents, prometheus.GaugeValue, float64(n),
			string(status))
	}
	age := 0.0
	if !b.OldestEvent.IsZero() {
		// Below 0 if another instance, whose clock is ahead, has written the event.
		age = max(0, time.Since(b.OldestEvent).Seconds())
	}
	out <- prometheus.MustNewConstMetric(backlogAge, prometheus.GaugeValue, age)
	out <- prometheus.MustNewConstMetric(backlogLeases, prometheus.GaugeValue, float64(b.Leases))
}

// current returns a count that is at most backlogFresh old, also of a failure. Concurrent
// callers wait for one count.
func (c *backlogCollector) current() (learning.Backlog, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at.IsZero() && time.Since(c.at) < backlogFresh {
		return c.last, c.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), backlogTime) // Collect has no context
	defer cancel()
	c.last, c.err = c.read(ctx)
	c.at = time.Now()
	return c.last, c.err
}
