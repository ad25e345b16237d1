package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// The constants of the delivery of events. Those with "of a shard" hold for one instance.
const (
	callTimeout = 15 * time.Second       // of one call of a target
	slowAfter   = 500 * time.Millisecond // a call that takes longer is slow
	// length of the lease of a shard; it is extended after a third
	leaseLength = time.Minute
	// between two looks for due events while a shard is delivered, also by another instance
	pollEvery = time.Second
	// DefaultLookEvery is the time between two looks of Run for due events while nothing is.
	DefaultLookEvery = 6 * time.Second

	Calls            = 4  // calls at once that are not slow, of a shard
	freshSubjects    = 16 // subjects at once whose call is not slow, of a shard
	slowSubjects     = 32 // subjects at once whose call is slow, of a shard
	repeatedSubjects = 16 // subjects at once whose last attempt has failed, of a shard

	eventsAtOnce = 20  // of one subject, before other subjects have their turn
	blockAtOnce  = 500 // later events of a subject that one transaction blocks
	storedAtOnce = 32  // results that one transaction stores
	maxError     = 500 // code points of a stored error
)

// Delays are the pauses after failed attempts. A delivery that fails once more has the
// status Failed.
var Delays = []time.Duration{
	5 * time.Second, 30 * time.Second, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
}

// shardDelivery delivers the due events of one shard, while it has the lease of the shard.
// A subject has at most one goroutine, which delivers its events in their order. All results
// are stored by one other goroutine, many in one transaction.
//
// Each goroutine of a subject has a slot:
//
//	slot     | of a subject
//	fresh    | whose first event was not tried before; calls of the handler end soon
//	slow     | that had a fresh slot until its call became slow
//	repeated | whose first event has failed before, so that its call is slow more often
//
// So subjects for which the handler hangs take slots from each other, and not from those
// that were not tried before, as long as there are slow slots.
type shardDelivery struct {
	*Outbox
	target Target
	shard  string
	lease  *lease.Renewed  // of the shard
	queued <-chan struct{} // has a value if there may be new events; nil for never

	fresh, slow, repeated chan struct{} // the slots that are taken
	calls                 chan struct{} // the calls that are not slow
	results               chan result
	delivered             atomic.Int64 // how many events were delivered
}

// deliverShard delivers the due events of a shard and returns how many it delivered. It returns
// [lease.ErrHeld] or [lease.ErrLost] if another instance delivers them. A value of queued means
// that there may be new events.
func (o *Outbox) deliverShard(
	ctx context.Context, t Target, shard string, queued <-chan struct{},
) (delivered int, err error) {
	d := &shardDelivery{
		Outbox: o,
		target: t,
		shard:  shard,
		lease:  o.Leases.NewRenewed("events:"+shard, leaseLength),
		queued: queued,

		fresh:    make(chan struct{}, freshSubjects),
		slow:     make(chan struct{}, slowSubjects),
		repeated: make(chan struct{}, repeatedSubjects),
		calls:    make(chan struct{}, Calls),
		results:  make(chan result, storedAtOnce),
	}
	err = lease.Run(ctx, d.lease, leaseLength, func(ctx context.Context) error {
		var storing sync.WaitGroup
		storing.Go(func() { d.storeResults(ctx) })
		defer storing.Wait()
		defer close(d.results) // first, because it ends storeResults
		return d.deliver(ctx)
	})
	return int(d.delivered.Load()), wrap("deliver events of "+shard, err)
}

// isElsewhere reports whether an error of deliverShard means that another instance delivers.
func isElsewhere(err error) bool {
	return errors.Is(err, lease.ErrHeld) || errors.Is(err, lease.ErrLost)
}

// wrap returns err with the action before it, or nil.
func wrap(action string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", action, err)
}

// deliver delivers until nothing is due. After an error, or when ctx is done, it begins nothing
// more, waits until the goroutines of the subjects have ended, and returns the first error.
func (d *shardDelivery) deliver(ctx context.Context) error {
	queue := newSubjectQueue(d.fresh, d.repeated)
	done := make(chan subjectTurn) // the turns that have ended
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	always := make(chan struct{}) // a receive from it never waits
	close(always)
	ended := ctx.Done() // nil when its end was seen, so that select does not see it again
	var failed error
	for {
		// Find out what can be done now: look, if subjects are wanted, and begin with one of a lane
		// in which any waits. The channel is nil otherwise.
		var look <-chan struct{}
		var fresh, repeated chan<- struct{}
		if failed == nil {
			fresh, repeated = queue.fresh.slotsIfWaiting(), queue.repeated.slotsIfWaiting()
			if queue.wantsPage() {
				look = always
			}
		}
		// Nothing runs, waits or must be looked for.
		if queue.active == 0 && look == nil && fresh == nil && repeated == nil {
			return failed
		}

		// Look for due subjects, begin with the next one when it has a slot, or end the turn
		// of another. A nil channel is never ready. To send takes a slot, to receive frees it.
		var err error
		select {
		case <-look:
			err = queue.readPage(func(after Delivery) ([]Delivery, error) {
				return d.Store.DueEvents(ctx, d.shard, d.Now(), after, duePage)
			})
		case fresh <- struct{}{}:
			err = d.begin(ctx, queue, &queue.fresh, done)
		case repeated <- struct{}{}:
			err = d.begin(ctx, queue, &queue.repeated, done)
		case t := <-done:
			<-t.slot
			queue.done(t)
			err = t.err
		case <-d.queued:
			queue.lookAgain()
		case <-ticker.C:
			queue.lookAgain()
		case <-ended: // the lease is lost, or the caller wants it to end
			ended = nil
			err = context.Cause(ctx)
		}
		if failed == nil {
			failed = err
		}
	}
}

// begin begins the turn of the first subject of a lane, for which the caller has taken a slot. The
// turn is sent to done when it has ended; on an error, begin frees the slot.
func (d *shardDelivery) begin(
	ctx context.Context, q *subjectQueue, lane *subjectLane, done chan<- subjectTurn,
) error {
	t, err := q.next(lane, func(ranges []Range) ([]Delivery, error) {
		return d.Store.UndeliveredEventsIn(ctx, d.target.Name, ranges)
	})
	if err != nil {
		<-lane.slots
		return err
	}
	go func() { done <- d.deliverSubject(ctx, t) }()
	return nil
}
