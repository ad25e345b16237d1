package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning"
)

// migrationLease is how long the lease of an instance that has crashed keeps other
// instances from migrating.
const migrationLease = 30 * time.Second

// leasePoll is the longest pause between two tries to take a lease that is held.
const leasePoll = 100 * time.Millisecond

var errLeaseLost = errors.New("another instance took over the migration")

// migrateWithLease applies the steps while it holds the migration lease: a row with its
// holder and a time after which another instance may take it over. A lock of the server
// (GET_LOCK) cannot replace it, because such locks are local to a node of a cluster.
func (s *Store) migrateWithLease(ctx context.Context, steps []step) error {
	unapplied, err := pending(ctx, s.pool, steps)
	if err != nil || len(unapplied) == 0 {
		return err
	}
	l := lease{s.pool, uuid.NewString(), s.lease}
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release(ctx)
	leaseCtx, stop := l.renew(ctx)
	defer stop()
	if err := apply(leaseCtx, s.pool, steps); err != nil {
		return firstError(context.Cause(leaseCtx), err)
	}
	return nil
}

// lease is the exclusive right to migrate a database. It uses the clock of the server, so
// that differences between the clocks of the instances have no effect.
type lease struct {
	pool   *pool
	holder string
	length time.Duration
}

// acquire waits until the lease was released or has expired, and takes it.
func (l lease) acquire(ctx context.Context) error {
	if err := l.prepare(ctx); err != nil {
		return err
	}
	for {
		held, err := l.tryAcquire(ctx)
		if held || (err != nil && !l.pool.dialect.isRetryable(err)) {
			return err
		}
		if !pause(ctx, leasePoll) {
			return fmt.Errorf("wait for another instance that migrates: %w", ctx.Err())
		}
	}
}

// prepare creates the table of the lease and its row, if they do not exist.
func (l lease) prepare(ctx context.Context) error {
	_, err := l.pool.exec(ctx, "create the migration lease", `
		CREATE TABLE IF NOT EXISTS learning_migration_lease (
			id TINYINT NOT NULL PRIMARY KEY, holder VARCHAR(64) NOT NULL, held_until DATETIME(6) NOT NULL
		)`+l.pool.dialect.tableOptions)
	if err != nil {
		return err
	}
	_, err = l.pool.exec(ctx, "add the migration lease",
		`INSERT INTO learning_migration_lease (id, holder, held_until) VALUES (1, '', '2000-01-01 00:00:00.000000')`)
	if errors.Is(err, learning.ErrDuplicate) || (err != nil && l.pool.dialect.isRetryable(err)) {
		return nil // another instance has added it
	}
	return err
}

// tryAcquire takes the lease if it is free, or extends it if l.holder holds it. It reports
// whether l.holder holds the lease now.
func (l lease) tryAcquire(ctx context.Context) (bool, error) {
	n, err := l.pool.exec(ctx, "take the migration lease", `
		UPDATE learning_migration_lease SET holder = ?, held_until = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND
		WHERE id = 1 AND (holder = ? OR held_until <= UTC_TIMESTAMP(6))`, l.holder, l.length.Microseconds(), l.holder)
	return n > 0, err
}

// renew extends the lease in the background until stop is called. The returned context
// ends if that fails, because another instance may migrate then.
func (l lease) renew(ctx context.Context) (leaseCtx context.Context, stop func()) {
	leaseCtx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(l.length / 3)
		defer ticker.Stop()
		for {
			select {
			case <-leaseCtx.Done():
				return
			case <-ticker.C:
			}
			held, err := l.tryAcquire(leaseCtx)
			if !held && (err == nil || !l.pool.dialect.isRetryable(err)) {
				cancel(firstError(err, errLeaseLost))
			}
		}
	}()
	return leaseCtx, func() { cancel(context.Canceled); <-done }
}

// release releases the lease, even if ctx is done. If that fails, the lease expires.
func (l lease) release(ctx context.Context) {
	_, _ = l.pool.exec(context.WithoutCancel(ctx), "release the migration lease", `
		UPDATE learning_migration_lease SET holder = '', held_until = '2000-01-01 00:00:00.000000' WHERE id = 1 AND holder = ?`, l.holder)
}
