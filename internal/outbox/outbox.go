// Package outbox stores events in the transaction that they tell of, and delivers them to targets:
// those of a subject in their order, each until the target has handled it, by one instance at a
// time.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"regexp"
	"slices"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/record"
)

// Target receives events.
type Target struct {
	Name string
	// Handle handles an event. If it returns an error or panics, it is called again later. It must
	// be safe for concurrent use.
	Handle func(ctx context.Context, e Event) error
}

// Outbox writes and delivers the events of an instance. Its fields must not change when it is in
// use. It is safe for concurrent use.
type Outbox struct {
	Store   Store
	Leases  *lease.Leases
	Now     func() time.Time
	Log     *slog.Logger
	Targets []Target
	Timeout time.Duration // of one call of a target
	// LookEvery is the longest time between two looks of Run for due events.
	LookEvery time.Duration

	written chan struct{} // has a value if this instance has written events since the last look
	running atomic.Int32  // the calls of RunDeliveries
	// the transactions since the last signal to other instances, at least 1 while one is sent
	unsignalled atomic.Int64
}

// New returns an outbox with the default times, and without the other fields.
func New() *Outbox {
	return &Outbox{Timeout: callTimeout, LookEvery: DefaultLookEvery,
		written: make(chan struct{}, 1)}
}

var targetName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// CheckTargets returns an error if a target has no valid name or no function, or if two have the
// same name.
func (o *Outbox) CheckTargets() error {
	names := map[string]bool{}
	for _, t := range o.Targets {
		if !targetName.MatchString(t.Name) || names[t.Name] || t.Handle == nil {
			return fmt.Errorf("events to %q: a target needs a handler and a name of its own of "+
				"1 to 32 small letters, digits and hyphens", t.Name)
		}
		names[t.Name] = true
	}
	return nil
}

// errSeqTaken means that a concurrent transaction has written an event of the same subject.
var errSeqTaken = errors.New("the position of an event is taken")

// Write stores events at the end of a transaction, with a delivery to each target. There must be a
// target. The transaction must run inside [Retry]. The events of a subject are numbered in the
// transaction, because clocks of instances differ. Two transactions that read the same last number
// insert the same next one, so that one of them fails with an error by which Retry runs it again.
func (o *Outbox) Write(ctx context.Context, tx Tx, events []Event) error {
	if len(events) == 0 {
		return nil
	}

	// Read the last position of each subject.
	var subjects []string
	for _, e := range events {
		if !slices.Contains(subjects, e.Subject) {
			subjects = append(subjects, e.Subject)
		}
	}
	last, err := tx.LastEventSeqs(ctx, o.targetNames(), subjects)
	if err != nil {
		return err
	}

	// Give each event the next position of its subject, the same for all targets.
	var list []Delivery
	for _, e := range events {
		last[e.Subject]++
		for _, t := range o.Targets {
			list = append(list, Delivery{
				Event:    e,
				Target:   t.Name,
				Shard:    ShardOf(t.Name, e.Subject),
				Seq:      last[e.Subject],
				Status:   Pending,
				StatusAt: e.CreatedAt,
			})
		}
	}

	// After the commit, this instance looks for due events at once, or tells others.
	tx.AfterCommit(func() { o.announce(ctx) })
	if err = tx.InsertEvents(ctx, list); errors.Is(err, record.ErrDuplicate) {
		return errSeqTaken // Retry runs the transaction again
	}
	return err
}

// maxSeqTries limits the runs of a transaction whose events collide with those of others.
// At each collision another transaction was committed, so that the number of the
// concurrent transactions on one subject limits the runs too.
const maxSeqTries = 100

// Retry runs a transaction that writes events, and again if a concurrent one has written an event
// of the same subject. It returns the error of the last run, or that of ctx if ctx is done in a
// pause.
func Retry(ctx context.Context, transaction func() error) error {
	for try := 1; ; try++ {
		err := transaction()
		if !errors.Is(err, errSeqTaken) || try == maxSeqTries {
			return err
		}
		if err := backoff.Sleep(ctx, time.Millisecond); err != nil {
			return fmt.Errorf("write events: %w", err)
		}
	}
}

// targetNames returns the names of the targets of this instance.
func (o *Outbox) targetNames() (names []string) {
	for _, t := range o.Targets {
		names = append(names, t.Name)
	}
	return names
}

// Store stores events.
type Store interface {
	Reader
	// InTx runs fn in a transaction, more than once if another transaction is in its way.
	InTx(ctx context.Context, fn func(Tx) error) error
	Signals
}

// Signals tell other instances of events, where the engine has signals. They may be lost.
type Signals interface {
	// SignalEvents makes those that call HearEvents look for due events.
	SignalEvents(ctx context.Context) error
	// HearEvents calls heard at each SignalEvents of any instance, until stop is called. heard
	// returns at once. stop returns when heard is no longer called.
	HearEvents(heard func()) (stop func())
}

// Tx is a transaction that changes events.
type Tx interface {
	Reader
	Writer
	lease.Tx
	// AfterCommit registers a function to call after the commit.
	AfterCommit(func())
}

// Status is the state of a [Delivery].
type Status string

// The states of a delivery.
const (
	// Pending is to be delivered. It may have failed before.
	Pending Status = "pending"
	// Blocked waits for an earlier event of its subject that is not delivered.
	Blocked Status = "blocked"
	// Failed has failed at every attempt. [Outbox.Redeliver] makes it
	// pending again.
	Failed Status = "failed"
	// Delivered was handled without an error.
	Delivered Status = "delivered"
)

// statuses are all states.
var statuses = []Status{Pending, Blocked, Failed, Delivered}

// Event is a change that a transaction has written.
type Event struct {
	ID        string // the same in every delivery of the event
	Type      string
	CreatedAt time.Time
	Subject   string // its events are delivered in order
	Data      any    // only the store and the targets know what it is
}

// Delivery is the delivery of an event to one target.
type Delivery struct {
	Event
	Target    string // the name of the target
	Shard     string // the part of the target's deliveries that one lease covers
	Seq       int64  // the position of the event among those of its subject
	Status    Status
	StatusAt  time.Time // when a pending delivery is due; else when it got its status
	Attempts  int       // since it was written or redelivered
	LastError string    // of the last attempt; "" if that succeeded
}

// shardsPerTarget is the number of the leases that share the deliveries of a target. It must
// be the same in all instances.
const shardsPerTarget = 8

// ShardOf returns the shard of the deliveries of a subject to a target.
func ShardOf(target, subject string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(subject)) // never fails
	return shardName(target, int(h.Sum32()%shardsPerTarget))
}

// shardName returns the name of the n-th shard of a target, counted from 0.
func shardName(target string, n int) string { return fmt.Sprintf("%s/%d", target, n) }

// shardsOf returns the names of the shards of a target.
func shardsOf(target string) []string {
	names := make([]string, shardsPerTarget)
	for n := range names {
		names[n] = shardName(target, n)
	}
	return names
}

// Query selects deliveries. The zero value of a field selects all.
type Query struct {
	ID     string // of the event
	Target string
	Status Status
	After  string // the id of the last event of the previous page; pages need a Target
	Limit  int    // of a page
}

// Count is the number of the deliveries with a status.
type Count struct {
	Status Status
	Number int64
	Oldest time.Time // when the oldest event of these was written
}

// ShardDue is the time at which a shard has a delivery that is due.
type ShardDue struct {
	Shard string
	At    time.Time
}

// Range is the events of a subject between two positions, which are included.
type Range struct {
	Subject  string
	From, To int64
}

// Reader reads events.
type Reader interface {
	// LastEventSeqs reads the highest position of each of the subjects at any of the
	// targets. A subject without events is not in the result.
	LastEventSeqs(ctx context.Context, targets, subjects []string) (map[string]int64, error)
	// FirstPending returns when the first pending delivery of each shard is due, in any order.
	// Shards without one are left out.
	FirstPending(ctx context.Context, shards []string) ([]ShardDue, error)
	// DueEvents lists a page of the deliveries of a shard that are pending and due at the
	// given time, the longest due first, and those of one time by subject. Of those of one
	// time and subject a page may leave out some. Only Subject, Seq, StatusAt and Attempts
	// are set. after is the last delivery of the previous page, or zero.
	DueEvents(
		ctx context.Context, shard string, at time.Time, after Delivery, limit int,
	) ([]Delivery, error)
	// UndeliveredEvents lists the deliveries of a subject to a target that are not
	// delivered, by position, at most limit.
	UndeliveredEvents(
		ctx context.Context, target, subject string, limit int,
	) ([]Delivery, error)
	// UndeliveredEventsIn lists the deliveries to a target in at most 16 ranges that are not
	// delivered, in any order.
	UndeliveredEventsIn(
		ctx context.Context, target string, ranges []Range,
	) ([]Delivery, error)
	// LastPendingEvents returns the positions of the last deliveries of a subject to a
	// target, as far as all of them are pending. If there are none, from is above to.
	LastPendingEvents(ctx context.Context, target, subject string) (from, to int64, err error)
	// CountUndeliveredEvents counts the deliveries of the shards by status, without those that
	// are delivered.
	CountUndeliveredEvents(ctx context.Context, shards []string) ([]Count, error)
	// EventDeliveries lists deliveries by the id of the event and the target.
	EventDeliveries(ctx context.Context, q Query) ([]Delivery, error)
	// OldestEvent returns the time of the n-th delivery of a shard with a status, the one
	// that has had it for longest first. It returns [record.ErrNone] if there are fewer.
	OldestEvent(ctx context.Context, shard string, status Status, n int) (time.Time, error)
	// NextEventTarget returns the first target with deliveries that follows the given one in
	// the order of bytes. It returns [record.ErrNone] if there is none.
	NextEventTarget(ctx context.Context, after string) (string, error)
	// HasEventsAfter reports whether a delivery of the shards has got its status after the
	// given time, or is due after it.
	HasEventsAfter(ctx context.Context, shards []string, at time.Time) (bool, error)
}

// Writer writes events.
type Writer interface {
	// InsertEvents adds deliveries. It returns [record.ErrDuplicate] if a position is taken.
	InsertEvents(ctx context.Context, list []Delivery) error
	// SetEventStatus sets the status, its time, the attempts and the last error of a
	// delivery to those of after, if its status and attempts are those of before. It
	// reports whether it did.
	SetEventStatus(ctx context.Context, before, after Delivery) (bool, error)
	// SetEventsDelivered sets the status of those of the deliveries to a target that are
	// pending or blocked to Delivered, and counts one attempt more. The ids are those
	// of at most 32 events.
	SetEventsDelivered(ctx context.Context, target string, ids []string, at time.Time) error
	// UnblockEvents sets the status of those of the deliveries to a target that are blocked
	// to Pending, due at the given time. The ids are those of at most 32 events.
	UnblockEvents(ctx context.Context, target string, ids []string, at time.Time) error
	// BlockEvents sets the status of the pending deliveries of a subject to a target between
	// two positions, which are included, to Blocked.
	BlockEvents(ctx context.Context, target, subject string, from, to int64, at time.Time) error
	// DeleteEvents deletes the deliveries of a shard that have had a status since the given
	// time or longer. It reports whether there were any.
	DeleteEvents(ctx context.Context, shard string, status Status, until time.Time) (bool, error)
}
