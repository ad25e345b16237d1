package lease

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
)

// The pauses between two tries to take a lease that is held.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

// Poll calls try until it reports true or returns an error, with pauses that grow and
// differ at random. It returns the error of ctx if ctx is done in a pause.
func Poll(ctx context.Context, try func() (done bool, err error)) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if done, err := try(); done || err != nil {
			return err
		}
		if err := backoff.Sleep(ctx, pause/2+rand.N(pause)); err != nil {
			return err
		}
	}
}

// Renewable is a lease that is held for longer than its length, because its holder
// extends it.
type Renewable interface {
	// Take takes the lease, or extends it if this holder has it. It reports whether this
	// holder has it now. An error ends the work.
	Take(ctx context.Context) (held bool, err error)
	// Release gives the lease back, if this holder has it. If that fails, the lease
	// expires.
	Release(ctx context.Context)
}

// Run waits for a lease of the given length, and calls work while it extends the lease. If Take
// returns an error while Run waits, Run returns that error. The context of work ends if the lease
// is lost; then Run returns [ErrLost]. The lease is released when work returns or panics, also if
// ctx is done.
func Run(
	ctx context.Context, l Renewable, length time.Duration, work func(ctx context.Context) error,
) error {
	if err := Poll(ctx, func() (bool, error) { return l.Take(ctx) }); err != nil {
		return fmt.Errorf("wait for a lease: %w", err)
	}
	defer l.Release(context.WithoutCancel(ctx))
	held, stop := renew(ctx, l, length/3) // so that an extension has ended before the lease expires
	defer stop()
	err := work(held)
	// If held has ended, with the error of an extension or with ctx, that is why the work failed.
	if cause := context.Cause(held); err != nil && cause != nil {
		return cause
	}
	return err
}

// renew extends a lease at each interval, until stop is called. stop returns when no extension runs
// any more. The context that renew returns ends when an extension fails or takes longer than an
// interval, because the lease may expire then; its cause is the reason.
func renew(
	ctx context.Context, l Renewable, interval time.Duration,
) (held context.Context, stop func()) {
	held, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for backoff.Sleep(held, interval) == nil {
			if err := extend(held, l, interval); err != nil {
				cancel(err) // which ends the loop too
			}
		}
	}()
	return held, func() { cancel(context.Canceled); <-done }
}

// extend extends a lease once, within the time atMost. It returns [ErrLost] if another holder has
// the lease. A panic of Take is an error, because it would end the process.
func extend(ctx context.Context, l Renewable, atMost time.Duration) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("extend a lease: panic: %v", value)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	held, err := l.Take(ctx)
	if err == nil && !held {
		return ErrLost
	}
	return err
}
