package learning

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// shared is something that many may ask for at once and that is made once: by one of
// them, while the others wait, in this process and in others.
type shared[T any] struct {
	// find reads it; [ErrNoRecord] while it is not there.
	find func(ctx context.Context) (T, error)
	// admit is asked by who is about to make it, before and in their own goroutine; nil
	// for no question. Its error is theirs alone, and somebody else goes in their place.
	admit func() error
	// make makes and stores it, so that find finds it. It goes on while anybody waits,
	// and its context is done when the last has left. Its error is that of all who wait
	// in this process, but for a [RateLimited] one, which is of who was about to pay.
	//
	// One who was held up may come late, when somebody else has made it: the store
	// decides who was first.
	make func(ctx context.Context) error
}

// share finds something, or makes it, or waits for who does. It gives up after the time
// that two attempts may take.
func share[T any](ctx context.Context, p *Platform, name string, s shared[T]) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*(p.aiTimeout+2*leaseMargin))
	defer cancel()
	for made := false; ; {
		v, err := s.find(ctx)
		if made && errors.Is(err, ErrNoRecord) {
			return v, fmt.Errorf("%s was made and is not there", name)
		}
		if !errors.Is(err, ErrNoRecord) {
			return v, err
		}
		f, first := p.flights.join(name)
		if first {
			p.lead(ctx, f, s.admit, s.make, func() error { _, err := s.find(ctx); return err })
		}
		err, own := p.flights.wait(ctx, f)
		if err != nil && (first || !own) {
			return v, said("wait for "+name, err)
		}
		made = first && err == nil
	}
}

// lead is for the first of a flight: it waits for the claim, and starts the work. It
// ends the flight where nothing is to be made, or not by this caller.
func (p *Platform) lead(ctx context.Context, f *flight, admit func() error, work func(context.Context) error, find func() error) {
	claim, err := p.awaitAIClaim(ctx, f.name, find)
	if err != nil || claim.Name == "" {
		p.flights.land(f, err, true)
		return
	}
	if admit != nil {
		err = admit()
	}
	if err != nil {
		p.releaseAI(ctx, claim, nothing)
		p.flights.land(f, err, true)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.aiTimeout)
	p.flights.begin(f, cancel)
	go func() {
		defer cancel()
		err := p.guarded(ctx, work)
		p.releaseAI(ctx, claim, nothing)
		p.flights.land(f, err, isRateLimited(err))
	}()
}

// together makes something that is not kept, for all who ask for it in this process
// while it is being made. It goes on while anybody waits, and the context of make is
// done when the last has left. The name must say whose it is, beyond doubt.
func together[T any](ctx context.Context, p *Platform, name string, make func(ctx context.Context) (T, error)) (T, error) {
	f, first := p.flights.join(name)
	if first {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.aiTimeout)
		p.flights.begin(f, cancel)
		go func() {
			defer cancel()
			err := p.guarded(ctx, func(ctx context.Context) (err error) {
				f.value, err = make(ctx)
				return err
			})
			p.flights.land(f, err, false)
		}()
	}
	if err, _ := p.flights.wait(ctx, f); err != nil {
		return *new(T), err
	}
	return f.value.(T), nil
}

func nothing(context.Context, Tx) error { return nil }

func isRateLimited(err error) bool {
	public, ok := errors.AsType[*Error](err)
	return ok && public.Kind == RateLimited
}

// awaitAIClaim takes the claim of a name. It returns without one when what the claim is
// for is found meanwhile.
func (p *Platform) awaitAIClaim(ctx context.Context, name string, find func() error) (AIClaim, error) {
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		claim, err := p.tryAIClaim(ctx, name)
		if err != nil && !errors.Is(err, errClaimed) {
			return AIClaim{}, fmt.Errorf("claim the AI: %w", err)
		}
		// Behind the claim, too: its last holder may have made it since the first look.
		if found := find(); !errors.Is(found, ErrNoRecord) {
			if err == nil {
				p.releaseAI(ctx, claim, nothing)
			}
			return AIClaim{}, found
		}
		if err == nil {
			return claim, nil
		}
		if err := wait(ctx, pause); err != nil {
			return AIClaim{}, err
		}
	}
}

// tryAIClaim takes the claim of a name unless somebody has it, for which a look is
// enough.
func (p *Platform) tryAIClaim(ctx context.Context, name string) (AIClaim, error) {
	taken, err := p.store.AIClaims(ctx, name)
	if err != nil {
		return AIClaim{}, err
	}
	if _, _, free := freePlace(taken, 1, p.now()); !free {
		return AIClaim{}, errClaimed
	}
	return p.claimAI(ctx, name, 1)
}

// guarded turns a panic into an error: nobody above a goroutine would.
func (p *Platform) guarded(ctx context.Context, work func(context.Context) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p.log.ErrorContext(ctx, "panic", "value", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = errors.New("learning: a panic while something was made for all who asked")
		}
	}()
	return work(ctx)
}
