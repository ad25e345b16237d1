package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// smallBody is how much of each body is read without regard to the budgets, in bytes.
	// Webhooks and nearly all other bodies are smaller, so large bodies of other callers
	// cannot keep them waiting.
	smallBody = 32 << 10
	// AnonymousBodies and KnownBodies bound the memory of larger bodies by default, in bytes: those
	// of callers without a valid token, and those of all others.
	AnonymousBodies = 16 << 20
	KnownBodies     = 64 << 20
	// largestJSON is the size of the largest bodies that are held while they arrive, in bytes.
	largestJSON = 1 << 20
	// bodyWait is how long an upload waits for memory.
	bodyWait = 10 * time.Second
)

var (
	// ErrBodyTooLarge is the failure of a request whose body is longer than it may be.
	ErrBodyTooLarge = &Failure{
		Status: http.StatusRequestEntityTooLarge, Message: "Request body too large",
		Code: "body_too_large",
	}
	// ErrBodiesFull is the failure of a large body for which no memory is free.
	ErrBodiesFull = &Failure{
		Status:     http.StatusServiceUnavailable,
		Message:    "Too many large requests at once. Please try again later.",
		Code:       "too_many_large_requests",
		RetryAfter: 5 * time.Second,
	}
)

// BodyMemory bounds the bytes of the bodies that are held at once.
type BodyMemory struct{ anonymous, known *bodyBudget }

// NewBodyMemory returns the bounds of bodies, in bytes: of callers without a valid token, and of
// all others. The bodies that one caller is sending have a quarter of them, or one body, at most,
// so that a caller who sends many bodies slowly does not keep others waiting.
func NewBodyMemory(anonymous, known int64) BodyMemory {
	return BodyMemory{newBodyBudget(anonymous), newBodyBudget(known)}
}

// bodyBudget bounds the bytes of bodies, and those of the bodies that one caller is sending.
type bodyBudget struct {
	*semaphore.Weighted
	ofCaller int64

	mu      sync.Mutex
	callers map[string]int64 // how many bytes each caller has
}

func newBodyBudget(bytes int64) *bodyBudget {
	return &bodyBudget{Weighted: semaphore.NewWeighted(bytes),
		ofCaller: max(bytes/4, largestJSON), callers: map[string]int64{}}
}

// tryTake takes n bytes for a body of a caller, if they are free.
func (b *bodyBudget) tryTake(caller string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.callers[caller]+n > b.ofCaller || !b.TryAcquire(n) {
		return false
	}
	b.callers[caller] += n
	return true
}

// free gives back n bytes that tryTake has taken.
func (b *bodyBudget) free(caller string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Release(n)
	if b.callers[caller] -= n; b.callers[caller] == 0 {
		delete(b.callers, caller)
	}
}

// ReadAll reads a body of at most limit bytes. It returns [ErrBodyTooLarge] without reading if the
// Content-Length is larger. Large bodies take memory of the caller's budget until [Call.End].
// [BodyFailure] says what the errors of reading mean.
func (c *Call) ReadAll(w http.ResponseWriter, limit int64) ([]byte, error) {
	if c.ContentLength > limit {
		return nil, ErrBodyTooLarge
	}
	return io.ReadAll(&budgetReader{c: c, in: http.MaxBytesReader(w, c.Body, limit)})
}

// budgetReader takes memory of the caller's budget for all bytes after the first smallBody bytes.
type budgetReader struct {
	c     *Call
	in    io.Reader
	read  int64 // bytes that were read
	taken int64 // bytes of the budget that were taken for them
}

// Read reads from in, and then takes memory for what it has read. It returns [ErrBodiesFull] if
// no memory is free.
func (b *budgetReader) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	b.read += int64(n)
	// The first smallBody bytes are free. Memory for the rest is taken in pieces of that size.
	for b.read > smallBody+b.taken {
		if !b.c.tryHold(smallBody) {
			return n, ErrBodiesFull
		}
		b.taken += smallBody
	}
	return n, err
}

// tryHold takes n bytes of the caller's budget until [Call.End], if they are free, and reports
// whether it took them. It does not wait: two bodies that hold a part of the budget, and wait for
// more, could wait for each other.
func (c *Call) tryHold(n int64) bool {
	// Callers without a valid token have a budget of their own, so that they cannot use up the
	// memory for all others.
	budget := c.Server.Bodies.anonymous
	if c.Caller.IsKnown() {
		budget = c.Server.Bodies.known
	}
	key := c.Caller.Key()
	if !budget.tryTake(key, n) {
		return false
	}
	c.releases = append(c.releases, func() { budget.free(key, n) })
	return true
}

// HoldUpload waits for the memory of a whole upload of at most limit bytes, and holds it until
// [Call.End]. It always takes it from the budget of callers with a valid token, so the caller must
// have one. Because an upload takes all of its memory at once, two waiting uploads cannot deadlock.
// HoldUpload returns [ErrBodiesFull] if the memory is not free within ten seconds, and the
// error of the context if the request ends before.
func (c *Call) HoldUpload(limit int64) error {
	n := limit
	if c.ContentLength >= 0 { // -1 means that the client has not sent the length
		n = min(n, c.ContentLength)
	}
	// Wait, but not for long, because the client is sending already.
	ctx, cancel := context.WithTimeout(c.Context(), bodyWait)
	defer cancel()
	if err := c.Server.Bodies.known.Acquire(ctx, n); err != nil {
		// The wait ended with the request, or else because it took too long.
		if c.Context().Err() != nil {
			return fmt.Errorf("wait for other uploads: %w", c.Context().Err())
		}
		return ErrBodiesFull
	}
	c.releases = append(c.releases, func() { c.Server.Bodies.known.Release(n) })
	return nil
}

// BodyFailure returns the failure to answer when reading a body returned err: the body is too
// large, it is too slow, or there is no memory for it. It returns nil for any other error, such as
// that of a body that ended early: then the body is to be refused as an invalid one.
func BodyFailure(err error) error {
	// http.MaxBytesReader has its own error for a body that is too large.
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return ErrBodyTooLarge
	}
	// ReadAll returns ErrBodyTooLarge itself, and its readers ErrBodyTooSlow and ErrBodiesFull.
	if _, ok := errors.AsType[*Failure](err); ok {
		return err
	}
	return nil
}
