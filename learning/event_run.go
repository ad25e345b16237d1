package learning

import (
	"context"
	"errors"
	"sync"
	"time"
)

// DeliverEvents delivers the events that are due and returns how many it has delivered. It
// does not wait for events that another instance delivers. A failed delivery is not an
// error: it is logged, stored, and repeated by a later call when it is due. A server calls
// [System.RunEvents] instead.
func (s System) DeliverEvents(ctx context.Context) (delivered int, err error) {
	p := s.platform
	due, err := p.dueShards(ctx)
	if err != nil {
		return 0, err
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	var failed []error
	for shard, target := range due {
		all.Go(func() {
			n, err := p.deliverShard(ctx, target, shard)
			mu.Lock()
			defer mu.Unlock()
			delivered, failed = delivered+n, append(failed, err)
		})
	}
	all.Wait()
	return delivered, errors.Join(failed...)
}

// dueShards returns the shards that have a due event, with their targets.
func (p *Platform) dueShards(ctx context.Context) (map[string]eventTarget, error) {
	all, due := map[string]eventTarget{}, map[string]eventTarget{}
	var names []string
	for _, t := range p.targets {
		for _, shard := range t.shards() {
			all[shard], names = t, append(names, shard)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	list, err := p.store.DueEventShards(ctx, names, p.now())
	for _, shard := range list {
		due[shard] = all[shard]
	}
	return due, wrap("look for due events", err)
}

// RunEvents delivers events until ctx is done: at once those that this process writes,
// and within about a second those of other instances. Events that were delivered 30 days
// ago are deleted each hour, by one of the instances. Several instances share the work. RunEvents returns when the calls of
// the handlers have ended. It returns at once if there is no handler: see [WithEvents].
func (s System) RunEvents(ctx context.Context) {
	if len(s.platform.targets) == 0 {
		return
	}
	r := eventRunner{Platform: s.platform, active: map[string]bool{}}
	defer r.workers.Wait()
	r.workers.Go(func() { r.deletion().run(ctx, 0) })
	for tick := time.NewTicker(eventPoll); ; {
		r.poll(ctx)
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-r.eventsWritten:
		case <-tick.C:
		}
	}
}

// wakeDelivery makes RunEvents look for due events.
func (p *Platform) wakeDelivery() {
	select {
	case p.eventsWritten <- struct{}{}:
	default: // it is to look already
	}
}

// eventRunner is a call of RunEvents.
type eventRunner struct {
	*Platform
	workers sync.WaitGroup
	mu      sync.Mutex
	active  map[string]bool // the shards whose delivery is in progress
}

// poll starts the delivery of shards that have due events.
func (r *eventRunner) poll(ctx context.Context) {
	due, err := r.dueShards(ctx)
	if err != nil && ctx.Err() == nil {
		r.log.WarnContext(ctx, "due events could not be read", "error", err)
	}
	for shard, target := range due {
		r.start(ctx, target, shard)
	}
}

// start delivers the events of a shard in a goroutine, unless that is in progress.
func (r *eventRunner) start(ctx context.Context, target eventTarget, shard string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active[shard] {
		return
	}
	r.active[shard] = true
	r.workers.Go(func() {
		if _, err := r.deliverShard(ctx, target, shard); err != nil && ctx.Err() == nil {
			r.log.WarnContext(ctx, "the work on events failed and is tried again", "work", shard, "error", err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.active, shard)
	})
}
