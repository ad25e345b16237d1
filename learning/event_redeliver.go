package learning

import (
	"context"
	"fmt"
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

// RedeliverEvents makes failed deliveries due again, with all their attempts: those to a
// target, or to every target if it is "", of the event with the given id, or of every event
// if that is "". The later events of their subjects follow them. It returns how many
// deliveries it has made due; other deliveries stay as they are.
func (s System) RedeliverEvents(ctx context.Context, target, id string) (n int, err error) {
	for {
		page, err := s.EventDeliveries(ctx, EventQuery{ID: id, Target: target, Status: EventFailed})
		if err != nil {
			return n, err
		}
		before := n
		for _, d := range page {
			changed, err := s.platform.redeliver(ctx, d)
			if err != nil {
				return n, fmt.Errorf("redeliver the event %s: %w", d.ID, err)
			}
			if changed { // and so is not on the next page
				n++
			}
		}
		if len(page) < maxEventPage || n == before {
			return n, nil
		}
	}
}

// redeliver makes a failed delivery pending, and those that wait for it. Its row is
// changed first, as the delivery does, so that the two do not mix.
func (p *Platform) redeliver(ctx context.Context, d EventDelivery) (changed bool, err error) {
	d.Status, d.StatusAt, d.Attempts = EventPending, p.now(), 0
	err = p.store.InTx(ctx, func(tx Tx) (err error) {
		tx.AfterCommit(p.wakeDelivery)
		if changed, err = tx.SetEventStatus(ctx, d, EventFailed); err != nil || !changed {
			return err
		}
		return tx.SetWaitingEvents(ctx, d)
	})
	return changed, err
}
