package learning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/singleflight"
)

// storedOnce describes a record that many may ask for at once, and that is made once:
// by one caller of one instance, while all others wait.
type storedOnce[T any] struct {
	// find reads the record. It returns [ErrNoRecord] while there is none.
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

// findOrMake returns a record that it finds, makes, or waits for. The key stands for the
// record in all instances. findOrMake gives up after the time that two attempts may take.
func findOrMake[T any](ctx context.Context, p *Platform, key string, r storedOnce[T]) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*(p.aiTimeout+2*leaseMargin))
	defer cancel()
	for created := false; ; {
		v, err := r.find(ctx)
		if created && errors.Is(err, ErrNoRecord) {
			return v, fmt.Errorf("%s was made and is not there", key)
		}
		if !errors.Is(err, ErrNoRecord) {
			return v, err
		}
		_, err = p.making.DoAdmitted(ctx, key, func(ctx context.Context) (work singleflight.Work[struct{}], err error) {
			work, created, err = beginRecord(ctx, p, key, r)
			return work, err
		})
		if err != nil {
			return v, wrap("make "+key, err)
		}
	}
}

// beginRecord takes the lease of a key, and returns the work that makes the record and
// gives the lease back. created is false if another instance has made the record
// meanwhile, and there is nothing to do.
func beginRecord[T any](ctx context.Context, p *Platform, key string, r storedOnce[T]) (work singleflight.Work[struct{}], created bool, err error) {
	claim, err := p.awaitAILease(ctx, key, func() error { _, err := r.find(ctx); return err })
	if err != nil {
		return nil, false, err
	}
	if claim.Name == "" {
		return func(context.Context) (none struct{}, err error) { return none, nil }, false, nil
	}
	admitted := false
	defer func() {
		if !admitted { // also if admit panics
			p.releaseAI(ctx, claim, nothing)
		}
	}()
	if r.admit != nil {
		if err := r.admit(); err != nil {
			return nil, false, err
		}
	}
	admitted = true
	return func(ctx context.Context) (none struct{}, err error) {
		defer p.releaseAI(ctx, claim, nothing)
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

func nothing(context.Context, Tx) error { return nil }

func isRateLimited(err error) bool {
	public, ok := errors.AsType[*Error](err)
	return ok && public.Kind == RateLimited
}

// awaitAILease takes the claim of a name. It returns without one when what the claim is
// for is found meanwhile.
func (p *Platform) awaitAILease(ctx context.Context, name string, find func() error) (AILease, error) {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		claim, err := p.tryAILease(ctx, name)
		if err != nil && !errors.Is(err, errLeased) {
			return AILease{}, fmt.Errorf("claim the AI: %w", err)
		}
		held := err == nil
		found, err := p.findWithClaim(ctx, claim, held, find)
		if found || err != nil {
			return AILease{}, err
		}
		if held {
			return claim, nil
		}
		if err := wait(ctx, pause); err != nil {
			return AILease{}, err
		}
	}
}

// findWithClaim looks for a record after a claim was tried, because the last holder of
// the claim may have made it since the first look. It gives a claim that is held back
// unless the record has yet to be made.
func (p *Platform) findWithClaim(ctx context.Context, claim AILease, held bool, find func() error) (found bool, err error) {
	missing := false
	defer func() {
		if held && !missing { // also if find panics
			p.releaseAI(ctx, claim, nothing)
		}
	}()
	err = find()
	if missing = errors.Is(err, ErrNoRecord); missing {
		return false, nil
	}
	return err == nil, err
}

// tryAILease takes the claim of a name unless somebody has it, for which a look is
// enough.
func (p *Platform) tryAILease(ctx context.Context, name string) (AILease, error) {
	taken, err := p.store.AILeases(ctx, name)
	if err != nil {
		return AILease{}, err
	}
	if _, _, free := freeSlot(taken, 1, p.now()); !free {
		return AILease{}, errLeased
	}
	return p.takeAILease(ctx, name, 1)
}

// logPanic logs a panic of the work of a shared call, which no goroutine above it
// recovers.
func (p *Platform) logPanic(ctx context.Context, e *singleflight.PanicError) {
	p.log.ErrorContext(ctx, "panic", "value", fmt.Sprint(e.Value), "stack", string(e.Stack))
}
