package learning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/singleflight"
)

// recordSource describes a record that is created at the first request. One caller of
// one instance creates it, and concurrent callers wait.
type recordSource[T any] struct {
	// find reads the record. It returns [ErrNoRecord] if there is none.
	find func(ctx context.Context) (T, error)
	// admit, if not nil, is called by the caller that is about to make the record, in its
	// own goroutine. If it fails or panics, this concerns only that caller, and a waiting
	// caller is next.
	admit func() error
	// create makes and stores the record, so that find finds it. Its context is done when
	// the last caller has left. Its error is that of all callers of this process, except
	// that a [RateLimited] error concerns only the caller that was admitted.
	//
	// An instance that was stopped for longer than its lease may come late, when another
	// one has stored the record: the store decides who was first.
	create func(ctx context.Context) error
}

// findOrCreate returns a record that it finds, creates, or waits for. key must identify
// the record in all instances. findOrCreate gives up after the time of two attempts.
func findOrCreate[T any](ctx context.Context, p *Platform, key string, r recordSource[T]) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*(p.aiTimeout+2*leaseMargin))
	defer cancel()
	for created := false; ; {
		v, err := r.find(ctx)
		if created && errors.Is(err, ErrNoRecord) {
			return v, fmt.Errorf("%s was created and cannot be found", key)
		}
		if !errors.Is(err, ErrNoRecord) {
			return v, err
		}
		_, err = p.creations.DoAdmitted(ctx, key, func(ctx context.Context) (work singleflight.Work[struct{}], err error) {
			work, created, err = beginCreation(ctx, p, key, r)
			return work, err
		})
		if err != nil {
			return v, wrap("make "+key, err)
		}
	}
}

// beginCreation takes the lease of a key, and returns the work that creates the record
// and releases the lease. created is false if another instance has created the record
// meanwhile.
func beginCreation[T any](ctx context.Context, p *Platform, key string, r recordSource[T]) (work singleflight.Work[struct{}], created bool, err error) {
	lease, err := p.awaitAILease(ctx, key, func() error { _, err := r.find(ctx); return err })
	if err != nil {
		return nil, false, err
	}
	if lease.Name == "" {
		return func(context.Context) (none struct{}, err error) { return none, nil }, false, nil
	}
	admitted := false
	defer func() {
		if !admitted { // also if admit panics
			p.releaseAI(ctx, lease, storeNothing)
		}
	}()
	if r.admit != nil {
		if err := r.admit(); err != nil {
			return nil, false, err
		}
	}
	admitted = true
	return func(ctx context.Context) (none struct{}, err error) {
		defer p.releaseAI(ctx, lease, storeNothing)
		return none, p.createRecord(ctx, r.create)
	}, true, nil
}

func (p *Platform) createRecord(ctx context.Context, create func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, p.aiTimeout)
	defer cancel()
	err := create(ctx)
	if isRateLimited(err) {
		err = singleflight.LeaderError(err)
	}
	return err
}

func storeNothing(context.Context, Tx) error { return nil }

func isRateLimited(err error) bool {
	public, ok := errors.AsType[*Error](err)
	return ok && public.Kind == RateLimited
}

// awaitAILease takes the lease of a name. It returns the zero lease if the record is
// found meanwhile.
func (p *Platform) awaitAILease(ctx context.Context, name string, find func() error) (AILease, error) {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		lease, err := p.tryAILease(ctx, name)
		if err != nil && !errors.Is(err, errNoFreeSlot) {
			return AILease{}, fmt.Errorf("take an AI lease: %w", err)
		}
		held := err == nil
		found, err := p.findBeforeCreating(ctx, lease, held, find)
		if found || err != nil {
			return AILease{}, err
		}
		if held {
			return lease, nil
		}
		if err := wait(ctx, pause); err != nil {
			return AILease{}, err
		}
	}
}

// findBeforeCreating looks for a record after a try to take its lease, because the last
// holder may have created it since the first look. If held, it releases the lease
// unless the record is missing.
func (p *Platform) findBeforeCreating(ctx context.Context, lease AILease, held bool, find func() error) (found bool, err error) {
	missing := false
	defer func() {
		if held && !missing { // also if find panics
			p.releaseAI(ctx, lease, storeNothing)
		}
	}()
	err = find()
	if missing = errors.Is(err, ErrNoRecord); missing {
		return false, nil
	}
	return err == nil, err
}

// tryAILease takes the lease of a name. If the lease has a holder, it only reads.
func (p *Platform) tryAILease(ctx context.Context, name string) (AILease, error) {
	taken, err := p.store.AILeases(ctx, name)
	if err != nil {
		return AILease{}, err
	}
	if _, _, free := freeSlot(taken, 1, p.now()); !free {
		return AILease{}, errNoFreeSlot
	}
	return p.takeAILease(ctx, name, 1)
}

// logPanic logs a panic in the work of a single-flight call.
func (p *Platform) logPanic(ctx context.Context, e *singleflight.PanicError) {
	p.log.ErrorContext(ctx, "panic", "value", fmt.Sprint(e.Value), "stack", string(e.Stack))
}
