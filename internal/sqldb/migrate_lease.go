package sqldb

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/internal/lease"
)

// migrationLeaseLength is how long the lease of an instance that has crashed keeps other
// instances from migrating.
const migrationLeaseLength = 30 * time.Second

// migrateWithLease applies the steps while it holds the migration lease. A lock of the
// server (GET_LOCK) cannot replace the lease, because such locks are local to a node of
// a cluster.
func (db *DB) migrateWithLease(ctx context.Context, steps []Step) error {
	// Apply the steps while lease.Run extends the lease. apply reads again which are missing,
	// because another instance may have applied some before this one had the lease.
	l := migrationLease{pool: db.pool, holder: uuid.NewString(), length: db.lease}
	if err := l.prepare(ctx); err != nil {
		return err
	}
	return lease.Run(ctx, l, l.length,
		func(ctx context.Context) error { return apply(ctx, db.pool, steps) })
}

// migrationLease is the exclusive right to migrate a database. Its row is not in the
// table leases, because the first step runs before that table exists, and because it
// expires by the clock of the server, so that differences between the clocks of the
// instances have no effect. It implements [lease.Renewable].
type migrationLease struct {
	pool   *Pool
	holder string
	length time.Duration
}

// prepare creates the table of the lease and its row, if they do not exist.
func (l migrationLease) prepare(ctx context.Context) error {
	_, err := l.pool.Exec(ctx, "create the migration lease", `
		CREATE TABLE IF NOT EXISTS {learning_migration_lease} (
			id TINYINT NOT NULL PRIMARY KEY,
			holder VARCHAR(64) NOT NULL,
			held_until DATETIME(6) NOT NULL
		)`+l.pool.dialect.tableOptions)
	if err != nil {
		return err
	}
	// A lease that has expired long ago is free.
	_, err = l.pool.Exec(ctx, "add the migration lease", `
		INSERT INTO {learning_migration_lease} (id, holder, held_until)
		VALUES (1, '', '2000-01-01 00:00:00.000000')`)
	if errors.Is(err, l.pool.dialect.errs.Duplicate) ||
		(err != nil && l.pool.dialect.isRetryable(err)) {
		return nil // another instance has added it, or is adding it
	}
	return err
}

// Take takes the lease if it is free, or extends it if l.holder holds it. It reports
// whether l.holder holds the lease now.
func (l migrationLease) Take(ctx context.Context) (held bool, err error) {
	err = lease.Poll(ctx, func() (bool, error) {
		n, err := l.pool.Exec(ctx, "take the migration lease", `
			UPDATE {learning_migration_lease} SET holder = ?,
				held_until = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND
			WHERE id = 1 AND (holder = ? OR held_until <= UTC_TIMESTAMP(6))`,
			l.holder, l.length.Microseconds(), l.holder)
		if err != nil && l.pool.dialect.isRetryable(err) {
			return false, nil // not done: Poll tries again
		}
		held = n > 0
		return true, err // done, also if another instance holds the lease
	})
	return held, err
}

// Release releases the lease. It ignores an error, because the lease then expires.
func (l migrationLease) Release(ctx context.Context) {
	_, _ = l.pool.Exec(ctx, "release the migration lease", `
		UPDATE {learning_migration_lease} SET holder = '', held_until = '2000-01-01 00:00:00.000000'
		WHERE id = 1 AND holder = ?`,
		l.holder)
}
