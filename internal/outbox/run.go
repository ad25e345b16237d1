package outbox

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/schedule"
)

// Deliver delivers the events that are due and returns how many it has delivered. It does not
// wait for events that another instance delivers. A failed delivery is not an error: it is logged,
// stored, and repeated by a later call when it is due.
func (o *Outbox) Deliver(ctx context.Context) (delivered int, err error) {
	shards := o.shards()
	due, _, err := o.dueShards(ctx, shards)
	if err != nil {
		return 0, err
	}
	var mu sync.Mutex
	var deliveries sync.WaitGroup
	var failed []error // nil for a shard without an error
	for _, shard := range due {
		deliveries.Go(func() {
			var neverQueued <-chan struct{} // nil: this call does not wait for new events
			n, err := o.deliverShard(ctx, shards[shard], shard, neverQueued)
			mu.Lock()
			defer mu.Unlock()
			delivered += n
			if !isElsewhere(err) {
				failed = append(failed, err)
			}
		})
	}
	deliveries.Wait()
	return delivered, errors.Join(failed...)
}

// shards returns the targets of all shards, by the name of the shard.
func (o *Outbox) shards() map[string]Target {
	shards := map[string]Target{}
	for _, t := range o.Targets {
		for _, shard := range shardsOf(t.Name) {
			shards[shard] = t
		}
	}
	return shards
}

// dueShards returns those of the shards that have a due event, and the pause until another has
// one: at most LookEvery. shards has the target of each.
func (o *Outbox) dueShards(
	ctx context.Context, shards map[string]Target,
) (due []string, pause time.Duration, err error) {
	pause = o.LookEvery
	if len(shards) == 0 {
		return nil, pause, nil
	}
	now := o.Now()
	list, err := o.Store.FirstPending(ctx, slices.Sorted(maps.Keys(shards)))
	for _, first := range list {
		if wait := first.At.Sub(now); wait > 0 {
			pause = min(pause, wait)
		} else {
			due = append(due, first.Shard)
		}
	}
	return due, pause, wrap("look for due events", err)
}

// Undelivered counts the deliveries to the targets that are not delivered, by their status.
func (o *Outbox) Undelivered(ctx context.Context) ([]Count, error) {
	if len(o.Targets) == 0 {
		return nil, nil
	}
	counts, err := o.Store.CountUndeliveredEvents(ctx, slices.Sorted(maps.Keys(o.shards())))
	return counts, wrap("count events", err)
}

// Run delivers events until ctx is done: at once those that this instance writes, when they are due
// those that have failed, and within LookEvery those of instances that do not call Run, or at once
// where the store has signals. Each hour one of the instances calls [Outbox.Maintain]. Run returns
// when the calls of the targets have ended. Without targets it only maintains.
func (o *Outbox) Run(ctx context.Context) {
	var delivering sync.WaitGroup
	defer delivering.Wait()
	delivering.Go(func() { o.RunDeliveries(ctx) })
	schedule.Loop(ctx, o.Maintenance())
}

// RunDeliveries is the part of Run that delivers. Without targets it returns at once.
func (o *Outbox) RunDeliveries(ctx context.Context) {
	if len(o.Targets) == 0 {
		return
	}
	o.running.Add(1)
	defer o.running.Add(-1)
	defer o.Store.HearEvents(o.wake)() // the other instances
	r := runner{Outbox: o, queued: map[string]chan struct{}{}}
	defer r.workers.Wait()
	for {
		again := time.NewTimer(r.poll(ctx))
		select {
		case <-ctx.Done():
			again.Stop()
			return
		case <-o.written: // by this instance
		case <-again.C: // for events of other instances, and delayed ones
		}
	}
}

// signalTimeout bounds one signal to other instances.
const signalTimeout = 5 * time.Second

// announce makes an instance look for the events that a transaction of this one has written: this
// one if it runs, and else another one. It sends one signal at a time, so that the transactions
// that end meanwhile share the next one.
func (o *Outbox) announce(ctx context.Context) {
	o.wake()
	if o.running.Load() > 0 || o.unsignalled.Add(1) > 1 {
		return
	}
	ctx = context.WithoutCancel(ctx) // the transaction is committed whether its caller waits or not
	go func() {
		for {
			n := o.unsignalled.Load()
			bounded, cancel := context.WithTimeout(ctx, signalTimeout)
			err := o.Store.SignalEvents(bounded)
			cancel()
			if err != nil { // the others look within LookEvery
				o.Log.DebugContext(ctx, "other instances were not told of events", "error", err)
			}
			if o.unsignalled.CompareAndSwap(n, 0) {
				return
			}
		}
	}()
}

// wake makes Run look for due events.
func (o *Outbox) wake() { signal(o.written) }

// signal sends a value to a channel of capacity 1, unless it has one already.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // the receiver has a value to take already
	}
}

// runner is a call of Run.
type runner struct {
	*Outbox
	workers sync.WaitGroup
	mu      sync.Mutex
	// by the shards whose delivery is in progress: a value makes the delivery look for more events
	queued map[string]chan struct{}
}

// poll starts the delivery of shards that have due events, and returns the pause until the next
// poll. It makes those whose delivery is in progress look for more, and does not look itself for
// their due events.
func (r *runner) poll(ctx context.Context) (pause time.Duration) {
	shards := r.shards()
	r.mu.Lock()
	for shard, queued := range r.queued { // in progress
		signal(queued)
		delete(shards, shard) // leaves those that may be started
	}
	r.mu.Unlock()
	due, pause, err := r.dueShards(ctx, shards)
	if err != nil && ctx.Err() == nil {
		r.Log.WarnContext(ctx, "due events could not be read", "error", err)
	}
	for _, shard := range due {
		r.start(ctx, shards[shard], shard)
	}
	return pause
}

// start delivers the events of a shard in a goroutine. If that fails, the next poll starts it
// again. If another instance delivers them, which may end without having seen the last events, this
// one looks again after pollEvery.
func (r *runner) start(ctx context.Context, target Target, shard string) {
	queued := make(chan struct{}, 1)
	r.mu.Lock()
	r.queued[shard] = queued
	r.mu.Unlock()
	r.workers.Go(func() {
		_, err := r.deliverShard(ctx, target, shard, queued)
		failed := false
		switch {
		case isElsewhere(err):
			_ = backoff.Sleep(ctx, pollEvery)
		case err != nil && ctx.Err() == nil:
			r.Log.WarnContext(ctx, "the work on events failed and is tried again",
				"work", shard, "error", err)
			failed = true
		}
		r.mu.Lock()
		delete(r.queued, shard)
		r.mu.Unlock()
		// Events may have been written after the last look, and what has failed is due at another
		// time than Run knows of.
		if !failed || len(queued) > 0 {
			r.wake()
		}
	})
}
