package outbox

import (
	"context"

	"github.com/openlectern/openlectern/internal/lease"
)

// result is the result of an attempt.
type result struct {
	before, after Delivery
	unblocked     string     // the id of the event that becomes pending; "" for none
	stored        chan error // has a value when the result was stored, or could not be
}

// storeResult stores a result together with others, and returns when it is stored. It returns
// [lease.ErrLost] if another instance has the lease. It does not end with the context of the
// delivery, so that the result of a call that was made is not lost.
func (d *shardDelivery) storeResult(r result) error {
	r.stored = make(chan error, 1)
	d.results <- r
	return <-r.stored
}

// storeResults stores the results that storeResult sends, as many in one transaction as wait at the
// moment, until the channel is closed. So the number of transactions does not limit how many events
// are delivered.
func (d *shardDelivery) storeResults(ctx context.Context) {
	for r := range d.results {
		list := []result{r}
		for len(list) < storedAtOnce && len(d.results) > 0 {
			list = append(list, <-d.results)
		}
		err := d.storeAll(ctx, list)
		for _, r := range list {
			r.stored <- err
		}
	}
}

// storeAll stores results in one transaction, if this instance has the lease:
//
//	attempt                              | status
//	succeeded                            | delivered; the next event, if blocked, is pending
//	failed                               | pending with the time of the next attempt, or failed
//	failed, but meanwhile redelivered    | stays pending and due
func (d *shardDelivery) storeAll(ctx context.Context, list []result) error {
	// The handler has seen the events, also if ctx is done.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Margin)
	defer cancel()

	// Sort the results: one statement stores all that are alike, except for failed attempts.
	var delivered, unblocked []string
	var failed []result
	for _, r := range list {
		if r.after.Status != Delivered {
			failed = append(failed, r)
			continue
		}
		delivered = append(delivered, r.after.ID)
		if r.unblocked != "" {
			unblocked = append(unblocked, r.unblocked)
		}
	}

	// Store them. Hold is first, because another instance may have taken the shard over.
	err := d.Store.InTx(ctx, func(tx Tx) error {
		tx.Repeatable() // a second run finds the statuses changed
		if err := lease.Hold(ctx, tx, d.lease.Lease()); err != nil {
			return err
		}
		if len(delivered) > 0 {
			if err := tx.SetEventsDelivered(ctx, d.target.Name, delivered, d.Now()); err != nil {
				return err
			}
		}
		if len(unblocked) > 0 {
			if err := tx.UnblockEvents(ctx, d.target.Name, unblocked, d.Now()); err != nil {
				return err
			}
		}
		for _, r := range failed { // a delivery that was redelivered meanwhile stays as it is
			if _, err := tx.SetEventStatus(ctx, r.before, r.after); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		d.delivered.Add(int64(len(delivered)))
	}
	return err
}
