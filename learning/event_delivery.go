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
	// EventBlocked waits for an earlier event of its subject that has failed.
	EventBlocked EventStatus = "blocked"
	// EventFailed has failed at every attempt. [System.RedeliverEvents] makes it
	// pending again.
	EventFailed EventStatus = "failed"
	// EventDelivered was handled without an error.
	EventDelivered EventStatus = "delivered"
)

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

// shards returns the names of the shards of a target.
func (t eventTarget) shards() []string {
	names := make([]string, eventShards)
	for n := range names {
		names[n] = shardName(t.name, n)
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

// eventReader reads events.
type eventReader interface {
	// LastEventSeqs reads the highest position of each of the subjects at any of the
	// targets. A subject without events is not in the result.
	LastEventSeqs(ctx context.Context, targets, subjects []string) (map[string]int64, error)
	// DueEventShards lists those of the shards that have a delivery which is pending and
	// due at the given time.
	DueEventShards(ctx context.Context, shards []string, at time.Time) ([]string, error)
	// DueEventSubjects lists subjects of a shard that have a delivery which is pending and
	// due at the given time, the longest due first, at most limit.
	DueEventSubjects(ctx context.Context, shard string, at time.Time, limit int) ([]string, error)
	// UndeliveredEvents lists the deliveries of a subject to a target that are not
	// delivered, by position, at most limit.
	UndeliveredEvents(ctx context.Context, target, subject string, limit int) ([]EventDelivery, error)
	// CountUndeliveredEvents counts the deliveries of the shards by status, without those that
	// are delivered.
	CountUndeliveredEvents(ctx context.Context, shards []string) ([]EventCount, error)
	// EventDeliveries lists deliveries by the id of the event and the target.
	EventDeliveries(ctx context.Context, q EventQuery) ([]EventDelivery, error)
	// OldestDelivered returns the time of the n-th delivered event of a shard, the oldest
	// first. It returns [ErrNoRecord] if fewer were delivered.
	OldestDelivered(ctx context.Context, shard string, n int) (time.Time, error)
}

// eventWriter writes events.
type eventWriter interface {
	// InsertEvents adds deliveries. It returns [ErrDuplicate] if a position is taken.
	InsertEvents(ctx context.Context, list []EventDelivery) error
	// SetEventStatus sets the status, its time, the attempts and the last error of a
	// delivery to those of d, if its status is the given one. It reports whether it did.
	SetEventStatus(ctx context.Context, d EventDelivery, was EventStatus) (bool, error)
	// SetWaitingEvents sets the status and its time of the pending and blocked deliveries
	// of the subject and target of d to those of d.
	SetWaitingEvents(ctx context.Context, d EventDelivery) error
	// DeleteDeliveredEvents deletes the events of a shard that were delivered at the given
	// time or before. It reports whether there were any.
	DeleteDeliveredEvents(ctx context.Context, shard string, until time.Time) (bool, error)
}
