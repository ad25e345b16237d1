package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"
)

const (
	// AnswerBytes is how many bytes large answers may hold at once by default.
	AnswerBytes = 64 << 20
	// SmallAnswer is the size up to which an answer is not counted, in bytes.
	SmallAnswer = 64 << 10
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
	// listWait is how long a list waits for a slot. It is long, because a list that has begun ends
	// with a broken connection after it: only a database that does not answer takes so long.
	listWait = 20 * time.Second
)

var (
	// ErrTooManyLarge is the answer to a request that has waited for [memoryWait].
	ErrTooManyLarge = &Failure{
		Status:     http.StatusServiceUnavailable,
		Message:    "Too many large answers at once. Please try again in a few seconds.",
		Code:       "too_many_large_answers",
		RetryAfter: 5 * time.Second,
	}
	// ErrTooManySearches is the answer to a search that has waited for [searchWait].
	ErrTooManySearches = &Failure{
		Status:     http.StatusServiceUnavailable,
		Message:    "Too many searches at once. Please try again in a few seconds.",
		Code:       "too_many_searches",
		RetryAfter: 2 * time.Second,
	}
)

// AnswerMemory bounds the bytes that large answers hold at once, while their clients
// read them, and how many requests do expensive work at the same time. A request that waits
// for memory holds none: see [Call.Run].
type AnswerMemory struct {
	anonymous, known answerShare
	Half             int64         // the bytes of each share
	Wait             time.Duration // for the memory of an answer, or for a slot to make one
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

// NewAnswerMemory returns bounds for large answers of size bytes, one half of them for callers
// without a valid token.
func NewAnswerMemory(size int64) *AnswerMemory {
	half, processors := size/2, runtime.GOMAXPROCS(0)
	// Lists leave some of the processors to other requests, and one slow list does not stop all.
	listsAtOnce := max(2, processors/2)
	share := func() answerShare {
		return answerShare{
			bytes:    semaphore.NewWeighted(half),
			lists:    make(slots, listsAtOnce),
			whole:    make(slots, wholeAtOnce),
			searches: make(slots, min(max(1, processors/2), searchesAtOnce)),
		}
	}
	// The two shares are alike, but have semaphores and slots of their own.
	return &AnswerMemory{anonymous: share(), known: share(), Half: half, Wait: memoryWait}
}

// forCaller returns the share of a caller.
func (m *AnswerMemory) forCaller(c *Call) *answerShare {
	if c.Caller.IsKnown() {
		return &m.known
	}
	return &m.anonymous
}

// MakeLarge waits for a slot, then calls answer, whose result may be large, and encodes it with
// [Success]. It returns [ErrTooManyLarge] if no slot is free in time, the error of the context if
// the request ends before, and the error of answer.
func (c *Call) MakeLarge(answer func() (any, error)) ([]byte, error) {
	m := c.Server.Answers
	return c.makeIn(m.forCaller(c).whole, m.Wait, ErrTooManyLarge, answer)
}

// MakeSearch is MakeLarge for the answer to a search, which has slots of its own. It returns
// [ErrTooManySearches] if no slot is free in time.
func (c *Call) MakeSearch(answer func() (any, error)) ([]byte, error) {
	m := c.Server.Answers
	// Wait is longer than searchWait, unless a test has shortened it.
	return c.makeIn(m.forCaller(c).searches, min(m.Wait, searchWait), ErrTooManySearches, answer)
}

// makeIn makes and encodes an answer while it holds a slot of pool. It returns refusal if none is
// free within atMost.
func (c *Call) makeIn(
	pool slots, atMost time.Duration, refusal error, answer func() (any, error),
) ([]byte, error) {
	release, err := pool.take(c.Context(), atMost, refusal)
	if err != nil {
		return nil, err
	}
	defer release()
	out, err := answer()
	if err != nil {
		return nil, err
	}
	return Success(out)
}

// BeginRead waits for a slot to read a part of a long list, and returns the function that releases
// it. It returns [ErrTooManyLarge] if no slot is free in time, and the error of the context if the
// request ends before.
func (c *Call) BeginRead() (end func(), err error) {
	return c.Server.Answers.forCaller(c).lists.take(c.Context(), listWait, ErrTooManyLarge)
}

// take waits for a slot and returns the function that releases it. It returns the error of ctx when
// ctx is done, and refusal after it has waited for atMost. That is bounded because the holders of
// the slots may be waiting for the database.
func (t slots) take(ctx context.Context, atMost time.Duration,
	refusal error) (release func(), err error) {
	release = func() { <-t }
	// A free slot is taken without a timer, which most calls do not need.
	select {
	case t <- struct{}{}:
		return release, nil
	default:
	}
	// All slots are taken: wait for one.
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
	return fmt.Sprintf("web: %d bytes are needed for an answer", n.bytes)
}

// Hold counts the bytes of an answer until the request is over. bytes is the size of the whole
// answer: Hold takes only what the call does not hold already. It does not wait. If the memory is
// not free, it returns an error, and the action must return this error before it writes anything,
// so that [Call.Run] can wait and run the action again.
func (c *Call) Hold(bytes int) error {
	m := c.Server.Answers
	// An answer larger than the caller's share takes the whole share: it could never get more.
	more := min(int64(bytes), m.Half) - c.held
	// The call holds enough already, as in the second try of Run.
	if more <= 0 {
		return nil
	}
	if !m.forCaller(c).bytes.TryAcquire(more) {
		return &needsMemory{c.held + more} // in all, because Run releases what is held
	}
	c.held += more
	return nil
}

// release releases the memory that Hold has taken.
func (c *Call) release() {
	if c.held > 0 {
		c.Server.Answers.forCaller(c).bytes.Release(c.held)
		c.held = 0
	}
}

// Run runs the action of a route, and releases the memory of its answer. If there is no memory for
// the answer, Run releases what it holds, waits, and runs the action again. That is safe because
// actions that hold memory only read. Run returns [ErrTooManyLarge] if the memory is not free in
// time, or is too little for the second try. It returns the error of the context if the request
// ends while it waits. Else it returns the error of the action.
func (c *Call) Run(action func() error) error {
	defer c.release()
	// The first try: most answers find their memory free.
	err := action()
	need, ok := errors.AsType[*needsMemory](err)
	if !ok {
		return err
	}
	// The try has written nothing. Wait for the memory, holding none, and begin again.
	c.release()
	if err := c.waitFor(need.bytes); err != nil {
		return err
	}
	if err = action(); errors.As(err, &need) { // the answer has become larger: do not try again
		return ErrTooManyLarge
	}
	return err
}

// waitFor waits a few seconds for so many bytes of memory, and holds them. The call must hold none:
// two calls that wait for what the other one holds would deadlock. It returns [ErrTooManyLarge] if
// they are not free in time, and the error of the context if the request ends before.
func (c *Call) waitFor(bytes int64) error {
	ctx, cancel := context.WithTimeout(c.Context(), c.Server.Answers.Wait)
	defer cancel()
	if c.Server.Answers.forCaller(c).bytes.Acquire(ctx, bytes) != nil {
		// The wait ended with the request, or else because it took too long.
		if err := c.Context().Err(); err != nil {
			return err
		}
		return ErrTooManyLarge
	}
	c.held = bytes
	return nil
}
