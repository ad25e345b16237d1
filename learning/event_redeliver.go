package learning

import (
	"context"
	"fmt"
	"slices"
)

// maxEventPage is the default of [EventQuery.Limit].
const maxEventPage = 100

// EventDeliveries lists deliveries by the id of the event, so the oldest comes first, and
// by the target.
func (s System) EventDeliveries(ctx context.Context, q EventQuery) ([]EventDelivery, error) {
	if q.Limit <= 0 {
		q.Limit = maxEventPage
	}
	list, err := s.platform.store.EventDeliveries(ctx, q)
	return list, wrap("list events", err)
}

// RedeliverEvents makes deliveries due at once, with all their attempts, and returns their
// number. Of the deliveries that q selects by its ID, Target and Status, it takes
//
//   - those that have failed at every attempt,
//   - those that are pending and not yet due, because they wait for their next attempt.
//
// The later events of their subjects follow them. Other deliveries stay as they are.
func (s System) RedeliverEvents(ctx context.Context, q EventQuery) (n int, err error) {
	// Take each target on its own, because the pages of a list do.
	targets := []string{q.Target}
	if q.Target == "" {
		if targets, err = s.platform.eventTargets(ctx); err != nil {
			return 0, err
		}
	}
	for _, target := range targets {
		for _, status := range []EventStatus{EventFailed, EventPending} {
			if q.Status != "" && q.Status != status {
				continue
			}
			changed, err := s.platform.redeliver(ctx, EventQuery{ID: q.ID, Target: target, Status: status})
			n += changed
			if err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// redeliver makes the deliveries to a target with a status due at once, and returns their
// number. One transaction changes those of a page.
func (p *Platform) redeliver(ctx context.Context, q EventQuery) (n int, err error) {
	q.Limit = maxEventPage
	for {
		// Read a page, without those that are due.
		page, err := p.store.EventDeliveries(ctx, q)
		if err != nil {
			return n, wrap("list events", err)
		}
		isLast := len(page) < q.Limit
		if !isLast {
			q.After = page[len(page)-1].ID
		}
		now := p.now()
		page = slices.DeleteFunc(page, func(d EventDelivery) bool {
			return d.Status == EventPending && !d.StatusAt.After(now)
		})

		// Change those that have the same status and attempts still.
		changed := 0
		err = p.store.InTx(ctx, func(tx Tx) error {
			changed = 0
			tx.AfterCommit(p.wakeDelivery)
			for _, d := range page {
				again := d
				again.Status, again.StatusAt, again.Attempts = EventPending, now, 0
				ok, err := tx.SetEventStatus(ctx, d, again)
				if err != nil {
					return fmt.Errorf("redeliver the event %s: %w", d.ID, err)
				}
				if ok {
					changed++
				}
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		n += changed
		if isLast {
			return n, nil
		}
	}
}
