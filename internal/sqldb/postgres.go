package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jmoiron/sqlx"
)

// postgresDialect runs transactions in READ COMMITTED: a statement sees what was committed before
// it, so that what is read after a lock is current, as it is on InnoDB.
var postgresDialect = Dialect{
	Name:   "postgres",
	driver: "pgx",
	// LOCAL, and not a setting of the connection, because a pooler such as pgbouncer gives each
	// transaction another connection to the server.
	//
	// The second limit is for a process whose machine fails during a transaction: the server would
	// keep its connection, and its locks, for two hours.
	begin: postgresBegin("1s"),
	// PostgreSQL serves the transactions that wait for a row in their order, and a time-out puts one
	// at the end. On a busy machine, with many votes on one post, each would time out again and again.
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
	arguments: func(s Session) Session { return postgresSession{s} },
	rebind:    func(text string) string { return sqlx.Rebind(sqlx.DOLLAR, text) },
	commit:    postgresCommit,
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

	isDuplicate: func(err error) bool { return postgresCode(err) == "23505" },
	isRetryable: func(err error) bool {
		return postgresIsConflict(err) || postgresIsLockTimeout(err)
	},
	isConflict:       postgresIsConflict,
	isLockTimeout:    postgresIsLockTimeout,
	isConnectionLost: postgresIsConnectionLost,
	// a step and its record are one transaction
	isAlreadyApplied: func(error) bool { return false },
	isMissingTable:   func(err error) bool { return postgresCode(err) == "42P01" },
	// Only the answer may be lost. The driver returns ErrBadConn for that too, although it should
	// mean that nothing was sent.
	isOutcomeUnknown: func(error) bool { return true },
}

// postgresBegin returns the statements that begin a transaction, with the longest wait for a lock.
func postgresBegin(lockTimeout string) string {
	return "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = '" + lockTimeout + "'; " +
		"SET LOCAL idle_in_transaction_session_timeout = '1min'"
}

// postgresCode returns the SQLSTATE of an error of the server, or "".
func postgresCode(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// postgresIsConflict reports whether the server ended a transaction because of another one.
func postgresIsConflict(err error) bool {
	code := postgresCode(err)
	return code == "40001" || code == "40P01" // serialization failure, deadlock
}

// postgresIsLockTimeout reports whether the wait for a locked row timed out.
func postgresIsLockTimeout(err error) bool { return postgresCode(err) == "55P03" }

// postgresIsConnectionLost reports whether another connection may succeed: this one is broken, or
// was idle for too long, or the server shuts down, starts, or has become a standby, which is
// read-only. It is also true if a migration has changed the columns of a prepared statement, which
// the driver prepares again.
func postgresIsConnectionLost(err error) bool {
	switch code := postgresCode(err); code {
	case "":
		// The driver has no type of its own for a connection that breaks.
		op, isNetwork := errors.AsType[*net.OpError](err)
		isBroken := isNetwork && op.Op != "dial" && !op.Timeout()
		return isBroken || errors.Is(err, driver.ErrBadConn) ||
			errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.ErrUnexpectedEOF)
	case "57P01", "57P02", "57P03", // shut down by an admin, crashed, starting
		"57P05", "25P03", // idle for too long, also in a transaction
		"25006": // the server is read-only
		return true
	case "0A000": // not supported
		e, _ := errors.AsType[*pgconn.PgError](err)
		return e.Routine == "RevalidateCachedQuery" // of the server, in each of its languages
	default:
		return strings.HasPrefix(code, "08") // "connection exception" of the standard
	}
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

// newPostgresConnector returns a connector for the server of a URL. It does not connect.
func newPostgresConnector(rawURL string, d *Dialect) (*serverConnector, error) {
	config, err := postgresConfig(rawURL)
	if err != nil {
		return nil, err
	}
	watchCommits(config)
	c := &serverConnector{
		Connector: newPostgresHosts(config),
		dialect:   d,
		timeout:   config.ConnectTimeout,
	}
	if !strings.Contains(rawURL, execMode+"=") {
		c.writing = preparingConnector{c.Connector}
	}
	return c, nil
}

// execMode is the parameter of a URL that decides how the driver sends statements.
const execMode = "default_query_exec_mode"

var errPostgresURL = errors.New("the URL must be postgres://user:password@host:5432/name, " +
	"with special characters of user and password percent-encoded")

// postgresConfig parses a URL. It does not return the errors of the driver, because they may quote
// the URL with its password. As with libpq, the environment has defaults for what the URL leaves
// out, such as PGPASSWORD.
//
// Of several hosts, separated by commas, a connection is to the first that accepts writes.
func postgresConfig(rawURL string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(oneHost(rawURL))
	if err != nil || u.User.Username() == "" || u.Hostname() == "" || u.Fragment != "" {
		return nil, errPostgresURL
	}
	if name := strings.Trim(u.Path, "/"); name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("the postgres URL names no database: %w", errPostgresURL)
	}
	config, err := pgx.ParseConfig(rawURL)
	if err != nil {
		// Its error quotes the URL, and has a cause that names the parameter.
		return nil, fmt.Errorf("a parameter of the postgres URL: %w",
			cmp.Or(errors.Unwrap(err), errPostgresURL))
	}

	// The settings that the statements of this package rely on.
	config.RuntimeParams["datestyle"] = "ISO, YMD" // of a time that is converted to text
	config.RuntimeParams["timezone"] = "UTC"
	given := u.Query()
	if !given.Has(execMode) {
		// The default of the driver prepares statements on the server, where another client of a
		// pooler in transaction mode does not find them.
		config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if hasSeveral := u.Host != hostOf(rawURL); hasSeveral && !given.Has("target_session_attrs") {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	// If a context ends, the driver closes the connection and asks the server to end the statement,
	// unless that is COMMIT (commitConn).
	// Its handler that keeps the connection is not used: when the client of a cancel request leaves
	// before the answer, as that handler does, pgbouncer 1.18 ends.
	if !given.Has("connect_timeout") {
		config.ConnectTimeout = 5 * time.Second
	}
	return config, nil
}

// oneHost returns a URL without its hosts after the first, because [url.Parse] refuses several with
// ports.
func oneHost(rawURL string) string {
	hosts := hostOf(rawURL)
	first, _, _ := strings.Cut(hosts, ",")
	return strings.Replace(rawURL, hosts, first, 1)
}
