package outbox

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/internal/schedule"
)

// Delivered events, and those to a removed target, are kept for eventsKept. One transaction
// deletes about deleteAtOnce of them.
const (
	eventsKept       = 30 * 24 * time.Hour
	maintenanceEvery = time.Hour
	deleteAtOnce     = 500
)

// Maintenance is the schedule of Maintain, which is tried at once.
func (o *Outbox) Maintenance() schedule.Work {
	return schedule.Work{
		Schedule: schedule.New(o.Leases, "delete-events", maintenanceEvery, o.Maintain),
	}
}

// Maintain deletes the events that were delivered 30 days ago, and those to targets that no
// instance has had for 30 days. It takes the targets from the deliveries, because other instances
// may have other targets, and one instance does the work of all. An error for one target does not
// keep it from the others.
func (o *Outbox) Maintain(ctx context.Context) error {
	end := o.Now().Add(-eventsKept)
	names, err := o.storedTargets(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range names {
		failed = append(failed,
			wrap("delete the events of a removed target", o.deleteIfRemoved(ctx, name, end)),
			wrap("delete old events", o.deleteEvents(ctx, name, Delivered, end)))
	}
	return errors.Join(failed...)
}

// deleteEvents deletes the deliveries to a target that have had a status since end or longer, in
// transactions of about deleteAtOnce deliveries.
func (o *Outbox) deleteEvents(
	ctx context.Context, target string, status Status, end time.Time,
) error {
	for _, shard := range shardsOf(target) {
		for more := true; more; {
			// Find the end of this batch: the time of the last of the deleteAtOnce oldest
			// deliveries, but not after end.
			until, err := o.Store.OldestEvent(ctx, shard, status, deleteAtOnce)
			if err != nil && !errors.Is(err, record.ErrNone) {
				return err
			}
			isFull := err == nil // there are deleteAtOnce deliveries or more
			more = isFull && !until.After(end)
			if !more { // the last batch
				until = end
			}

			// Delete the batch.
			err = o.Store.InTx(ctx, func(tx Tx) error {
				tx.Repeatable() // a second run deletes nothing more
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
func (o *Outbox) deleteIfRemoved(ctx context.Context, target string, end time.Time) error {
	if slices.Contains(o.targetNames(), target) {
		return nil
	}
	isUsed, err := o.Store.HasEventsAfter(ctx, shardsOf(target), end)
	if err != nil {
		return err
	}
	if isUsed {
		return nil
	}
	o.Log.WarnContext(ctx, "the events of a removed target are deleted", "target", target)
	for _, status := range statuses {
		if err := o.deleteEvents(ctx, target, status, end); err != nil {
			return err
		}
	}
	return nil
}

// storedTargets returns the names of all targets that have deliveries, also of those that
// were removed.
func (o *Outbox) storedTargets(ctx context.Context) (names []string, err error) {
	// Each read returns the target that follows name. "" is before the first.
	for name := ""; ; names = append(names, name) {
		name, err = o.Store.NextEventTarget(ctx, name)
		if errors.Is(err, record.ErrNone) {
			return names, nil
		}
		if err != nil {
			return nil, wrap("list the targets of events", err)
		}
	}
}
