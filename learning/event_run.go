package learning

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// DeliverEvents delivers the events that are due and returns how many it has delivered. It
// does not wait for events that another instance delivers. A failed delivery is not an
// error: it is logged, stored, and repeated by a later call when it is due. A server calls
// [System.RunEvents] instead.
func (s System) DeliverEvents(ctx context.Context) (delivered int, err error) {
	p := s.platform
	shards := p.eventShards()
	due, err := p.dueShards(ctx, shards)
	if err != nil {
		return 0, err
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	var failed []error
	for _, shard := range due {
		all.Go(func() {
			n, err := p.deliverShard(ctx, shards[shard], shard, nil)
			mu.Lock()
			defer mu.Unlock()
			delivered, failed = delivered+n, append(failed, err)
		})
	}
	all.Wait()
	return delivered, errors.Join(failed...)
}

// eventShards returns the targets of all shards, by the name of the shard.
func (p *Platform) eventShards() map[string]eventTarget {
	shards := map[string]eventTarget{}
	for _, t := range p.targets {
		for _, shard := range shardsOf(t.name) {
			shards[shard] = t
		}
	}
	return shards
}

// dueShards returns those of the shards that have a due event.
func (p *Platform) dueShards(ctx context.Context, shards map[string]eventTarget) ([]string, error) {
	if len(shards) == 0 {
		return nil, nil
	}
	due, err := p.store.DueEventShards(ctx, slices.Sorted(maps.Keys(shards)), p.now())
	return due, wrap("look for due events", err)
}

// RunEvents delivers events until ctx is done: at once those that this process writes,
// and within about a second those of other instances. Each hour one of the instances
// deletes the events that were delivered 30 days ago and those to targets that no instance
// has had for 30 days. Several instances share the work. RunEvents returns when the calls of
// the handlers have ended. Without handlers (see [WithEvents]) it only deletes.
func (s System) RunEvents(ctx context.Context) {
	p := s.platform
	if len(p.targets) == 0 {
		p.eventMaintenance().run(ctx, 0)
		return
	}
	r := eventRunner{platform: p, wakes: map[string]chan struct{}{}}
	defer r.workers.Wait()
	r.workers.Go(func() { p.eventMaintenance().run(ctx, 0) })
	for tick := time.NewTicker(eventPoll); ; {
		r.poll(ctx)
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-p.eventsWritten:
		case <-tick.C:
		}
	}
}

// wakeDelivery makes RunEvents look for due events.
func (p *Platform) wakeDelivery() { wake(p.eventsWritten) }

// wake sends a value to a channel of capacity 1, unless it has one already.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is to look already
	}
}

// eventRunner is a call of RunEvents.
type eventRunner struct {
	platform *Platform
	workers  sync.WaitGroup
	mu       sync.Mutex
	wakes    map[string]chan struct{} // of the shards whose delivery is in progress
}

// poll starts the delivery of shards that have due events, and makes those whose delivery is
// in progress look for more.
func (r *eventRunner) poll(ctx context.Context) {
	shards := r.platform.eventShards()
	r.mu.Lock()
	for shard, w := range r.wakes {
		wake(w)
		delete(shards, shard)
	}
	r.mu.Unlock()
	due, err := r.platform.dueShards(ctx, shards)
	if err != nil && ctx.Err() == nil {
		r.platform.log.WarnContext(ctx, "due events could not be read", "error", err)
	}
	for _, shard := range due {
		r.start(ctx, shards[shard], shard)
	}
}

// start delivers the events of a shard in a goroutine.
func (r *eventRunner) start(ctx context.Context, target eventTarget, shard string) {
	w := make(chan struct{}, 1)
	r.mu.Lock()
	r.wakes[shard] = w
	r.mu.Unlock()
	r.workers.Go(func() {
		if _, err := r.platform.deliverShard(ctx, target, shard, w); err != nil && ctx.Err() == nil {
			r.platform.log.WarnContext(ctx, "the work on events failed and is tried again",
				"work", shard, "error", err)
		}
		r.mu.Lock()
		delete(r.wakes, shard)
		r.mu.Unlock()
		if len(w) > 0 { // events may have been written after the last look
			r.platform.wakeDelivery()
		}
	})
}
