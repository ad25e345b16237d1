package outbox

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/lease"
)

// deliverSubject delivers events of a subject in their order, until one fails, or until
// other subjects have their turn. It returns t with the result of the turn: err, and if again is
// set, the seq of the event at which the next turn begins.
//
//	first event that is not delivered   | what is done
//	failed at every attempt             | the later ones are blocked
//	not yet due after a failed attempt  | the later ones are blocked
//	due after one, with no such slot    | the subject waits for that slot
//	else                                | it is delivered, and those that follow
func (d *shardDelivery) deliverSubject(ctx context.Context, t subjectTurn) subjectTurn {
	// Begin with the first event that is not delivered. It may come before all of t.list.
	list := t.list
	if len(list) > 0 && list[0].Seq < t.seq {
		list, t.err = d.Store.UndeliveredEvents(ctx, d.target.Name, t.subject, eventsAtOnce+1)
	}
	if t.err != nil || len(list) == 0 {
		return t
	}

	// Stop if it cannot be delivered now.
	first, foundAt := list[0], t.seq
	t.seq = first.Seq
	isWaiting := first.Status == Pending && first.StatusAt.After(d.Now())
	if first.Status == Failed || isWaiting {
		t.err = d.blockLater(ctx, first, foundAt)
		return t
	}
	needsOtherSlot := first.Attempts > 0 && !t.repeated
	if needsOtherSlot {
		t.repeated = true
		t.again = true
		return t
	}

	// Block the later ones if there are many, so that looks for due events do not read them.
	if len(list) > eventsAtOnce {
		if t.err = d.blockLater(ctx, first, foundAt); t.err != nil {
			return t
		}
		for i := range list[1:] { // as they are stored now, so that attempt unblocks the next one
			list[i+1].Status = Blocked
		}
	}

	// Deliver in order. The event after a delivered one becomes the first.
	for i, e := range list[:min(len(list), eventsAtOnce)] {
		if e.Status == Failed { // the later ones were blocked when it failed
			return t
		}
		var next *Delivery
		if i+1 < len(list) {
			next = &list[i+1]
		}
		delivered, err := d.attempt(ctx, &t, e, next)
		if err == nil && !delivered && next != nil { // next must wait for e
			err = d.blockLater(ctx, e, foundAt)
		}
		if err != nil || !delivered {
			t.err = err
			return t
		}
	}
	if len(list) > eventsAtOnce { // other subjects have their turn, and then this one again
		t.seq = list[eventsAtOnce].Seq
		t.repeated = false
		t.again = true
	}
	return t
}

// attempt calls the handler with an event and stores the result: a delivered event, after
// which next, if it is blocked, becomes pending, or the time of the next attempt. It reports
// whether the event was delivered. An attempt that ended because ctx is done does not count.
func (d *shardDelivery) attempt(
	ctx context.Context, t *subjectTurn, e Delivery, next *Delivery,
) (delivered bool, err error) {
	failure := d.call(ctx, t, e.Event)
	if failure != nil && ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	before := e
	now := d.Now()
	e.Attempts++
	if failure == nil {
		e.Status = Delivered
		e.StatusAt = now
		e.LastError = ""
		r := result{before: before, after: e}
		if next != nil && next.Status == Blocked {
			r.unblocked = next.ID
		}
		return true, d.storeResult(r)
	}
	e.LastError = truncate(strings.ToValidUTF8(failure.Error(), "\uFFFD"), maxError)
	e.Status, e.StatusAt = Failed, now // for good, unless a delay is left
	if e.Attempts <= len(Delays) {
		e.Status, e.StatusAt = Pending, now.Add(Delays[e.Attempts-1])
	}
	d.Log.WarnContext(ctx, "an event was not delivered", "event", e.ID, "type", e.Type,
		"target", e.Target, "attempts", e.Attempts, "status", e.Status, "error", e.LastError)
	return false, d.storeResult(result{before: before, after: e})
}

// call calls the target with an event, and returns the error of its handler, an error for a panic,
// or that of ctx or of the time-out. It waits until the shard has fewer than Calls calls that are
// not slow. When the call becomes slow, it no longer counts as one of these, and if t has a fresh
// slot, it takes a slow one instead. Until a slow slot is free it counts, and keeps the fresh one.
// call does not wait for a handler that continues after its time.
func (d *shardDelivery) call(ctx context.Context, t *subjectTurn, e Event) error {
	// Count among the calls that are not slow, until isSlow is true or call returns.
	select {
	case d.calls <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	isSlow := false
	defer func() {
		if !isSlow {
			<-d.calls
		}
	}()

	// Call the handler in a goroutine of its own, because it may ignore ctx.
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	result := make(chan error, 1)
	go func() {
		defer func() {
			if value := recover(); value != nil {
				d.Log.ErrorContext(ctx, "panic", "value", fmt.Sprint(value), "stack",
					string(debug.Stack()))
				result <- fmt.Errorf("panic: %v", value)
			}
		}()
		result <- d.target.Handle(ctx, e)
	}()

	// Wait for the result. A send to wantedSlot takes a slow slot. It is nil, which is never ready,
	// except for a slow call with a fresh slot.
	timer := time.NewTimer(slowAfter)
	defer timer.Stop()
	var wantedSlot chan<- struct{}
	for {
		select {
		case err := <-result:
			return err
		case <-ctx.Done():
			return fmt.Errorf("no answer within %v: %w", d.Timeout, ctx.Err())
		case <-timer.C: // the call is slow
			if t.slot == d.fresh { // it counts until it has a slow slot
				wantedSlot = d.slow
				continue
			}
			isSlow = true
			<-d.calls
		case wantedSlot <- struct{}{}: // it has a slow slot
			wantedSlot, isSlow = nil, true
			<-t.slot
			t.slot = d.slow
			<-d.calls
		}
	}
}

// blockLater blocks the pending events of a subject that follow e, which is not delivered. Those
// that are blocked already usually come before the pending ones, so that it begins after the last
// event that is not pending: each event is blocked once, however often e fails. foundAt is the
// position at which a look found the subject. If that is a later event, it is blocked in any case,
// because looks would find it again and again.
func (d *shardDelivery) blockLater(ctx context.Context, e Delivery, foundAt int64) error {
	from, last, err := d.Store.LastPendingEvents(ctx, e.Target, e.Subject)
	if err != nil {
		return err
	}
	from = max(from, e.Seq+1)
	if foundAt > e.Seq {
		from = min(from, foundAt)
	}
	for ; from <= last; from += blockAtOnce { // none if from is above last
		err := d.Store.InTx(ctx, func(tx Tx) error {
			tx.Repeatable()
			if err := lease.Hold(ctx, tx, d.lease.Lease()); err != nil {
				return err
			}
			to := min(from+blockAtOnce-1, last)
			return tx.BlockEvents(ctx, e.Target, e.Subject, from, to, d.Now())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// truncate returns at most the first n code points of a text.
func truncate(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}
