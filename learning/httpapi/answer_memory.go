package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/openlectern/openlectern/learning"
)

const (
	// answerBytes is how many bytes large answers may hold at once, without
	// [WithAnswerBytes].
	answerBytes = 64 << 20
	// smallAnswer is the size up to which an answer is not counted, in bytes.
	smallAnswer = 64 << 10
	// wholeAtOnce is how many answers that may be large are made at the same time for
	// anonymous callers, and as many for all others. One needs several times its size until
	// it is encoded.
	wholeAtOnce = 4
	// searchesAtOnce is how many searches run at the same time at most, for anonymous callers
	// and as many for all others: fewer than the database has connections for either, and on
	// few processors no more than half of them.
	searchesAtOnce = 2
	// memoryWait is how long a request waits until other answers have been read.
	memoryWait = 3 * time.Second
	// searchWait is how long a search waits for others to end, which takes them milliseconds.
	searchWait = time.Second
	// listWait is how long a list that has begun waits for a slot. Then the connection is
	// broken, because the database does not answer.
	listWait = 20 * time.Second
)

// errTooManyLarge is the answer to a request that has waited for [memoryWait].
var errTooManyLarge = &learning.RetryableError{
	Failure: &learning.Error{Kind: learning.Unavailable, Code: "too_many_large_answers",
		Message: "Too many large answers at once. Please try again in a few seconds."},
	After: 5 * time.Second,
}

// errTooManySearches is the answer to a search that has waited for [searchWait].
var errTooManySearches = &learning.RetryableError{
	Failure: &learning.Error{Kind: learning.Unavailable, Code: "too_many_searches",
		Message: "Too many searches at once. Please try again in a few seconds."},
	After: 2 * time.Second,
}

// answerMemory bounds the bytes that large answers hold at once, while their clients
// read them, and how many requests do expensive work at the same time. A request that waits
// for memory holds none: see [call.run].
type answerMemory struct {
	anonymous, known answerShare
	half             int64 // the bytes of each share
	wait             time.Duration
	searchWait       time.Duration
}

// answerShare is what callers without a valid token share, or all other callers, so that clients
// without an account cannot take the memory and the slots of those with one.
type answerShare struct {
	bytes    *semaphore.Weighted
	lists    slots // for long lists that are being read
	whole    slots // for answers that are made in one piece and may be large
	searches slots // a search on SQLite uses a processor, and on a server one of the database's
}

// slots bounds how many goroutines do something at the same time.
type slots chan struct{}

func newAnswerMemory(size int64) *answerMemory {
	half, processors := size/2, runtime.GOMAXPROCS(0)
	share := func() answerShare {
		return answerShare{
			bytes:    semaphore.NewWeighted(half),
			lists:    make(slots, max(2, processors/2)),
			whole:    make(slots, wholeAtOnce),
			searches: make(slots, min(max(1, processors/2), searchesAtOnce)),
		}
	}
	return &answerMemory{
		anonymous: share(), known: share(), half: half, wait: memoryWait, searchWait: searchWait,
	}
}

// forCaller returns the share of a caller.
func (m *answerMemory) forCaller(c *call) *answerShare {
	if c.isKnown() {
		return &m.known
	}
	return &m.anonymous
}

// take waits for a slot and returns the function that releases it. It returns refusal after it
// has waited for atMost, because the holders of the slots may be waiting for the database.
func (t slots) take(ctx context.Context, atMost time.Duration, refusal error) (release func(), err error) {
	release = func() { <-t }
	select {
	case t <- struct{}{}:
		return release, nil
	default:
	}
	timeout := time.NewTimer(atMost)
	defer timeout.Stop()
	select {
	case t <- struct{}{}:
		return release, nil
	case <-timeout.C:
		return nil, refusal
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// needsMemory is the error of an action that has written nothing, and would have to
// hold more bytes than are free.
type needsMemory struct{ bytes int64 }

// Error returns the number of bytes that are needed.
func (n *needsMemory) Error() string {
	return fmt.Sprintf("httpapi: %d bytes are needed for an answer", n.bytes)
}

// hold counts the bytes of an answer until the request is over. When they are not free
// it returns an error, which the action returns, before anything is written.
func (c *call) hold(bytes int) error {
	m := c.api.memory
	more := min(int64(bytes), m.half) - c.held // an answer larger than the half takes all of it
	if more <= 0 {
		return nil
	}
	if !m.forCaller(c).bytes.TryAcquire(more) {
		return &needsMemory{c.held + more}
	}
	c.held += more
	return nil
}

// release releases the memory that hold has taken.
func (c *call) release() {
	if c.held > 0 {
		c.api.memory.forCaller(c).bytes.Release(c.held)
		c.held = 0
	}
}

// run runs the action of a route. If there is no memory for its answer, it
// releases what it holds, waits, and runs the action again. That is safe because actions that
// hold memory only read.
func (c *call) run(w http.ResponseWriter, action Action) error {
	defer c.release()
	err := action.run(c.api, w, c)
	need, ok := errors.AsType[*needsMemory](err)
	if !ok {
		return err
	}
	if err := c.waitFor(need.bytes); err != nil {
		return err
	}
	if err = action.run(c.api, w, c); errors.As(err, &need) { // the answer is larger now
		return errTooManyLarge
	}
	return err
}

// waitFor acquires memory within a few seconds.
func (c *call) waitFor(bytes int64) error {
	ctx, cancel := context.WithTimeout(c.Context(), c.api.memory.wait)
	defer cancel()
	if c.api.memory.forCaller(c).bytes.Acquire(ctx, bytes) != nil {
		if err := c.Context().Err(); err != nil {
			return err
		}
		return errTooManyLarge
	}
	c.held = bytes
	return nil
}
