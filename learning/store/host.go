package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/core"
)

// hostTx is the [core.HostTx] of this package.
type hostTx struct {
	tx   *sqldb.Tx
	conn *sql.Conn // for statements of the host
}

// AfterCommit implements [core.HostTx].
func (t *hostTx) AfterCommit(hook func()) { t.tx.AfterCommit(hook) }

// WithHost implements [core.Tx].
func (t *tx) WithHost(
	ctx context.Context, fn func(ctx context.Context, tx core.HostTx) error,
) error {
	return t.Tx.WithHost(ctx, func(ctx context.Context, conn *sql.Conn) error {
		return fn(ctx, &hostTx{t.Tx, conn})
	})
}

// Statements runs statements of a host in a transaction of the platform: see [SQL]. Its methods are
// those of [sql.Tx] that run statements, so that code which takes such an interface works with it,
// such as that of sqlc.
//
//   - The texts of statements are those of the host's engine. They pass unchanged.
//   - A statement that fails fails the transaction: every later one returns the same error, and the
//     transaction is rolled back, even if the function ignores the error. After a deadlock, a lock
//     time-out or a lost connection the transaction runs again. To have no failure where a row may
//     exist, write ON CONFLICT DO NOTHING, or look for the row first. [sql.ErrNoRows] does not
//     count as a failure.
//   - A statement has the deadline of the transaction, whatever context it gets.
//   - The rows of a query must be closed before the next statement. Rows and statements that are
//     left open are closed when the function returns.
//   - BEGIN, COMMIT and ROLLBACK are refused, and on MySQL what commits implicitly, such as CREATE
//     TABLE. If another statement ends the transaction, such as the call of a procedure, the
//     operation returns an error.
//
// Statements must not be used after the function has returned; a statement is an error then. It is
// not safe for concurrent use.
type Statements struct{ conn *sql.Conn }

// SQL returns what runs statements in the transaction that a function of
// [learning.WithInTransaction] has got. It panics if tx is not of a [Store] or a type that wraps
// one.
func SQL(tx core.HostTx) *Statements {
	t, ok := tx.(*hostTx)
	if !ok {
		panic(fmt.Sprintf("store.SQL: a %T is no transaction of package store", tx))
	}
	return &Statements{t.conn}
}

// ExecContext runs a statement that returns no rows.
func (s *Statements) ExecContext(
	ctx context.Context, query string, args ...any,
) (sql.Result, error) {
	return s.conn.ExecContext(ctx, query, args...)
}

// QueryContext runs a statement that returns rows.
func (s *Statements) QueryContext(
	ctx context.Context, query string, args ...any,
) (*sql.Rows, error) {
	return s.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a statement that returns at most one row.
func (s *Statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return s.conn.QueryRowContext(ctx, query, args...)
}

// PrepareContext prepares a statement for this run of the transaction.
func (s *Statements) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	return s.conn.PrepareContext(ctx, query)
}
