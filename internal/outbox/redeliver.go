package outbox

import (
	"context"
	"fmt"
	"slices"
)

// pageSize is the number of deliveries that one transaction makes due.
const pageSize = 100

// Redeliver makes deliveries due at once, with all their attempts, and returns their number. Of
// the deliveries that q selects by its ID, Target and Status, it takes
//
//   - those that have failed at every attempt,
//   - those that are pending and not yet due, because they wait for their next attempt.
//
// The later events of their subjects follow them. Other deliveries stay as they are.
func (o *Outbox) Redeliver(ctx context.Context, q Query) (n int, err error) {
	// Take each target on its own, because EventDeliveries has pages of one target only.
	targets := []string{q.Target}
	if q.Target == "" {
		if targets, err = o.storedTargets(ctx); err != nil {
			return 0, err
		}
	}
	for _, target := range targets {
		for _, status := range []Status{Failed, Pending} {
			if q.Status != "" && q.Status != status {
				continue
			}
			changed, err := o.redeliver(ctx, Query{ID: q.ID, Target: target, Status: status})
			n += changed
			if err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// redeliver makes the deliveries to a target with a status due at once, if they are not due yet,
// and returns their number. One transaction changes those of a page.
func (o *Outbox) redeliver(ctx context.Context, q Query) (n int, err error) {
	q.Limit = pageSize
	for {
		// Read a page, and leave out the deliveries that are due already.
		page, err := o.Store.EventDeliveries(ctx, q)
		if err != nil {
			return n, wrap("list events", err)
		}
		isLast := len(page) < q.Limit
		if !isLast {
			q.After = page[len(page)-1].ID
		}
		now := o.Now()
		page = slices.DeleteFunc(page, func(d Delivery) bool {
			return d.Status == Pending && !d.StatusAt.After(now)
		})

		// Change those that have the same status and attempts still.
		changed := 0
		err = o.Store.InTx(ctx, func(tx Tx) error {
			changed = 0 // the function may run again
			tx.AfterCommit(func() { o.announce(ctx) })
			for _, d := range page {
				again := d
				again.Status = Pending
				again.StatusAt = now
				again.Attempts = 0
				isChanged, err := tx.SetEventStatus(ctx, d, again)
				if err != nil {
					return fmt.Errorf("redeliver the event %s: %w", d.ID, err)
				}
				if isChanged {
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
