package learning

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"
)

// EventStatus is the state of an [EventDelivery].
type EventStatus string

// The states of a delivery.
const (
	// EventPending is to be delivered. It may have failed before.
	EventPending EventStatus = "pending"
	// EventBlocked waits for an earlier event of its subject that is not delivered.
	EventBlocked EventStatus = "blocked"
	// EventFailed has failed at every attempt. [System.RedeliverEvents] makes it
	// pending again.
	EventFailed EventStatus = "failed"
	// EventDelivered was handled without an error.
	EventDelivered EventStatus = "delivered"
)

// eventStatuses are all states.
var eventStatuses = []EventStatus{EventPending, EventBlocked, EventFailed, EventDelivered}

// EventDelivery is the delivery of an event to one target.
type EventDelivery struct {
	Event
	Target    string // the name of the handler: see [WithEvents]
	Shard     string // the part of the target's deliveries that one lease covers
	Seq       int64  // the position of the event among those of its subject
	Status    EventStatus
	StatusAt  time.Time // when a pending delivery is due; else when it got its status
	Attempts  int       // since it was written or redelivered
	LastError string    // of the last attempt; "" if that succeeded
}

// eventShards is the number of the leases that share the deliveries of a target. It must
// be the same in all instances.
const eventShards = 8

// shardOf returns the shard of the deliveries of a subject to a target.
func shardOf(target, subject string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(subject))
	return shardName(target, int(h.Sum32()%eventShards))
}

func shardName(target string, n int) string { return fmt.Sprintf("%s/%d", target, n) }

// shardsOf returns the names of the shards of a target.
func shardsOf(target string) []string {
	names := make([]string, eventShards)
	for n := range names {
		names[n] = shardName(target, n)
	}
	return names
}

// EventQuery selects deliveries. The zero value of a field selects all.
type EventQuery struct {
	ID     string // of the event
	Target string
	Status EventStatus
	After  string // the id of the last event of the previous page; pages need a Target
	Limit  int    // of a page; 0 for 100
}

// EventCount is the number of the deliveries with a status.
type EventCount struct {
	Status EventStatus
	Number int64
	Oldest time.Time // when the oldest event of these was written
}

// EventRange is the events of a subject between two positions, which are included.
type EventRange struct {
	Subject  string
	From, To int64
}

// eventReader reads events.
type eventReader interface {
	// LastEventSeqs reads the highest position of each of the subjects at any of the
	// targets. A subject without events is not in the result.
	LastEventSeqs(ctx context.Context, targets, subjects []string) (map[string]int64, error)
	// DueEventShards lists those of the shards that have a delivery which is pending and
	// due at the given time.
	DueEventShards(ctx context.Context, shards []string, at time.Time) ([]string, error)
	// DueEvents lists a page of the deliveries of a shard that are pending and due at the
	// given time, the longest due first, and those of one time by subject. Of those of one
	// time and subject a page may leave out some. Only Subject, Seq, StatusAt and Attempts
	// are set. The position of a delivery has its StatusAt and, as ID, its subject.
	DueEvents(ctx context.Context, shard string, at time.Time, page Page) ([]EventDelivery, error)
	// UndeliveredEvents lists the deliveries of a subject to a target that are not
	// delivered, by position, at most limit.
	UndeliveredEvents(
		ctx context.Context, target, subject string, limit int,
	) ([]EventDelivery, error)
	// UndeliveredEventsIn lists the deliveries to a target in at most 16 ranges that are not
	// delivered, in any order.
	UndeliveredEventsIn(
		ctx context.Context, target string, ranges []EventRange,
	) ([]EventDelivery, error)
	// LastPendingEvents returns the positions of the last deliveries of a subject to a
	// target, as far as all of them are pending. If there are none, from is above to.
	LastPendingEvents(ctx context.Context, target, subject string) (from, to int64, err error)
	// CountUndeliveredEvents counts the deliveries of the shards by status, without those that
	// are delivered.
	CountUndeliveredEvents(ctx context.Context, shards []string) ([]EventCount, error)
	// EventDeliveries lists deliveries by the id of the event and the target.
	EventDeliveries(ctx context.Context, q EventQuery) ([]EventDelivery, error)
	// OldestEvent returns the time of the n-th delivery of a shard with a status, the one
	// that has had it for longest first. It returns [ErrNoRecord] if there are fewer.
	OldestEvent(ctx context.Context, shard string, status EventStatus, n int) (time.Time, error)
	// StrandedEvents lists the ids of events whose delivery in the shard is blocked, although
	// the one before it in its subject is delivered or deleted.
	StrandedEvents(ctx context.Context, shard string) ([]string, error)
	// NextEventTarget returns the first target with deliveries that follows the given one in
	// the order of bytes. It returns [ErrNoRecord] if there is none.
	NextEventTarget(ctx context.Context, after string) (string, error)
	// HasEventsAfter reports whether a delivery of the shards has got its status after the
	// given time, or is due after it.
	HasEventsAfter(ctx context.Context, shards []string, at time.Time) (bool, error)
}

// eventWriter writes events.
type eventWriter interface {
	// InsertEvents adds deliveries. It returns [ErrDuplicate] if a position is taken.
	InsertEvents(ctx context.Context, list []EventDelivery) error
	// SetEventStatus sets the status, its time, the attempts and the last error of a
	// delivery to those of after, if its status and attempts are those of before. It
	// reports whether it did.
	SetEventStatus(ctx context.Context, before, after EventDelivery) (bool, error)
	// SetEventsDelivered sets the status of those of the deliveries to a target that are
	// pending or blocked to EventDelivered, and counts one attempt more. The ids are those
	// of at most 32 events.
	SetEventsDelivered(ctx context.Context, target string, ids []string, at time.Time) error
	// UnblockEvents sets the status of those of the deliveries to a target that are blocked
	// to EventPending, due at the given time. The ids are those of at most 32 events.
	UnblockEvents(ctx context.Context, target string, ids []string, at time.Time) error
	// BlockEvents sets the status of the pending deliveries of a subject to a target between
	// two positions, which are included, to EventBlocked.
	BlockEvents(ctx context.Context, target, subject string, from, to int64, at time.Time) error
	// DeleteEvents deletes the deliveries of a shard that have had a status since the given
	// time or longer. It reports whether there were any.
	DeleteEvents(ctx context.Context, shard string, status EventStatus, until time.Time) (bool, error)
}
