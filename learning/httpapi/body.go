package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/openlectern/openlectern/learning"
)

const (
	// smallBody is how much of each body is read without regard to the budgets, in bytes.
	// Webhooks and nearly all other bodies are smaller, so large bodies of other callers
	// cannot keep them waiting.
	smallBody = 32 << 10
	// anonymousBodies and knownBodies bound the memory of larger bodies, in bytes: those of
	// callers without a valid token, and those of all others.
	anonymousBodies = 16 << 20
	knownBodies     = 64 << 20
	// bodyWait is how long an upload waits for memory.
	bodyWait = 10 * time.Second
	// bodyRetry is the Retry-After of a request that got no memory.
	bodyRetry = 5 * time.Second
)

// errBodiesFull is the failure of a large body for which no memory is free.
var errBodiesFull = &learning.Error{Kind: learning.Unavailable, Code: "too_many_large_requests", Message: "Too many large requests at once. Please try again later."}

// bodyBudget bounds the bytes of the bodies that are held at once.
type bodyBudget struct{ anonymous, known *semaphore.Weighted }

func newBodyBudget() bodyBudget {
	return bodyBudget{semaphore.NewWeighted(anonymousBodies), semaphore.NewWeighted(knownBodies)}
}

// readAll reads a body of at most limit bytes. It returns errBodyTooLarge for a longer one,
// without reading it if its Content-Length is larger than limit.
func (c *call) readAll(w http.ResponseWriter, limit int64) ([]byte, error) {
	if c.ContentLength > limit {
		return nil, errBodyTooLarge
	}
	body, err := io.ReadAll(&budgetReader{c: c, in: http.MaxBytesReader(w, c.Body, limit)})
	if err != nil {
		return nil, bodyError(err)
	}
	return body, nil
}

// readSigned reads the body of a webhook. Without the header of the signature it reads
// nothing, because no body can make such a request valid.
func (c *call) readSigned(w http.ResponseWriter, signature string) ([]byte, error) {
	if c.Header.Get(signature) == "" {
		return nil, nil
	}
	return c.readAll(w, maxWebhook)
}

// budgetReader takes a share of the budget for each byte after the first smallBody bytes.
type budgetReader struct {
	c           *call
	in          io.Reader
	read, taken int64
}

func (b *budgetReader) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	b.read += int64(n)
	for b.read > smallBody+b.taken {
		if !b.c.tryHold(smallBody) {
			return n, errNoBodyMemory()
		}
		b.taken += smallBody
	}
	return n, err
}

// tryHold takes n bytes of the caller's budget until the request ends, if they are free.
func (c *call) tryHold(n int64) bool {
	budget := c.api.bodies.anonymous
	if c.isKnown() {
		budget = c.api.bodies.known
	}
	if !budget.TryAcquire(n) {
		return false
	}
	c.atEnd(func() { budget.Release(n) })
	return true
}

// holdUpload waits until there is room for a whole upload of at most limit bytes. Because
// an upload takes all of its share at once, two waiting uploads cannot deadlock.
func (c *call) holdUpload(limit int64) error {
	n := limit
	if c.ContentLength >= 0 {
		n = min(n, c.ContentLength)
	}
	ctx, cancel := context.WithTimeout(c.Context(), bodyWait)
	defer cancel()
	if err := c.api.bodies.known.Acquire(ctx, n); err != nil {
		if c.Context().Err() != nil {
			return fmt.Errorf("wait for other uploads: %w", c.Context().Err())
		}
		return errNoBodyMemory()
	}
	c.atEnd(func() { c.api.bodies.known.Release(n) })
	return nil
}

func errNoBodyMemory() error {
	return &learning.RetryableError{Failure: errBodiesFull, After: bodyRetry}
}

// bodyError returns the failure to answer when reading a body returned err: the body is too
// large, it is too slow, there is no memory for it, or it ended early.
func bodyError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errBodyTooLarge
	}
	if errors.Is(err, errBodyTooSlow) || errors.Is(err, errBodiesFull) {
		return err
	}
	return learning.ErrInvalidRequest
}
