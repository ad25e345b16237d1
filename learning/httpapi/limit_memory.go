package httpapi

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/sethvargo/go-limiter"
	"github.com/sethvargo/go-limiter/memorystore"
)

// NewMemoryLimiter returns a Limiter that counts in the memory of this process. It is the default
// of [WithLimiters]. It returns an error if the limit has no requests or no window.
//
// The Limiter starts a goroutine, which removes old windows, with its first request. The goroutine
// ends when nothing refers to the Limiter any more, such as a handler that is no longer used.
func NewMemoryLimiter(l Limit) (Limiter, error) {
	if l.Requests == 0 || l.Window <= 0 {
		return nil, errors.New("a limit needs a number of requests and a window")
	}
	return &memoryLimiter{limit: l}, nil
}

// memoryLimiter makes the store of [NewMemoryLimiter] when it is used, because the store has a
// goroutine, and most handlers of a process, such as those of tests, never use most of their
// limits.
type memoryLimiter struct {
	limit Limit
	once  sync.Once
	store limiter.Store
	err   error
}

// Take implements [Limiter].
func (m *memoryLimiter) Take(
	ctx context.Context, key string,
) (tokens, remaining, reset uint64, ok bool, err error) {
	m.once.Do(m.start)
	if m.err != nil {
		return 0, 0, 0, false, m.err
	}
	return m.store.Take(ctx, key)
}

// start makes the store. The store forgets a caller whose last request was more than two windows
// ago: by then the caller's last window has ended, whenever it began. The cleanup ends the goroutine
// of the store with the handler, because handlers have no Close. It is attached to the Limiter and
// not to the store, because the goroutine always refers to the store.
func (m *memoryLimiter) start() {
	m.store, m.err = memorystore.New(&memorystore.Config{
		Tokens: m.limit.Requests, Interval: m.limit.Window,
		SweepInterval: m.limit.Window, SweepMinTTL: 2 * m.limit.Window,
	})
	if m.err == nil {
		runtime.AddCleanup(m, func(s limiter.Store) { _ = s.Close(context.Background()) }, m.store)
	}
}
