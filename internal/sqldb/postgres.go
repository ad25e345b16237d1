package sqldb

import (
	"context"
	"database/sql"
	"time"

	"github.com/jmoiron/sqlx"
)

// postgresDialect runs transactions in READ COMMITTED: a statement sees what was committed before
// it, so that what is read after a lock is current, as it is on InnoDB.
var postgresDialect = Dialect{
	Name:     "postgres",
	sqlxName: "pgx",
	// LOCAL, and not a setting of the connection, because a pooler such as pgbouncer gives each
	// transaction another connection to the server.
	//
	// The second limit is for a process whose machine fails during a transaction: the server would
	// keep its connection, and its locks, for two hours.
	begin: postgresBegin("1s"),
	// PostgreSQL serves the transactions that wait for a row in their order, and a time-out puts
	// one at the end. On a busy machine, with many votes on one post, each would time out again and
	// again.
	beginAgain:       postgresBegin("8s"),
	ForceIndex:       func(string) string { return "" }, // PostgreSQL has no hints
	RowComparison:    true,
	AddToRow:         sqliteAddToRow, // PostgreSQL has the same clause
	ReplaceRow:       sqliteReplaceRow,
	RowList:          "VALUES ",
	insertOnce:       " ON CONFLICT DO NOTHING",
	commitTimeout:    5 * time.Second,
	marksCommits:     true,
	transactionalDDL: true,
	// The lock of one migration at a time is waited for without a limit.
	lockMigrations: "SET LOCAL lock_timeout = 0; " +
		"SELECT pg_advisory_xact_lock(hashtextextended(CONCAT(" + lockSpace + ", 'migrations'), 0)); " +
		"SET LOCAL lock_timeout = '1s'",
	lockPlace: "SELECT pg_advisory_xact_lock(hashtextextended(CONCAT(" + lockSpace + ", " +
		"CAST(? AS TEXT)), 0))",
	signal:    "SELECT pg_notify('" + signalChannel + "', CONCAT(" + lockSpace + "))",
	arguments: func(s Session) Session { return postgresSession{s} },
	rebind:    func(text string) string { return sqlx.Rebind(sqlx.DOLLAR, text) },
	now:       "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
	insertHostMark: `-- +goose StatementBegin
DO $$ BEGIN
	IF NOT EXISTS (SELECT 1 FROM {learning_migrations} WHERE name = '%[1]s') THEN
		IF EXISTS (SELECT 1 FROM {learning_migrations}) THEN
			RAISE EXCEPTION '%[2]s';
		END IF;
		INSERT INTO {learning_migrations} (name, checksum, applied_at)
		VALUES ('%[1]s', '', %[3]s);
	END IF;
END $$;
-- +goose StatementEnd`,

	// Only the answer may be lost. The driver returns ErrBadConn for that too, although it should
	// mean that nothing was sent.
	isOutcomeUnknown: func(error) bool { return true },
}

// postgresBegin returns the statements that begin a transaction, with the longest wait for a lock.
func postgresBegin(lockTimeout string) string {
	return "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '" + lockTimeout + "'; " +
		"SET LOCAL idle_in_transaction_session_timeout = '1min'"
}

// postgresSession passes a bool as 1 or 0, because the columns for it are numbers on all engines. A
// read with a text that PostgreSQL cannot store is refused with ErrInvalidID, as there is no such
// row.
type postgresSession struct{ Session }

// GetContext implements [Session].
func (s postgresSession) GetContext(
	ctx context.Context, dest any, query string, args ...any,
) error {
	if hasUnstorableText(args) {
		return ErrInvalidID
	}
	return s.Session.GetContext(ctx, dest, query, numbers(args)...)
}

// SelectContext implements [Session].
func (s postgresSession) SelectContext(
	ctx context.Context, dest any, query string, args ...any,
) error {
	if hasUnstorableText(args) {
		return ErrInvalidID
	}
	return s.Session.SelectContext(ctx, dest, query, numbers(args)...)
}

// QueryContext implements [Session].
func (s postgresSession) QueryContext(
	ctx context.Context, query string, args ...any,
) (*sql.Rows, error) {
	if hasUnstorableText(args) {
		return nil, ErrInvalidID
	}
	return s.Session.QueryContext(ctx, query, numbers(args)...)
}

// ExecContext implements [Session].
func (s postgresSession) ExecContext(
	ctx context.Context, query string, args ...any,
) (sql.Result, error) {
	return s.Session.ExecContext(ctx, query, numbers(args)...)
}

// numbers replaces each bool and *bool of args by 1, 0 or nil. It changes args, which belong to one
// call.
func numbers(args []any) []any {
	for i, arg := range args {
		switch b := arg.(type) {
		case bool:
			args[i] = number(b)
		case *bool:
			if args[i] = nil; b != nil {
				args[i] = number(*b)
			}
		}
	}
	return args
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
