package sqldb

import (
	"context"
	"errors"
	"reflect"
	"time"
)

// The time-outs of operations on the database if [Config] has none.
const (
	// defaultReadTimeout bounds one read outside a transaction. The slowest reports take
	// less than a second with 200,000 purchases.
	defaultReadTimeout = 5 * time.Second
	// defaultTxTimeout bounds one transaction with all its tries.
	defaultTxTimeout = 10 * time.Second
	// openTimeout bounds the first query of a database that is opened, unless its context ends
	// earlier. No request waits for it, and a busy machine may take long to make connections.
	openTimeout = 30 * time.Second
)

// withTimeout returns a context that ends after limit, with Errors.Timeout as its cause, or with
// ctx if that ends first.
func (d *Dialect) withTimeout(
	ctx context.Context, limit time.Duration,
) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, d.errs.Timeout)
}

// readTimeoutKey is the key of the value of WithReadTimeout.
type readTimeoutKey struct{}

// WithReadTimeout gives a Get or List outside a transaction the time d, if that is more than the
// time of the pool. It is for reads of scheduled work, for which no caller waits. Each ignores it.
func WithReadTimeout(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, readTimeoutKey{}, d)
}

// withoutCancel returns a context with the values of ctx that ends after limit, and not
// when ctx is done. If limit is 0, it never ends.
func (d *Dialect) withoutCancel(
	ctx context.Context, limit time.Duration,
) (context.Context, context.CancelFunc) {
	ctx = context.WithoutCancel(ctx)
	if limit == 0 {
		return ctx, func() {}
	}
	return d.withTimeout(ctx, limit)
}

// contextError returns the error of a context, in place of the errors of the drivers, which report
// the end of a context in different ways:
//
//	ctx is not done                                     nil
//	ctx was ended with a cause that is Errors.Busy,     Errors.Timeout
//	  as Errors.Timeout is, the cause of each deadline
//	  of this package
//	ctx was ended otherwise                             ctx.Err()
func (d *Dialect) contextError(ctx context.Context) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), d.errs.Busy) {
		return d.errs.Timeout
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

// newRowTimer returns a running timer, and a context that ends, with Errors.Timeout as its cause,
// when the wait for a row takes longer than limit. The caller must call stop, which ends both.
func (d *Dialect) newRowTimer(
	ctx context.Context, limit time.Duration,
) (bound context.Context, t rowTimer, stop func()) {
	bound, cancel := context.WithCancelCause(ctx)
	t = rowTimer{limit, time.AfterFunc(limit, func() { cancel(d.errs.Timeout) })}
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
