package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// Tx is one run of a transaction. It must not be used after its function has returned.
type Tx struct {
	Conn      Session    // set by begin
	conn      *sqlx.Conn // the connection of Conn
	pool      *sqlx.DB   // of the transactions of the database
	dialect   *Dialect
	failed    error           // of the first statement that failed, except Errors.NoRow
	hooks     []func()        // of AfterCommit
	callerCtx context.Context // the context of the call of InTx
	boundCtx  context.Context // callerCtx with the deadline of the transaction

	lockTimedOut bool // whether the previous run has waited for a locked row until the time-out

	queues *lockQueues       // of the database; nil for SQLite
	turns  map[string]func() // ends the turns that it has had, by row

	clustered  bool   // whether other nodes do not wait for its locks
	marks      bool   // whether it inserts a marker if it changes a row
	changed    bool   // see Changed
	repeatable bool   // see Repeatable
	marker     string // the id of its marker; "" before it is inserted
	unanswered error  // of a COMMIT that was sent and not answered

	inject func(ctx context.Context, step string) error // of [DB.WithFaults], or nil
}

// Session is the part of *sqlx.Conn that statements need.
type Session interface {
	GetContext(ctx context.Context, dest any, query string, args ...any) error
	SelectContext(ctx context.Context, dest any, query string, args ...any) error
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// newTx returns one run of a transaction, which has not begun. callerCtx is the context of the call
// of InTx, boundCtx the same with the deadline, and marks says whether the run inserts a marker if
// it changes a row.
func (db *DB) newTx(callerCtx, boundCtx context.Context, marks bool) *Tx {
	return &Tx{
		dialect:   db.dialect,
		pool:      db.writer,
		queues:    db.lockQueues,
		callerCtx: callerCtx,
		boundCtx:  boundCtx,
		clustered: db.clustered,
		marks:     marks,
		inject:    db.inject,
	}
}

// begin begins the transaction on conn. retry is true if the connection was lost. It is false if
// a SQLite file stayed busy, because retryBusy has waited for that already.
//
// lockTimedOut says that the previous run waited for a locked row until the time-out.
func (t *Tx) begin(
	ctx context.Context, conn *sqlx.Conn, lockTimedOut bool,
) (retry bool, err error) {
	statement := t.dialect.begin
	t.lockTimedOut = lockTimedOut
	if lockTimedOut {
		statement = cmp.Or(t.dialect.beginAgain, statement)
	}
	t.conn, t.Conn = conn, t.dialect.session(conn)
	if err = faultAt(ctx, t.inject, stepBegin); err != nil { // of a test
		return false, err
	}
	err = t.dialect.retryBusy(ctx, func() error {
		_, err := conn.ExecContext(ctx, statement)
		return err
	})
	return err != nil && t.dialect.isConnectionLost(err), t.dialect.wrapError(ctx, stepBegin, err)
}

// commit commits the transaction, even if ctx ends. A lost connection, or an answer that
// does not arrive in time, means that the outcome is unknown, unless the driver reports
// that nothing was sent: commit then sets t.unanswered. retry is true if the transaction
// was certainly rolled back because of a conflict or a lost connection.
func (t *Tx) commit(ctx context.Context) (retry bool, err error) {
	ctx, cancel := t.dialect.withoutCancel(ctx, t.dialect.commitTimeout)
	defer cancel()
	if err = faultAt(ctx, t.inject, stepCommit); err != nil { // of a test, before COMMIT is sent
		return false, fmt.Errorf("commit: %w", err)
	}
	err = t.dialect.driver.Commit(t.conn.Conn, func() error {
		_, err := t.Conn.ExecContext(ctx, "COMMIT")
		return err
	})
	if err == nil {
		t.unanswered = faultAt(ctx, t.inject, stepAnswer) // nil, unless a test loses the answer
		return false, t.unanswered
	}
	retry = t.dialect.isRetryable(err)
	if !retry && t.dialect.isOutcomeUnknown(err) {
		t.unanswered = err
	} else if errors.Is(err, driver.ErrBadConn) { // nothing was sent
		retry = true
	}
	return retry, fmt.Errorf("commit: %w", t.dialect.busy(err))
}

// rollback rolls the transaction on conn back, even if ctx is done. If that fails, it closes the
// connection, so that the server rolls back.
func (t *Tx) rollback(ctx context.Context, conn *sqlx.Conn) {
	ctx, cancel := t.dialect.withoutCancel(ctx, t.dialect.commitTimeout)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // makes database/sql close it
	}
}

// canRetry reports whether another run of the transaction may succeed after err, which
// occurred before COMMIT.
func (t *Tx) canRetry(err error) bool {
	return err != nil && (t.dialect.isRetryable(err) || t.dialect.isConnectionLost(err))
}

// Err returns the error of the first statement that failed, or nil. Errors.NoRow is no failure.
func (t *Tx) Err() error { return t.failed }

// AfterCommit registers a function that is called after the transaction is committed. The functions
// are called in the order of their registration. A repeatable transaction may register a function
// in each of two runs, of which the first took effect without an answer; both are called.
func (t *Tx) AfterCommit(hook func()) { t.hooks = append(t.hooks, hook) }

// Repeatable declares that running the transaction twice has the same effect as running
// it once, so that it needs no marker: see the comment of the package.
func (t *Tx) Repeatable() { t.repeatable = true }

// Changed reports whether a statement of the transaction has added or deleted a row, or has matched
// one in an UPDATE, even if the row kept its values. Every statement of the host counts as such.
func (t *Tx) Changed() bool { return t.changed }

// Dialect implements [Querier].
func (t *Tx) Dialect() *Dialect { return t.dialect }
