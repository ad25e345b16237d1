package learning

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// The constants of the delivery of events.
const (
	eventTimeout    = 15 * time.Second // of one call of a handler
	eventLease      = time.Minute      // length of the lease of a shard; it is extended after a third
	eventPoll       = time.Second      // between two looks for due events
	subjectsAtOnce  = 4                // that one instance delivers in one shard
	eventsAtOnce    = 20               // of one subject, before other subjects have their turn
	maxEventSubject = 64               // subjects in one list of due ones
	maxEventError   = 500              // code points of a stored error
)

// eventDelays are the pauses after failed attempts. A delivery that fails once more has the
// status EventFailed.
var eventDelays = []time.Duration{5 * time.Second, 30 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour}

// shardDelivery is the delivery of the due events of one shard. It has the lease of the
// shard, which it extends while it works.
type shardDelivery struct {
	renewedLease
	target    eventTarget
	shard     string
	delivered atomic.Int64
}

// deliverShard delivers the due events of a shard and returns how many it delivered. It
// does nothing if another instance does so.
func (p *Platform) deliverShard(ctx context.Context, t eventTarget, shard string) (delivered int, err error) {
	d := &shardDelivery{renewedLease: p.newRenewedLease("events:"+shard, eventLease), target: t, shard: shard}
	err = lease.Run(ctx, d, eventLease, d.deliver)
	if errors.Is(err, lease.ErrHeld) || errors.Is(err, lease.ErrLost) {
		err = nil
	}
	return int(d.delivered.Load()), wrap("deliver events of "+shard, err)
}

// Release releases the lease.
func (d *shardDelivery) Release(ctx context.Context) {
	if err := d.releaseLease(ctx, d.lease()); err != nil {
		d.log.WarnContext(ctx, "the lease of a shard of events was not released", "shard", d.shard, "error", err)
	}
}

// subjectDone reports that the delivery of a subject has paused.
type subjectDone struct {
	subject string
	err     error
}

// deliver delivers until nothing is due. Several subjects are delivered concurrently, so
// that one for which the handler is slow does not stop the others.
func (d *shardDelivery) deliver(ctx context.Context) error {
	active, done := map[string]bool{}, make(chan subjectDone)
	var failed error
	for {
		if failed == nil {
			failed = d.start(ctx, active, done)
		}
		if len(active) == 0 {
			return failed
		}
		select {
		case s := <-done:
			delete(active, s.subject)
			if failed == nil {
				failed = s.err
			}
		case <-time.After(eventPoll): // another subject may be due
		}
	}
}

// start begins the delivery of due subjects that are not active, as far as there are
// places.
func (d *shardDelivery) start(ctx context.Context, active map[string]bool, done chan<- subjectDone) error {
	if ctx.Err() != nil || len(active) == subjectsAtOnce {
		return context.Cause(ctx)
	}
	due, err := d.store.DueEventSubjects(ctx, d.shard, d.now(), maxEventSubject)
	for _, subject := range due {
		if !active[subject] && len(active) < subjectsAtOnce {
			active[subject] = true
			go func() { done <- subjectDone{subject, d.deliverSubject(ctx, subject)} }()
		}
	}
	return err
}

// deliverSubject delivers events of a subject in their order, until one fails.
func (d *shardDelivery) deliverSubject(ctx context.Context, subject string) error {
	list, err := d.store.UndeliveredEvents(ctx, d.target.name, subject, eventsAtOnce)
	if err != nil {
		return err
	}
	for i, e := range list {
		if e.Status == EventFailed {
			_, err = d.record(ctx, e, e.Status, EventBlocked, d.now())
			return err
		}
		if i == 0 && e.Status == EventPending && e.StatusAt.After(d.now()) {
			_, err = d.record(ctx, e, e.Status, EventPending, e.StatusAt)
			return err
		}
		if delivered, err := d.attempt(ctx, e); err != nil || !delivered {
			return err
		}
	}
	return nil
}

// attempt calls the handler with an event and records the result. It reports whether the
// event was delivered. An attempt that ended because ctx is done does not count.
func (d *shardDelivery) attempt(ctx context.Context, e EventDelivery) (delivered bool, err error) {
	failure := d.handle(ctx, e.Event)
	if failure != nil && ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	was, now := e.Status, d.now()
	e.Attempts++
	if failure == nil {
		e.Status, e.StatusAt, e.LastError = EventDelivered, now, ""
		if delivered, err = d.record(ctx, e, was, "", now); delivered {
			d.delivered.Add(1)
		}
		return delivered, err
	}
	e.LastError = truncate(strings.ToValidUTF8(failure.Error(), "\uFFFD"), maxEventError)
	others := EventBlocked
	e.Status, e.StatusAt = EventFailed, now
	if e.Attempts <= len(eventDelays) {
		others = EventPending
		e.Status, e.StatusAt = EventPending, now.Add(eventDelays[e.Attempts-1])
	}
	d.log.WarnContext(ctx, "an event was not delivered", "event", e.ID, "type", e.Type, "target", e.Target,
		"attempts", e.Attempts, "status", e.Status, "error", e.LastError)
	_, err = d.record(ctx, e, was, others, e.StatusAt)
	return false, err
}

// record stores the state of a delivery whose status was the given one. The events of the
// subject that wait for it get the status others, with its time; "" leaves them unchanged.
// It reports whether the delivery had that status, and returns [lease.ErrLost] if another
// instance has the lease. It does not end with ctx, so that the result of a call that was
// made is not lost.
func (d *shardDelivery) record(ctx context.Context, e EventDelivery, was, others EventStatus, at time.Time) (changed bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Margin)
	defer cancel()
	err = d.store.InTx(ctx, func(tx Tx) (err error) {
		if err := lease.Hold(ctx, tx, d.lease()); err != nil {
			return err
		}
		changed, err = tx.SetEventStatus(ctx, e, was)
		if err != nil || !changed || others == "" {
			return err
		}
		waiting := e
		waiting.Status, waiting.StatusAt = others, at
		return tx.SetWaitingEvents(ctx, waiting)
	})
	return changed && err == nil, err
}

// handle calls the handler of the target. It does not wait for a handler that continues
// after its time.
func (d *shardDelivery) handle(ctx context.Context, e Event) error {
	ctx, cancel := context.WithTimeout(ctx, d.eventTimeout)
	defer cancel()
	result := make(chan error, 1)
	go func() {
		defer func() {
			if value := recover(); value != nil {
				d.log.ErrorContext(ctx, "panic", "value", fmt.Sprint(value), "stack", string(debug.Stack()))
				result <- fmt.Errorf("panic: %v", value)
			}
		}()
		result <- d.target.handler.HandleEvent(ctx, e)
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return fmt.Errorf("no answer within %v: %w", d.eventTimeout, ctx.Err())
	}
}
