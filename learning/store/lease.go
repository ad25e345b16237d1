package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning"
)

// migrationLease is for how long an instance that does not report any more keeps
// the others from migrating.
const migrationLease = 30 * time.Second

// leasePoll is how long to wait between two looks at a lease that is taken.
const leasePoll = 100 * time.Millisecond

var errLeaseLost = errors.New("another instance took over the migration")

// migrateLeased applies the steps while it holds the migration lease: a row that
// names its holder and a time after which it may be taken over. It is not one of the
// server's own locks, since those are local to a node of a cluster.
func (s *Store) migrateLeased(ctx context.Context, steps []step) error {
	left, err := pending(ctx, s.pool, steps)
	if err != nil || len(left) == 0 {
		return err
	}
	l := lease{s.pool, uuid.NewString(), s.lease}
	if err := l.acquire(ctx); err != nil {
		return err
	}
	defer l.release(ctx)
	held, stop := l.keep(ctx)
	defer stop()
	if err := apply(held, s.pool, steps); err != nil {
		return first(context.Cause(held), err)
	}
	return nil
}

// lease is the right to migrate a database. Its times are those of the server, so
// that the clocks of the instances do not matter.
type lease struct {
	pool   *pool
	holder string
	length time.Duration
}

// acquire waits until the lease is free, given back or expired.
func (l lease) acquire(ctx context.Context) error {
	if err := l.prepare(ctx); err != nil {
		return err
	}
	for {
		mine, err := l.take(ctx)
		if mine || (err != nil && !l.pool.dialect.retry(err)) {
			return err
		}
		if !pause(ctx, leasePoll) {
			return fmt.Errorf("wait for another instance that migrates: %w", ctx.Err())
		}
	}
}

// prepare makes the row that is the lease.
func (l lease) prepare(ctx context.Context) error {
	_, err := l.pool.exec(ctx, "create the migration lease", `
		CREATE TABLE IF NOT EXISTS learning_migration_lease (
			id TINYINT NOT NULL PRIMARY KEY, holder VARCHAR(64) NOT NULL, held_until DATETIME(6) NOT NULL
		)`+l.pool.dialect.table)
	if err != nil {
		return err
	}
	_, err = l.pool.exec(ctx, "add the migration lease",
		`INSERT INTO learning_migration_lease (id, holder, held_until) VALUES (1, '', '2000-01-01 00:00:00.000000')`)
	if errors.Is(err, learning.ErrDuplicate) || (err != nil && l.pool.dialect.retry(err)) {
		return nil // another instance has added it
	}
	return err
}

// take makes the lease ours, or longer when it is.
func (l lease) take(ctx context.Context) (bool, error) {
	n, err := l.pool.exec(ctx, "take the migration lease", `
		UPDATE learning_migration_lease SET holder = ?, held_until = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND
		WHERE id = 1 AND (holder = ? OR held_until <= UTC_TIMESTAMP(6))`, l.holder, l.length.Microseconds(), l.holder)
	return n > 0, err
}

// keep renews the lease until stop is called. The context that it returns ends when
// that fails, since then somebody else may be migrating.
func (l lease) keep(ctx context.Context) (held context.Context, stop func()) {
	held, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(l.length / 3)
		defer ticker.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-ticker.C:
			}
			mine, err := l.take(held)
			if !mine && (err == nil || !l.pool.dialect.retry(err)) {
				cancel(first(err, errLeaseLost))
			}
		}
	}()
	return held, func() { cancel(context.Canceled); <-done }
}

// release gives the lease back. If that fails it expires.
func (l lease) release(ctx context.Context) {
	_, _ = l.pool.exec(context.WithoutCancel(ctx), "release the migration lease", `
		UPDATE learning_migration_lease SET holder = '', held_until = '2000-01-01 00:00:00.000000' WHERE id = 1 AND holder = ?`, l.holder)
}
