package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning/core"
)

// EventStatus is the state of an [EventDelivery].
type EventStatus = outbox.Status

// The states of a delivery.
const (
	// EventPending is to be delivered. It may have failed before.
	EventPending = outbox.Pending
	// EventBlocked waits for an earlier event of its subject that is not delivered.
	EventBlocked = outbox.Blocked
	// EventFailed has failed at every attempt. [System.RedeliverEvents] makes it
	// pending again.
	EventFailed = outbox.Failed
	// EventDelivered was handled without an error.
	EventDelivered = outbox.Delivered
)

// EventDelivery is the delivery of an event to one target.
type EventDelivery struct {
	core.Event
	Target    string // the name of the handler: see [WithEvents]
	Shard     string // the part of the target's deliveries that one lease covers
	Seq       int64  // the position of the event among those of its subject
	Status    EventStatus
	StatusAt  time.Time // when a pending delivery is due; else when it got its status
	Attempts  int       // since it was written or redelivered
	LastError string    // of the last attempt; "" if that succeeded
}

// EventQuery selects deliveries. The zero value of a field selects all.
type EventQuery struct {
	ID     string // of the event
	Target string
	Status EventStatus
	// the id of the last event of the previous page; pages need a Target, because the next one
	// would leave out the other deliveries of that event
	After string
	Limit int // of a page; 0 for 100
}

// defaultEventPage is the default of [EventQuery.Limit].
const defaultEventPage = 100

// EventDeliveries lists the deliveries that q selects, at most q.Limit. They are in the order of
// the ids of their events, so the oldest comes first, and on a tie in that of their targets.
func (s System) EventDeliveries(ctx context.Context, q EventQuery) ([]EventDelivery, error) {
	if q.Limit <= 0 {
		q.Limit = defaultEventPage
	}
	stored, err := s.platform.store.EventDeliveries(ctx, outbox.Query(q)) // the same fields
	if err != nil {
		return nil, core.Wrap("list events", err)
	}
	list := make([]EventDelivery, len(stored))
	for i, d := range stored {
		list[i] = EventDelivery{
			Event:     core.EventOf(d.Event),
			Target:    d.Target,
			Shard:     d.Shard,
			Seq:       d.Seq,
			Status:    d.Status,
			StatusAt:  d.StatusAt,
			Attempts:  d.Attempts,
			LastError: d.LastError,
		}
	}
	return list, nil
}

// RedeliverEvents makes deliveries due at once, as if none was attempted before, and returns their
// number: on an error, the number of those that it has changed until then. Of the deliveries that q
// selects by its ID, Target and Status, it takes
//
//   - those that have failed at every attempt,
//   - those that are pending and not yet due, because they wait for their next attempt.
//
// The later events of their subjects follow them. Other deliveries stay as they are.
func (s System) RedeliverEvents(ctx context.Context, q EventQuery) (n int, err error) {
	return s.platform.base.Events.Redeliver(ctx, outbox.Query(q)) // the same fields
}

// DeliverEvents delivers the events that are due and returns how many it has delivered. It
// does not wait for events that another instance delivers. A failed delivery is not an
// error: it is logged, stored, and repeated by a later call when it is due. A server calls
// [System.RunEvents] instead.
func (s System) DeliverEvents(ctx context.Context) (delivered int, err error) {
	s.platform.isRun.Store(true)
	return s.platform.base.Events.Deliver(ctx)
}

// RunEvents delivers events until ctx is done: at once those that this process writes, and those of
// processes that do not deliver at once on PostgreSQL and else within six seconds (see
// [WithEventsEvery]). Each hour one of the
// instances deletes the events that were delivered 30 days ago and those to targets that no
// instance has had for 30 days. Several instances share the work. RunEvents returns when the calls
// of the handlers have ended. Without handlers (see [WithEvents]) it only deletes.
func (s System) RunEvents(ctx context.Context) {
	s.platform.isRun.Store(true)
	s.platform.base.Events.Run(ctx)
}

// targetOf returns the target with a name, whose events the handler receives.
func targetOf(name string, h core.EventHandler) outbox.Target {
	return outbox.Target{Name: name, Handle: func(ctx context.Context, e outbox.Event) error {
		return h.HandleEvent(ctx, core.EventOf(e))
	}}
}

// eventStore is a [Store] for package outbox.
type eventStore struct {
	outbox.Reader
	outbox.Signals
	store Store
}

// InTx runs fn in a transaction of the [Store]: a [Tx] has the methods of an [outbox.Tx].
func (s eventStore) InTx(ctx context.Context, fn func(outbox.Tx) error) error {
	return s.store.InTx(ctx, func(tx Tx) error { return fn(tx) })
}
