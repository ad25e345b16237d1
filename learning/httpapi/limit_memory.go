package httpapi

import (
	"context"
	"errors"
	"sync"
	"time"
)

// NewMemoryLimiter returns a Limiter that counts in the memory of this process. It is the default
// of [WithLimiters]. The window of a caller begins with the first request after the last window. The
// Limiter starts no goroutine and need not be closed: requests remove the windows that have ended.
// It returns an error if the limit has no requests or no window.
func NewMemoryLimiter(l Limit) (Limiter, error) {
	if l.Requests == 0 || l.Window <= 0 {
		return nil, errors.New("a limit needs a number of requests and a window")
	}
	return &memoryLimiter{
		limit:    l,
		now:      time.Now,
		current:  map[string]limitWindow{},
		previous: map[string]limitWindow{},
	}, nil
}

// memoryLimiter is the Limiter of [NewMemoryLimiter]. It has two generations of windows. After the
// length of a window the current generation becomes the previous one, and the previous one is
// forgotten. Each window in it has ended by then, because it was used last in the time before the
// current generation. So no request has to look for old windows.
type memoryLimiter struct {
	limit Limit
	now   func() time.Time // tests replace it

	mu                sync.Mutex
	current, previous map[string]limitWindow // by key
	begun             time.Time              // when the current generation began
}

// limitWindow is the window of one key.
type limitWindow struct {
	end  time.Time
	left uint64 // tokens
}

// Take implements [Limiter]. It returns no error.
func (m *memoryLimiter) Take(_ context.Context,
	key string) (tokens, remaining, reset uint64, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if now.Sub(m.begun) >= m.limit.Window {
		m.previous, m.current, m.begun = m.current, map[string]limitWindow{}, now
	}

	// Find the window of the key, or begin one.
	w, isKnown := m.current[key]
	if !isKnown {
		w, isKnown = m.previous[key]
	}
	if !isKnown || !now.Before(w.end) {
		w = limitWindow{end: now.Add(m.limit.Window), left: m.limit.Requests}
	}

	// Take a token.
	if ok = w.left > 0; ok {
		w.left--
	}
	m.current[key] = w
	return m.limit.Requests, w.left, uint64(w.end.UnixNano()), ok, nil
}
