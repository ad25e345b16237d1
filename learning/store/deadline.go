package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// The time that operations on the database have without [WithDeadlines].
const (
	// defaultReadTime is for one read outside a transaction. The slowest reports take less than a second with 200,000
	// purchases.
	defaultReadTime = 5 * time.Second
	// defaultTxTime is for one transaction: the sum of all its tries.
	defaultTxTime = 10 * time.Second
)

// ErrTimeout is the error of a read or a transaction that did not end within its
// deadline: see [WithDeadlines]. It matches [context.DeadlineExceeded].
var ErrTimeout = fmt.Errorf("store: the database did not answer in time: %w", context.DeadlineExceeded)

// deadlines bound the operations on the database.
type deadlines struct {
	read time.Duration
	tx   time.Duration
}

// withDefaults replaces what is zero.
func (d deadlines) withDefaults() (deadlines, error) {
	if d.read < 0 || d.tx < 0 {
		return d, fmt.Errorf("deadlines of %v and %v: they must not be negative", d.read, d.tx)
	}
	if d.read == 0 {
		d.read = defaultReadTime
	}
	if d.tx == 0 {
		d.tx = defaultTxTime
	}
	return d, nil
}

// bounded returns a context that ends after d, with [ErrTimeout] as its cause, or with
// ctx if that ends first.
func bounded(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, ErrTimeout)
}

// unending returns a context that goes on when ctx is done, and ends after d; with a
// zero d it has no end.
func unending(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx = context.WithoutCancel(ctx)
	if d == 0 {
		return ctx, func() {}
	}
	return bounded(ctx, d)
}

// ended returns why a context is done: [ErrTimeout] if a deadline of this package
// passed, otherwise the error of the context. Each driver reports it in its own way.
func ended(ctx context.Context) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrTimeout) {
		return ErrTimeout
	}
	return ctx.Err()
}

// same tells whether two contexts are one. It answers false for contexts that are not
// pointers, because comparing those can panic.
func same(a, b context.Context) bool {
	return reflect.TypeOf(a).Kind() == reflect.Pointer && a == b
}

// rowTimer bounds the wait for each row of a result. The time between two rows, which
// is the caller's, does not count.
type rowTimer struct {
	limit time.Duration
	timer *time.Timer
}

// newRowTimer returns a context that ends when the wait for a row takes longer than
// limit. The timer runs at first. stop releases it.
func newRowTimer(ctx context.Context, limit time.Duration) (bound context.Context, t rowTimer, stop func()) {
	bound, cancel := context.WithCancelCause(ctx)
	t = rowTimer{limit, time.AfterFunc(limit, func() { cancel(ErrTimeout) })}
	return bound, t, func() { t.pause(); cancel(nil) }
}

// pause stops the time, and resume starts it anew. The zero rowTimer has no limit.
func (t rowTimer) pause() {
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t rowTimer) resume() {
	if t.timer != nil {
		t.timer.Reset(t.limit)
	}
}
