// Package singleflight deduplicates concurrent calls with the same key: the work is done
// once, and all callers get its result.
//
// It differs from golang.org/x/sync/singleflight, which has no contexts (a caller cannot
// stop waiting in Do, and nothing ends work that no caller waits for any more), ends the
// process when the work of a DoChan call panics, and has no admission: there the error
// of a rate limiter that refuses the first caller would be the result of all callers.
// None of these can be added from outside, because they need the number of callers of a
// call.
package singleflight

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
)

// Group holds the calls that are in flight. The zero Group is ready for use. A Group is
// safe for concurrent use and must not be copied.
type Group[K comparable, V any] struct {
	// OnPanic, if not nil, is called once for each panic of the work. It must be set
	// before the first call.
	OnPanic func(ctx context.Context, p *PanicError)

	mu    sync.Mutex
	calls map[K]*call[V]
}

// Work makes the value of a key. Its context has the values of the leader's context. It
// is done when the last caller has left.
type Work[V any] func(ctx context.Context) (V, error)

// call is one execution of the work for a key.
type call[V any] struct {
	callers int                // that wait for the result; under the lock of the group
	cancel  context.CancelFunc // ends the work; nil until it has begun; under the lock
	vacant  chan struct{}      // holds one value while the call has no leader
	done    chan struct{}      // closed once value and err are set
	value   V
	err     error
}

// PanicError is the error of all callers of a call whose work panicked. Its text does not
// contain the value, which may be secret.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the text of the error.
func (*PanicError) Error() string { return "the work of a shared call panicked" }

// ErrGoexit is the error of all callers of a call whose work called [runtime.Goexit].
var ErrGoexit = errors.New("the work of a shared call ended its goroutine")

// leaderError is an error of the work that concerns only the leader.
type leaderError struct{ error }

// LeaderError wraps an error of the work that concerns only the leader: the leader gets
// err, and another caller begins the work again.
func LeaderError(err error) error { return leaderError{err} }

// Do returns the result of the call for key that is in flight, or else of work. It
// returns the error of ctx if ctx is done before. The last caller to leave cancels the
// context of the work, and the next Do begins a new call even if the work has not
// returned. A panic in the work is a [PanicError] of all callers.
func (g *Group[K, V]) Do(ctx context.Context, key K, work Work[V]) (V, error) {
	return g.DoAdmitted(ctx, key, func(context.Context) (Work[V], error) { return work, nil })
}

// DoAdmitted is like Do, but the caller that is about to begin the work, the leader, calls admit
// first, in its own goroutine and with its own ctx. admit returns the work. If admit fails or
// panics, this concerns only that caller, and a waiting caller becomes the leader.
func (g *Group[K, V]) DoAdmitted(
	ctx context.Context, key K, admit func(ctx context.Context) (Work[V], error),
) (V, error) {
	for {
		c := g.join(key)
		leader, err := g.wait(ctx, key, c, admit)
		if err != nil {
			return *new(V), err
		}

		// The call is done. An error that concerns only the leader is not the result of others.
		ofLeader, isOfLeader := c.err.(leaderError)
		switch {
		case c.err == nil:
			return c.value, nil
		case !isOfLeader:
			return *new(V), c.err
		case leader:
			return *new(V), ofLeader.error
		}
		// The error concerns another caller. Join the next call, or begin it.
	}
}

// Start begins work in the background unless a call for key is in flight. A call that
// Start has begun is never cancelled, and Do waits for it.
func (g *Group[K, V]) Start(ctx context.Context, key K, work Work[V]) {
	c, isNew := g.create(key)
	if isNew {
		g.begin(ctx, key, c, work) // its one caller never leaves
	}
}

// join returns the call for key with one more caller.
func (g *Group[K, V]) join(key K) *call[V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.calls[key]
	if c == nil {
		c = g.add(key)
		c.vacant <- struct{}{} // the caller that takes the value becomes the leader
	}
	c.callers++
	return c
}

// create returns a new call for key, with one caller, that has a leader, and true. If a call is in
// flight, it returns nil and false.
func (g *Group[K, V]) create(key K) (*call[V], bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.calls[key] != nil {
		return nil, false
	}
	c := g.add(key)
	c.callers = 1
	return c, true
}

// add makes a new call the one for key. It has no callers yet. The group must be locked.
func (g *Group[K, V]) add(key K) *call[V] {
	if g.calls == nil {
		g.calls = map[K]*call[V]{}
	}
	c := &call[V]{vacant: make(chan struct{}, 1), done: make(chan struct{})}
	g.calls[key] = c
	return c
}

// wait returns when the call is done, and whether this caller was its leader. When the call has no
// leader, one of the waiting callers becomes it. The error is that of ctx or of admit; then this
// caller has left the call.
func (g *Group[K, V]) wait(
	ctx context.Context, key K, c *call[V], admit func(context.Context) (Work[V], error),
) (leader bool, err error) {
	for {
		if ctx.Err() != nil { // checked first, so that this caller does not become the leader
			g.leave(key, c)
			return leader, ctx.Err()
		}
		select {
		case <-c.done:
			return leader, nil
		case <-ctx.Done(): // the next turn of the loop leaves the call
		case <-c.vacant:
			leader = true
			if err := g.lead(ctx, key, c, admit); err != nil {
				return leader, err
			}
		}
	}
}

// lead asks for admission and begins the work. It does not wait for the work. If admit fails or
// panics, the caller leaves the call.
func (g *Group[K, V]) lead(
	ctx context.Context, key K, c *call[V], admit func(context.Context) (Work[V], error),
) error {
	admitted := false
	defer func() {
		if !admitted { // also if admit panics
			g.resign(key, c)
		}
	}()
	work, err := admit(ctx)
	if err != nil {
		return err
	}
	admitted = true
	g.begin(ctx, key, c, work)
	return nil
}

// begin begins the work of a call in another goroutine. ctx is that of the leader.
func (g *Group[K, V]) begin(ctx context.Context, key K, c *call[V], work Work[V]) {
	// The work goes on for the other callers if the leader leaves. The last one to leave cancels
	// it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	g.mu.Lock()
	c.cancel = cancel
	g.mu.Unlock()
	go g.run(ctx, key, c, work)
}

// run does the work and stores its result in the call. The call is finished however the work ends.
func (g *Group[K, V]) run(ctx context.Context, key K, c *call[V], work Work[V]) {
	defer g.finish(key, c)
	c.err = ErrGoexit // stays if work does not return and does not panic
	defer func() {
		if value := recover(); value != nil {
			p := &PanicError{value, debug.Stack()}
			c.err = p
			g.report(ctx, p)
		}
	}()
	c.value, c.err = work(ctx)
}

// report calls OnPanic. It ignores a panic of OnPanic, which would end the process.
func (g *Group[K, V]) report(ctx context.Context, p *PanicError) {
	defer func() { _ = recover() }()
	if g.OnPanic != nil {
		g.OnPanic(ctx, p)
	}
}

// finish ends a call that has its result: it lets the callers read the result, and the next Do
// begin a new call.
func (g *Group[K, V]) finish(key K, c *call[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(key, c)
	c.cancel()
	close(c.done)
}

// resign is called by a leader that leaves before the work has begun. Another caller becomes the
// leader; without one the call ends.
func (g *Group[K, V]) resign(key K, c *call[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.callers--; c.callers == 0 {
		g.remove(key, c)
		return
	}
	c.vacant <- struct{}{} // there is room, because the leader has taken the value
}

// leave is called by a caller that does not wait any more. The last one cancels the work, if it has
// begun, and makes the key free.
func (g *Group[K, V]) leave(key K, c *call[V]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.callers--; c.callers > 0 {
		return
	}
	g.remove(key, c)
	if c.cancel != nil {
		c.cancel()
	}
}

// remove makes the key free for a new call, unless another call has it already, as it may after
// leave. The group must be locked.
func (g *Group[K, V]) remove(key K, c *call[V]) {
	if g.calls[key] == c {
		delete(g.calls, key)
	}
}

// Callers returns how many callers the call for key has. It is meant for tests.
func (g *Group[K, V]) Callers(key K) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c := g.calls[key]; c != nil {
		return c.callers
	}
	return 0
}
