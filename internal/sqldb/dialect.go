package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// Dialect is what differs between the engines. It is short because the SQL is the same.
type Dialect struct {
	Name     string // "sqlite", "mysql" or "postgres"
	sqlxName string // name of the driver, for sqlx
	begin    string // begins a transaction that may write
	// begins a run after one whose wait for a locked row timed out, which has one of lockWaitSlots;
	// "" for begin
	beginAgain  string
	busyTimeout time.Duration // how long retryBusy tries; 0 to try once
	// for the answer to COMMIT or ROLLBACK; 0 for no limit
	commitTimeout time.Duration
	// whether COMMIT may stay without an answer, so that transactions insert markers
	marksCommits     bool
	transactionalDDL bool // whether ROLLBACK undoes changes of tables
	// a hint to read rows in the order of the index, and not to sort them; index is PRIMARY or a
	// name without a prefix
	ForceIndex func(index string) string
	// whether (a, b) > (?, ?) reads an index from that position on
	RowComparison bool
	// what the list of rows begins with in (a, b) IN ((?, ?), (?, ?))
	RowList string
	// the text of a query for 1 if the server is one of several nodes that do not lock rows for
	// each other, and for 0 if not; "" if the engine has no nodes
	clusterQuery string
	tableOptions string           // follows the columns of a new table
	errs         Errors           // of the database that uses the dialect
	driver       sqldriver.Driver // of the database that uses the dialect
	// sent first in the transaction of the migrations, so that one at a time runs; "" if the engine
	// has one writer, or the migration lease
	lockMigrations string
	// a query that locks a text until the transaction ends: see [Tx.Lock]; "" if a statement that
	// finds no row locks the place where it would be
	lockPlace string
	// a query that sends a signal to those that listen: see [DB.Signal]; "" if the engine has none
	signal string
	// follows an INSERT, which then adds no row if a unique key has the value; "" on engines where
	// such an INSERT fails and the transaction can go on
	insertOnce string
	// statements that insert the row hostMark into learning_migrations if it is missing, and fail
	// if there are other rows without it; a format of the name of the row, the text of the error,
	// and now
	insertHostMark string
	// a query for the names of the tables, views and what else shares their names, in small letters
	// if the engine takes capital letters for the same; "" on PostgreSQL, where it needs the schema
	listNames string
	now       string // an expression for the time in UTC, in the form of [Timestamp]
	// arguments returns a session that passes arguments in the form that the engine needs
	arguments func(Session) Session
	// rebind writes the placeholders of the engine in place of each ?
	rebind func(text string) string
	texts  *textCache // of the database that uses the dialect

	// AddToRow returns the clause after INSERT … VALUES that, if a row has the key, adds the values
	// of the columns sums to those of the row. The table must have no other unique key; table is
	// its name without a prefix.
	AddToRow func(table string, key, sums []string) string

	// ReplaceRow returns the clause after INSERT … VALUES that, if a row has the key, replaces the
	// values of the columns in it. The table must have no other unique key.
	ReplaceRow func(key, columns []string) string

	isOutcomeUnknown func(error) bool // of COMMIT: it may have taken effect in spite of the error
}

// with returns a copy of d with the driver, the errors and the names of a database.
func (d Dialect) with(driver sqldriver.Driver, c Config) *Dialect {
	d.driver = driver
	d.errs = c.Errors
	d.texts = &textCache{names: c.Names, rebind: d.rebind}
	d.lockMigrations = c.Names.withLockSpace(d.lockMigrations)
	d.lockPlace = c.Names.withLockSpace(d.lockPlace)
	d.signal = c.Names.withLockSpace(d.signal)
	if d.listNames == "" {
		d.listNames = c.Names.namesOf()
	}
	return &d
}

// Names returns the names of the tables and indexes of the database that uses the dialect.
func (d *Dialect) Names() Names { return d.texts.names }

// session returns what runs statements on s as they are written in this program: with marks in
// place of names, and with ? for each argument.
func (d *Dialect) session(s Session) Session { return writtenSession{d.arguments(s), d.texts} }

// sameArguments and sameText are for the engines that need no other form.
func sameArguments(s Session) Session { return s }
func sameText(text string) string     { return text }

// writtenSession is a session of statements as they are written in this program.
type writtenSession struct {
	Session
	texts *textCache
}

// GetContext implements [Session].
func (s writtenSession) GetContext(
	ctx context.Context, dest any, query string, args ...any,
) error {
	return s.Session.GetContext(ctx, dest, s.texts.text(query), args...)
}

// SelectContext implements [Session].
func (s writtenSession) SelectContext(
	ctx context.Context, dest any, query string, args ...any,
) error {
	return s.Session.SelectContext(ctx, dest, s.texts.text(query), args...)
}

// QueryContext implements [Session].
func (s writtenSession) QueryContext(
	ctx context.Context, query string, args ...any,
) (*sql.Rows, error) {
	return s.Session.QueryContext(ctx, s.texts.text(query), args...)
}

// ExecContext implements [Session].
func (s writtenSession) ExecContext(
	ctx context.Context, query string, args ...any,
) (sql.Result, error) {
	return s.Session.ExecContext(ctx, s.texts.text(query), args...)
}

// failure returns what an error means.
func (d *Dialect) failure(err error) sqldriver.Failure { return d.driver.Failure(err) }

// isMissingTable reports whether a statement names a table that does not exist.
func (d *Dialect) isMissingTable(err error) bool {
	return d.failure(err) == sqldriver.MissingTable
}

// isRetryable reports whether a transaction failed because of another one, and has ended by now.
func (d *Dialect) isRetryable(err error) bool { return d.failure(err).IsRetryable() }

// isConnectionLost reports whether a statement may succeed on a new connection.
func (d *Dialect) isConnectionLost(err error) bool {
	return d.failure(err) == sqldriver.ConnectionLost
}

// assign returns the assignments of an UPDATE that sets each column to the expression that value
// returns for it.
func assign(columns []string, value func(column string) string) string {
	assignments := make([]string, len(columns))
	for i, column := range columns {
		assignments[i] = column + " = " + value(column)
	}
	return strings.Join(assignments, ", ")
}

// wrapError adds the action to the error of a statement, and replaces the error by the
// one that [Errors] has for it. ctx is that of the statement: if it is done, it is taken as the
// reason of an error. The text of a violated key is left out, because on MySQL it contains values
// of the row. wrapError returns nil for nil.
func (d *Dialect) wrapError(ctx context.Context, action string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		err = d.errs.NoRow
	case d.failure(err) == sqldriver.Duplicate:
		err = d.errs.Duplicate
	case ctx.Err() != nil:
		err = d.contextError(ctx)
	case d.isMissingTable(err): // the database is not migrated, or has another prefix
		err = fmt.Errorf("%w: %w", ErrNoTables, err)
	default:
		err = d.busy(err)
	}
	return fmt.Errorf("%s: %w", action, err)
}

// busy returns err, and wraps it with Errors.Busy if it is a conflict with another transaction.
func (d *Dialect) busy(err error) error {
	if err == nil || !d.isRetryable(err) {
		return err
	}
	return &busyError{err, d.errs.Busy}
}

// retryBusy calls do until it succeeds, fails for another reason than a busy file, or
// busyTimeout or ctx ends. The busy handler of SQLite cannot replace it, because that
// ignores ctx, and does not wait where SQLite detects a deadlock, such as when several
// processes create one file.
func (d *Dialect) retryBusy(ctx context.Context, do func() error) error {
	const longestPause = 20 * time.Millisecond
	for until := time.Now().Add(d.busyTimeout); ; {
		err := do()
		if err == nil || d.busyTimeout == 0 || !d.isRetryable(err) || time.Now().After(until) ||
			!pause(ctx, longestPause) {
			return err
		}
	}
}

// noRow returns the error of an action that did not find its row.
func (d *Dialect) noRow(action string) error { return fmt.Errorf("%s: %w", action, d.errs.NoRow) }
