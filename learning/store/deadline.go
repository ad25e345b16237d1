package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// The time-outs of operations on the database without [WithDeadlines].
const (
	// defaultReadTimeout bounds one read outside a transaction. The slowest reports take
	// less than a second with 200,000 purchases.
	defaultReadTimeout = 5 * time.Second
	// defaultTxTimeout bounds one transaction with all its tries.
	defaultTxTimeout = 10 * time.Second
)

// deadlines are the time-outs of operations on the database.
type deadlines struct {
	read time.Duration
	tx   time.Duration
}

// withDefaults returns d with the defaults in place of zeros. It returns an error if a
// time-out is negative.
func (d deadlines) withDefaults() (deadlines, error) {
	if d.read < 0 || d.tx < 0 {
		return d, fmt.Errorf("deadlines of %v and %v: they must not be negative", d.read, d.tx)
	}
	if d.read == 0 {
		d.read = defaultReadTimeout
	}
	if d.tx == 0 {
		d.tx = defaultTxTimeout
	}
	return d, nil
}

// withTimeout returns a context that ends after d, with [ErrTimeout] as its cause, or with
// ctx if that ends first.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, ErrTimeout)
}

// readTimeoutKey is the key of the value of withReadTimeout.
type readTimeoutKey struct{}

// withReadTimeout gives a read outside a transaction more time than that of the pool. It is for
// reads of scheduled work, for which no caller waits.
func withReadTimeout(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, readTimeoutKey{}, d)
}

// withoutCancel returns a context with the values of ctx that ends after d, and not when
// ctx is done. If d is 0, it never ends.
func withoutCancel(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx = context.WithoutCancel(ctx)
	if d == 0 {
		return ctx, func() {}
	}
	return withTimeout(ctx, d)
}

// contextError returns nil if ctx is not done, [ErrTimeout] if a deadline of this package
// has passed, or one of the caller whose cause is [learning.ErrBusy], or else ctx.Err(). It is
// used in place of the errors of the drivers, which report the end of a context in different
// ways.
func contextError(ctx context.Context) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), learning.ErrBusy) {
		return ErrTimeout
	}
	return ctx.Err()
}

// sameContext reports whether a and b are the same pointer. It returns false for contexts
// that are not pointers, because comparing those can panic.
func sameContext(a, b context.Context) bool {
	return reflect.TypeOf(a).Kind() == reflect.Pointer && a == b
}

// rowTimer bounds the wait for each row of a result. The time that the caller spends
// between two rows does not count. The zero rowTimer has no limit.
type rowTimer struct {
	limit time.Duration
	timer *time.Timer
}

// newRowTimer returns a running timer, and a context that ends when the wait for a row
// takes longer than limit. The caller must call stop.
func newRowTimer(ctx context.Context, limit time.Duration) (bound context.Context, t rowTimer, stop func()) {
	bound, cancel := context.WithCancelCause(ctx)
	t = rowTimer{limit, time.AfterFunc(limit, func() { cancel(ErrTimeout) })}
	return bound, t, func() { t.pause(); cancel(nil) }
}

// pause stops the timer.
func (t rowTimer) pause() {
	if t.timer != nil {
		t.timer.Stop()
	}
}

// resume starts the timer again with the full limit.
func (t rowTimer) resume() {
	if t.timer != nil {
		t.timer.Reset(t.limit)
	}
}
