package learning

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Delivered events, and those to a removed target, are kept for eventsKept. One transaction
// deletes about deleteAtOnce of them.
const (
	eventsKept       = 30 * 24 * time.Hour
	maintenanceEvery = time.Hour
	deleteAtOnce     = 500
	unblockAtOnce    = 32
)

// eventMaintenance is the schedule of maintainEvents.
func (p *Platform) eventMaintenance() schedule {
	return p.newSchedule("delete-events", maintenanceEvery, p.maintainEvents)
}

// maintainEvents deletes events that are not needed any more, and repairs what an earlier
// version leaves. It takes the targets from the deliveries, because other instances may have
// other targets, and one instance does the work of all.
func (p *Platform) maintainEvents(ctx context.Context) error {
	end := p.now().Add(-eventsKept)
	names, err := p.eventTargets(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range names {
		failed = append(failed,
			wrap("delete the events of a removed target", p.deleteIfRemoved(ctx, name, end)),
			wrap("delete old events", p.deleteEvents(ctx, name, EventDelivered, end)),
			wrap("unblock events", p.unblockEvents(ctx, name)))
	}
	return errors.Join(failed...)
}

// deleteEvents deletes the deliveries to a target that have had a status since end or longer.
func (p *Platform) deleteEvents(
	ctx context.Context, target string, status EventStatus, end time.Time,
) error {
	for _, shard := range shardsOf(target) {
		for more := true; more; {
			// Find the end of this batch: the oldest deliveries, but none that are younger than end.
			until, err := p.store.OldestEvent(ctx, shard, status, deleteAtOnce)
			if err != nil && !errors.Is(err, ErrNoRecord) {
				return err
			}
			if more = err == nil && !until.After(end); !more {
				until = end
			}

			// Delete it.
			err = p.store.InTx(ctx, func(tx Tx) error {
				tx.Repeatable()
				_, err := tx.DeleteEvents(ctx, shard, status, until)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// deleteIfRemoved deletes all deliveries to a target if it was removed. A target was removed
// if this platform does not have it, and if no delivery to it was written, tried or
// redelivered after end. While another instance has the target, it writes every event for
// it.
func (p *Platform) deleteIfRemoved(ctx context.Context, target string, end time.Time) error {
	if slices.Contains(p.targetNames(), target) {
		return nil
	}
	isUsed, err := p.store.HasEventsAfter(ctx, shardsOf(target), end)
	if err != nil || isUsed {
		return err
	}
	p.log.WarnContext(ctx, "the events of a removed target are deleted", "target", target)
	for _, status := range eventStatuses {
		if err := p.deleteEvents(ctx, target, status, end); err != nil {
			return err
		}
	}
	return nil
}

// eventTargets returns the names of all targets that have deliveries, also of those that
// were removed.
func (p *Platform) eventTargets(ctx context.Context) (names []string, err error) {
	for name := ""; ; names = append(names, name) {
		name, err = p.store.NextEventTarget(ctx, name)
		if errors.Is(err, ErrNoRecord) {
			return names, nil
		}
		if err != nil {
			return nil, wrap("list the targets of events", err)
		}
	}
}

// unblockEvents makes blocked deliveries to a target due for which no earlier one of their
// subject waits. Programs of earlier versions leave such deliveries, if they run beside this
// one during an upgrade: they deliver blocked events, and make none of those that follow due.
func (p *Platform) unblockEvents(ctx context.Context, target string) error {
	for _, shard := range shardsOf(target) {
		ids, err := p.store.StrandedEvents(ctx, shard)
		if err != nil {
			return err
		}
		for batch := range slices.Chunk(ids, unblockAtOnce) {
			err := p.store.InTx(ctx, func(tx Tx) error {
				tx.Repeatable()
				tx.AfterCommit(p.wakeDelivery)
				return tx.UnblockEvents(ctx, target, batch, p.now())
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
