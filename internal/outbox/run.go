package outbox

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// Deliver delivers the events that are due and returns how many it has delivered. It does not
// wait for events that another instance delivers. A failed delivery is not an error: it is logged,
// stored, and repeated by a later call when it is due.
func (o *Outbox) Deliver(ctx context.Context) (delivered int, err error) {
	shards := o.shards()
	due, err := o.dueShards(ctx, shards)
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
			failed = append(failed, err)
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

// dueShards returns those of the shards that have a due event. shards has the target of each.
func (o *Outbox) dueShards(ctx context.Context, shards map[string]Target) ([]string, error) {
	if len(shards) == 0 {
		return nil, nil
	}
	due, err := o.Store.DueEventShards(ctx, slices.Sorted(maps.Keys(shards)), o.Now())
	return due, wrap("look for due events", err)
}

// Undelivered counts the deliveries to the targets that are not delivered, by their status.
func (o *Outbox) Undelivered(ctx context.Context) ([]Count, error) {
	if len(o.Targets) == 0 {
		return nil, nil
	}
	counts, err := o.Store.CountUndeliveredEvents(ctx, slices.Sorted(maps.Keys(o.shards())))
	return counts, wrap("count events", err)
}

// Run delivers events until ctx is done: at once those that this instance writes, and within
// about a second those of other instances. Each hour one of the instances calls [Outbox.Maintain].
// Run returns when the calls of the targets have ended. Without targets it only maintains.
func (o *Outbox) Run(ctx context.Context) {
	const noPause = 0 // before the first maintenance
	if len(o.Targets) == 0 {
		o.maintenance().Loop(ctx, noPause)
		return
	}
	r := runner{Outbox: o, queued: map[string]chan struct{}{}}
	defer r.workers.Wait()
	r.workers.Go(func() { o.maintenance().Loop(ctx, noPause) })
	for tick := time.NewTicker(pollEvery); ; {
		r.poll(ctx)
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-o.written: // by this instance
		case <-tick.C: // for events of other instances, and delayed ones
		}
	}
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

// poll starts the delivery of shards that have due events. It makes those whose delivery is in
// progress look for more, and does not look itself for their due events.
func (r *runner) poll(ctx context.Context) {
	shards := r.shards()
	r.mu.Lock()
	for shard, queued := range r.queued { // in progress
		signal(queued)
		delete(shards, shard) // leaves those that may be started
	}
	r.mu.Unlock()
	due, err := r.dueShards(ctx, shards)
	if err != nil && ctx.Err() == nil {
		r.Log.WarnContext(ctx, "due events could not be read", "error", err)
	}
	for _, shard := range due {
		r.start(ctx, shards[shard], shard)
	}
}

// start delivers the events of a shard in a goroutine. If that fails, the next poll starts it
// again.
func (r *runner) start(ctx context.Context, target Target, shard string) {
	queued := make(chan struct{}, 1)
	r.mu.Lock()
	r.queued[shard] = queued
	r.mu.Unlock()
	r.workers.Go(func() {
		if _, err := r.deliverShard(ctx, target, shard, queued); err != nil && ctx.Err() == nil {
			r.Log.WarnContext(ctx, "the work on events failed and is tried again",
				"work", shard, "error", err)
		}
		r.mu.Lock()
		delete(r.queued, shard)
		r.mu.Unlock()
		if len(queued) > 0 { // events may have been written after the last look
			r.wake()
		}
	})
}
