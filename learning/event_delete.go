package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Delivered events are kept for eventsKept, and deleted every deleteEvery. One transaction deletes about deleteAtOnce of
// them.
const (
	eventsKept   = 30 * 24 * time.Hour
	deleteEvery  = time.Hour
	deleteAtOnce = 500
)

// deletion is the schedule of deleteOldEvents.
func (p *Platform) deletion() schedule {
	return p.newSchedule("delete-events", deleteEvery, p.deleteOldEvents)
}

// deleteOldEvents deletes the events that were delivered long ago.
func (p *Platform) deleteOldEvents(ctx context.Context) error {
	end := p.now().Add(-eventsKept)
	for _, t := range p.targets {
		for _, shard := range t.shards() {
			for more := true; more; {
				var err error
				if more, err = p.deleteBatch(ctx, shard, end); err != nil {
					return fmt.Errorf("delete old events: %w", err)
				}
			}
		}
	}
	return nil
}

// deleteBatch deletes the oldest delivered events of a shard, and none that were delivered
// after end. It reports whether there may be more.
func (p *Platform) deleteBatch(ctx context.Context, shard string, end time.Time) (more bool, err error) {
	until, err := p.store.OldestDelivered(ctx, shard, deleteAtOnce)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return false, err
	}
	if more = err == nil && !until.After(end); !more {
		until = end
	}
	err = p.store.InTx(ctx, func(tx Tx) error {
		tx.Repeatable()
		_, err := tx.DeleteDeliveredEvents(ctx, shard, until)
		return err
	})
	return more, err
}
