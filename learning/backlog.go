package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning/core"
)

// Backlog is the work in the database that waits or is in progress, of all instances.
type Backlog struct {
	PendingEvents int64     // deliveries that are to be made
	BlockedEvents int64     // deliveries that wait for an earlier one of their subject
	FailedEvents  int64     // deliveries that have failed at every attempt
	OldestEvent   time.Time // when the oldest event of these was written; zero if there is none
	Leases        int64     // that have not expired
}

// Backlog returns the work that waits or is in progress. It counts deliveries to the targets of
// this platform. It reads the rows of all deliveries that are not delivered, so a server that
// is asked for metrics keeps the result for some seconds.
func (s System) Backlog(ctx context.Context) (Backlog, error) {
	return s.platform.backlog(ctx)
}

// backlog is [System.Backlog].
func (p *Platform) backlog(ctx context.Context) (b Backlog, err error) {
	if b.Leases, err = p.store.CountLeases(ctx, p.base.Now()); err != nil {
		return b, core.Wrap("count leases", err)
	}
	counts, err := p.base.Events.Undelivered(ctx)
	for _, c := range counts {
		b.add(c)
	}
	return b, err // the error says already what failed; then b is not complete
}

// add sets the number of the deliveries with one status, and makes OldestEvent earlier if one of
// them is older. It is called once for each status that has deliveries.
func (b *Backlog) add(c outbox.Count) {
	switch c.Status {
	case EventPending:
		b.PendingEvents = c.Number
	case EventBlocked:
		b.BlockedEvents = c.Number
	case EventFailed:
		b.FailedEvents = c.Number
	}
	if b.OldestEvent.IsZero() || c.Oldest.Before(b.OldestEvent) {
		b.OldestEvent = c.Oldest
	}
}
