package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/learning"
)

// How often a transaction is run until it is given up, and how long the pause
// before another try can be, which doubles from the first to the last.
const (
	maxTries   = 8
	firstPause = 2 * time.Millisecond
	lastPause  = 50 * time.Millisecond
)

// ErrUnknownOutcome is the error of a transaction whose COMMIT was sent and never
// answered: it may have taken effect or not. See the package's comment for what a
// caller does.
var ErrUnknownOutcome = errors.New("store: COMMIT was not answered; the transaction may have taken effect or not")

// InTx runs fn in one transaction, as [learning.Store] says. When another
// transaction was in the way (deadlock, lock time-out, busy, a conflict found at
// COMMIT), or the connection broke before COMMIT, all of it is done again, at most
// 8 times, within ctx and within the time that [WithDeadlines] gives to all tries
// together: then the error is [ErrTimeout].
//
// A statement waits one second at most for a row that another transaction has locked
// (on MySQL). A transaction that waited in vain waits again only while fewer than half
// of the writing connections do so, so that many transactions on one locked row leave
// connections to those on other rows.
//
// fn must use its tx and nothing else of the store: on SQLite there is one writing
// connection, and fn is using it. After a statement has failed (not found a row is
// no failure) every other statement of the transaction fails the same way, and so
// does InTx even if fn returns nil: on MySQL a deadlock has ended the transaction,
// and what follows would take effect by itself.
//
// ctx bounds the wait for a connection, the statements and the pauses. Once it is
// done the transaction is rolled back; a COMMIT that is under way is waited for.
func (s *Store) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	bound, cancel := bounded(ctx, s.txTime)
	defer cancel()
	return s.run(ctx, bound, func(t *tx) error { return fn(t) })
}

// inTx is InTx without a deadline of its own.
func (s *Store) inTx(ctx context.Context, fn func(t *tx) error) error { return s.run(ctx, ctx, fn) }

// run is InTx for the context that fn was given by its caller, and the one that bounds
// all tries.
func (s *Store) run(given, bound context.Context, fn func(t *tx) error) error {
	blocked := false
	for try := 0; ; try++ {
		t := newTx(s.dialect, given, bound)
		again, err := s.try(bound, t, blocked, fn)
		if err == nil {
			for _, hook := range t.hooks {
				hook()
			}
			return nil
		}
		if !again {
			return err
		}
		if try+1 == maxTries || !pause(bound, min(firstPause<<try, lastPause)) {
			return fmt.Errorf("after %d tries: %w", try+1, first(ended(bound), err))
		}
		blocked = s.dialect.blocked(err)
	}
}

// pause waits for a random part of d ("full jitter"), so that those who collided
// do not do it again; it is false when ctx is done before.
func pause(ctx context.Context, d time.Duration) bool {
	return backoff.Sleep(ctx, rand.N(d)) == nil
}

// try runs the transaction once. It speaks SQL on a connection instead of using
// *sql.Tx because that one rolls back in the background when ctx is done: here the
// transaction is over when try returns, however it ends. blocked says that the
// transaction has waited in vain for a row lock.
func (s *Store) try(ctx context.Context, t *tx, blocked bool, fn func(t *tx) error) (again bool, err error) {
	if blocked {
		select {
		case s.again <- struct{}{}:
			defer func() { <-s.again }()
		case <-ctx.Done():
			return false, fmt.Errorf("wait for a row lock: %w", ended(ctx))
		}
	}
	conn, err := s.connection(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	committed := false
	defer func() {
		if !committed { // also when fn panics
			t.rollback(ctx, conn)
		}
	}()

	if again, err = t.begin(ctx, conn); err != nil {
		return again, err
	}
	err = fn(t)
	if t.failed != nil {
		return t.canRepeat(t.failed), first(err, t.failed)
	}
	if err = first(err, ended(ctx)); err != nil {
		return false, err
	}
	again, err = t.commit(ctx)
	committed = err == nil
	return again, err
}

// connection returns a connection of the pool for transactions. A new connection to a
// SQLite file reads the file, so that it fails while another process has it locked or
// recovers its WAL.
func (s *Store) connection(ctx context.Context) (conn *sqlx.Conn, err error) {
	err = s.dialect.patiently(ctx, func() error {
		conn, err = s.writer.Connx(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("wait for a connection: %w", first(ended(ctx), err))
	}
	return conn, nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// rollback ends a transaction, even when ctx is done. A connection on which that
// fails is thrown away, which ends the transaction too.
func (t *tx) rollback(ctx context.Context, conn *sqlx.Conn) {
	ctx, cancel := unending(ctx, t.dialect.endTime)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

// tx is one run of a transaction. It implements learning.Tx.
type tx struct {
	reader
	conn    session
	dialect *dialect
	failed  error // of the first statement that failed
	hooks   []func()
	given   context.Context // that InTx was called with
	bound   context.Context // given, with the deadline of the transaction
}

// session is the part of *sqlx.Conn that statements need.
type session interface {
	GetContext(ctx context.Context, dest any, query string, args ...any) error
	SelectContext(ctx context.Context, dest any, query string, args ...any) error
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

var _ learning.Tx = (*tx)(nil)

func newTx(d *dialect, given, bound context.Context) *tx {
	t := &tx{dialect: d, given: given, bound: bound}
	t.reader = reader{t}
	return t
}

// within gives the deadline of the transaction to the context of a statement, which is
// nearly always the one that InTx was called with.
func (t *tx) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if same(ctx, t.given) {
		return t.bound, func() {}
	}
	end, ok := t.bound.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, end, ErrTimeout)
}

func (t *tx) begin(ctx context.Context, conn *sqlx.Conn) (again bool, err error) {
	t.conn = conn
	err = t.dialect.patiently(ctx, func() error {
		_, err := conn.ExecContext(ctx, t.dialect.begin)
		return err
	})
	return err != nil && t.dialect.lost(err), t.dialect.fail(ctx, "begin a transaction", err)
}

// commit is not cancelled half way. Here a lost connection, or an answer that does not
// come in time, means that the outcome is not known, unless the driver says that nothing
// was sent.
func (t *tx) commit(ctx context.Context) (again bool, err error) {
	ctx, cancel := unending(ctx, t.dialect.endTime)
	defer cancel()
	_, err = t.conn.ExecContext(ctx, "COMMIT")
	switch {
	case err == nil:
		return false, nil
	case errors.Is(err, driver.ErrBadConn) || t.dialect.retry(err):
		return true, fmt.Errorf("commit: %w", err)
	case t.dialect.unknown(err):
		return false, fmt.Errorf("%w (%w)", ErrUnknownOutcome, err)
	default:
		return false, fmt.Errorf("commit: %w", err)
	}
}

// canRepeat tells whether a failure before COMMIT is one that another run may not
// meet.
func (t *tx) canRepeat(err error) bool {
	return err != nil && (t.dialect.retry(err) || t.dialect.lost(err))
}

// AfterCommit registers what happens once the transaction is committed.
func (t *tx) AfterCommit(hook func()) { t.hooks = append(t.hooks, hook) }

func (t *tx) get(ctx context.Context, doing string, dest any, query string, args ...any) error {
	return t.statement(ctx, doing, func(ctx context.Context) error { return noRows(t.conn.GetContext(ctx, dest, query, args...)) })
}

func (t *tx) list(ctx context.Context, doing string, dest any, query string, args ...any) error {
	return t.statement(ctx, doing, func(ctx context.Context) error { return none(t.conn.SelectContext(ctx, dest, query, args...)) })
}

func (t *tx) each(ctx context.Context, doing string, dest []any, fn func() error, query string, args ...any) error {
	var stopped error
	err := t.statement(ctx, doing, func(ctx context.Context) error {
		rows, err := t.conn.QueryContext(ctx, query, args...)
		if err != nil {
			return none(err)
		}
		stopped, err = drain(ctx, rows, dest, fn, rowTimer{})
		return err
	})
	return first(stopped, err)
}

// exec runs a statement that writes, and counts the rows that it found.
func (t *tx) exec(ctx context.Context, doing, query string, args ...any) (n int64, err error) {
	err = t.statement(ctx, doing, func(ctx context.Context) error {
		n, err = affected(t.conn.ExecContext(ctx, query, args...))
		return err
	})
	return n, err
}

func (t *tx) engine() *dialect { return t.dialect }

// insert adds a row.
func (t *tx) insert(ctx context.Context, doing, query string, args ...any) error {
	_, err := t.exec(ctx, doing, query, args...)
	return err
}

// update changes the row that its WHERE describes, and tells whether it was there.
func (t *tx) update(ctx context.Context, doing, query string, args ...any) (bool, error) {
	n, err := t.exec(ctx, doing, query, args...)
	return n > 0, err
}

// change is update for a row that must be there: learning.ErrNoRecord when it is not.
func (t *tx) change(ctx context.Context, doing, query string, args ...any) error {
	found, err := t.update(ctx, doing, query, args...)
	if err == nil && !found {
		return noRecord(doing)
	}
	return err
}

// statement runs one statement, unless one has failed before.
func (t *tx) statement(ctx context.Context, doing string, run func(ctx context.Context) error) error {
	if t.failed != nil {
		return t.failed
	}
	ctx, cancel := t.within(ctx)
	defer cancel()
	err := t.dialect.fail(ctx, doing, run(ctx))
	if err != nil && !errors.Is(err, learning.ErrNoRecord) {
		t.failed = err
	}
	return err
}
