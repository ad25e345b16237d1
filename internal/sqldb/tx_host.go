package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// hostStatement is the step of a statement of the host: its errors begin with it, and
// [DB.WithFaults] reports it.
const hostStatement = "run a statement of the host"

// Errors of a connection for statements of the host.
var (
	errHostEnded = errors.New("the function that had this transaction has returned: " +
		"run its statements before it returns")
	errHostRowsOpen = errors.New("the rows of an earlier query are open: " +
		"close them before the next statement")
	errHostEndsTx = errors.New("the platform begins and ends this transaction: " +
		"to roll it back, return an error")
	errHostEndedTx = errors.New("a statement of the host has ended the transaction, so that a " +
		"part of its changes may be stored and the rest is not: the host must not use what " +
		"begins or ends a transaction, also inside a procedure")
	errInsideHost = errors.New("begin a transaction: called by a function of the host inside a " +
		"transaction: use its transaction, or call the platform after it")
)

// hostKey is the key of the context that the function of [Tx.WithHost] gets. Its value is the pool
// of the transactions of the database.
type hostKey struct{}

// isInsideHost reports whether ctx is that of a function of [Tx.WithHost]. Another transaction of
// the same database would wait for the one that the function is in.
func (db *DB) isInsideHost(ctx context.Context) bool {
	return ctx.Value(hostKey{}) == db.writer
}

// WithHost calls fn with a connection for statements of the host, which run in the transaction. It
// sends their texts unchanged. ctx of fn has the deadline of the transaction, as each statement
// has. A statement that fails fails the transaction, as each statement of t does. The connection
// runs one statement at a time: the rows of a query must be closed before the next one. WithHost
// closes what fn has left open. A statement after fn has returned is an error.
//
// WithHost fails the transaction if a statement of the host has ended it, so that no later COMMIT
// succeeds that stores nothing. A savepoint with a random name is set before fn and released after
// it: each engine forgets the savepoints of a transaction when the transaction ends.
//
// The transaction is not repeatable afterwards, because nothing is known about the statements of a
// host: a marker tells whether an unanswered COMMIT took effect.
func (t *Tx) WithHost(
	ctx context.Context, fn func(ctx context.Context, conn *sql.Conn) error,
) (err error) {
	t.repeatable = false
	ctx, cancel := t.withDeadline(ctx)
	defer cancel()

	// *sql.Conn, and not the connection of t, because its *sql.Row and *sql.Rows show the errors of
	// the rows to the host only. On MySQL a deadlock may be such an error, and has then ended the
	// transaction: t must know it, also if the host ignores it.
	h := &hostConn{tx: t}
	pool := sql.OpenDB(h)
	defer func() {
		h.end()
		err = firstError(err, pool.Close(), t.failed)
	}()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", hostStatement, err)
	}
	if t.failed != nil {
		return t.failed
	}
	savepoint := "host_" + strings.ToLower(rand.Text())
	if t.failed = h.send(ctx, "set a savepoint", "SAVEPOINT "+savepoint); t.failed != nil {
		return t.failed
	}
	err = fn(context.WithValue(ctx, hostKey{}, t.pool), conn)
	if ended := h.checkSavepoint(ctx, savepoint); ended != nil {
		if err != nil { // as a text, because err may be a refusal, which says that nothing is stored
			ended = fmt.Errorf("%w (the function returned: %v)", ended, err)
		}
		t.failed = ended
		return ended
	}
	return err
}

// checkSavepoint closes the rows that the host has left open, and releases a savepoint. It returns
// errHostEndedTx if there is no such savepoint, because the transaction of the savepoint has ended.
// It returns nil after a statement that has failed, because the transaction is rolled back then.
func (h *hostConn) checkSavepoint(ctx context.Context, name string) error {
	h.mu.Lock()
	if h.rows != nil {
		_ = h.rows.close() // its error is that of the transaction too
	}
	h.mu.Unlock()
	if h.tx.failed != nil {
		return nil
	}
	err := h.send(ctx, "release the savepoint", "RELEASE SAVEPOINT "+name)
	if err == nil || h.tx.canRetry(err) || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", errHostEndedTx, err)
}

// send sends a statement of this package, without arguments. It does not pass the caches of
// prepared statements, because it has a name that no other one has.
func (h *hostConn) send(ctx context.Context, action, statement string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.raw(func(c driver.Conn) error {
		if e, ok := c.(driver.ExecerContext); ok {
			_, err := e.ExecContext(ctx, statement, nil)
			if !errors.Is(err, driver.ErrSkip) {
				return err
			}
		}
		stmt, err := c.Prepare(statement) // on a driver that wraps another one
		if err != nil {
			return err
		}
		e, ok := stmt.(driver.StmtExecContext)
		if !ok {
			return errors.Join(errors.New("the driver has no ExecContext"), stmt.Close())
		}
		_, err = e.ExecContext(ctx, nil)
		return errors.Join(err, stmt.Close())
	})
	return h.tx.dialect.wrapError(ctx, action, err)
}

// hostConn is a connection of the driver for statements of the host. It passes them on to the
// connection of the transaction. It is its own connector, of one connection.
type hostConn struct {
	tx *Tx

	mu    sync.Mutex // the host may close rows in another goroutine
	ended bool
	rows  *hostRows // of the last query, until they are closed; nil for none
	stmts []*hostStmt
}

// Connect implements [driver.Connector].
func (h *hostConn) Connect(context.Context) (driver.Conn, error) { return h, nil }

// Driver implements [driver.Connector].
func (h *hostConn) Driver() driver.Driver { return nil }

// Close implements [driver.Conn]. The connection of the transaction stays open.
func (h *hostConn) Close() error { return nil }

// Begin implements [driver.Conn]. It is never called, because no host can reach it.
func (h *hostConn) Begin() (driver.Tx, error) { return nil, errHostEndsTx }

// Prepare implements [driver.Conn].
func (h *hostConn) Prepare(query string) (driver.Stmt, error) {
	return h.PrepareContext(context.Background(), query)
}

// PrepareContext implements [driver.ConnPrepareContext].
func (h *hostConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	stmt := &hostStmt{conn: h}
	err := h.run(ctx, query, func(ctx context.Context, c driver.Conn) (err error) {
		if p, ok := c.(driver.ConnPrepareContext); ok {
			stmt.Stmt, err = p.PrepareContext(ctx, query)
		} else {
			stmt.Stmt, err = c.Prepare(query)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	h.stmts = append(h.stmts, stmt)
	return stmt, nil
}

// ExecContext implements [driver.ExecerContext].
func (h *hostConn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (result driver.Result, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	err = h.run(ctx, query, func(ctx context.Context, c driver.Conn) (err error) {
		e, ok := c.(driver.ExecerContext)
		if !ok {
			return driver.ErrSkip // database/sql then prepares it
		}
		result, err = e.ExecContext(ctx, query, args)
		return err
	})
	return result, err
}

// QueryContext implements [driver.QueryerContext].
func (h *hostConn) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.query(ctx, query, func(ctx context.Context, c driver.Conn) (driver.Rows, error) {
		q, ok := c.(driver.QueryerContext)
		if !ok {
			return nil, driver.ErrSkip
		}
		return q.QueryContext(ctx, query, args)
	})
}

// CheckNamedValue implements [driver.NamedValueChecker] by that of the driver, if it has one.
func (h *hostConn) CheckNamedValue(value *driver.NamedValue) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return errHostEnded
	}
	return h.raw(func(c driver.Conn) error { return checkNamedValue(c, value) })
}

// checkNamedValue calls the method of a connection or statement of a driver. driver.ErrSkip means
// that it has none: database/sql then converts the value.
func checkNamedValue(c any, value *driver.NamedValue) error {
	if checker, ok := c.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}
	return driver.ErrSkip
}

// run runs one statement, with the deadline of the transaction. h.mu must be locked.
func (h *hostConn) run(
	ctx context.Context, query string, do func(ctx context.Context, c driver.Conn) error,
) error {
	ctx, cancel := h.tx.withDeadline(ctx)
	defer cancel()
	return h.runBound(ctx, query, do)
}

// runBound is run with a context that has the deadline.
func (h *hostConn) runBound(
	ctx context.Context, query string, do func(ctx context.Context, c driver.Conn) error,
) error {
	switch {
	case h.ended:
		return errHostEnded
	case h.tx.failed != nil:
		return h.tx.failed
	case h.rows != nil:
		return h.failed(ctx, errHostRowsOpen)
	case h.tx.dialect.endsTransaction(query):
		return h.failed(ctx, errHostEndsTx)
	}
	err := faultAt(ctx, h.tx.inject, hostStatement) // of a test, in place of the statement
	if err == nil {
		err = h.raw(func(c driver.Conn) error { return do(ctx, c) })
	}
	if err == nil {
		h.tx.changed = true // also by a query: it may be an INSERT … RETURNING
	}
	return h.failed(ctx, err)
}

// query runs a statement that returns rows. h.mu must be locked.
func (h *hostConn) query(
	ctx context.Context, query string,
	do func(ctx context.Context, c driver.Conn) (driver.Rows, error),
) (driver.Rows, error) {
	ctx, cancel := h.tx.withDeadline(ctx)
	rows := &hostRows{conn: h, ctx: ctx, cancel: cancel}
	err := h.runBound(ctx, query, func(ctx context.Context, c driver.Conn) (err error) {
		rows.Rows, err = do(ctx, c)
		return err
	})
	if err != nil {
		cancel()
		return nil, err
	}
	h.rows = rows
	return rows, nil
}

// raw calls do with the connection of the driver that the transaction has.
func (h *hostConn) raw(do func(c driver.Conn) error) error {
	return h.tx.conn.Raw(func(c any) error {
		if preparing, ok := c.(sqldriver.PreparingConn); ok {
			c = preparing.Unprepared() // the texts of a host may be many, and fill the cache
		}
		return do(c.(driver.Conn))
	})
}

// failed returns the error of a statement, and keeps it as that of the transaction. It returns nil
// for nil, and driver.ErrSkip, which is no failure. The error of the driver stays in the chain, for
// the host, whose rows it is about.
func (h *hostConn) failed(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, driver.ErrSkip) {
		return err
	}
	if ctx.Err() != nil {
		err = h.tx.dialect.contextError(ctx)
	}
	err = fmt.Errorf("%s: %w", hostStatement, h.tx.dialect.busy(err))
	h.tx.failed = firstError(h.tx.failed, err)
	return err
}

// end closes what the host has left open. Every statement after it is refused.
func (h *hostConn) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.rows != nil {
		_ = h.rows.close() // its error is that of the transaction too
	}
	for _, stmt := range h.stmts {
		_ = h.raw(func(driver.Conn) error { return stmt.Stmt.Close() })
	}
	h.ended = true
}

// hostRows are the rows of a query of the host.
type hostRows struct {
	driver.Rows
	conn   *hostConn
	ctx    context.Context // of the query
	cancel context.CancelFunc
	closed bool
}

// Next implements [driver.Rows].
func (r *hostRows) Next(values []driver.Value) error {
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	if r.closed { // the function of the host has returned
		return errHostEnded
	}
	err := r.conn.raw(func(driver.Conn) error { return r.Rows.Next(values) })
	if err == io.EOF { // the end, and not a connection that ended
		return err
	}
	return r.conn.failed(r.ctx, err)
}

// Close implements [driver.Rows].
func (r *hostRows) Close() error {
	r.conn.mu.Lock()
	defer r.conn.mu.Unlock()
	return r.close()
}

// close closes the rows once. r.conn.mu must be locked.
func (r *hostRows) close() error {
	if r.closed {
		return nil
	}
	r.closed = true
	r.conn.rows = nil
	defer r.cancel()
	return r.conn.failed(r.ctx, r.conn.raw(func(driver.Conn) error { return r.Rows.Close() }))
}

// hostStmt is a prepared statement of the host.
type hostStmt struct {
	driver.Stmt
	conn *hostConn
}

// ExecContext implements [driver.StmtExecContext].
func (s *hostStmt) ExecContext(
	ctx context.Context, args []driver.NamedValue,
) (result driver.Result, err error) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	err = s.conn.run(ctx, "", func(ctx context.Context, _ driver.Conn) (err error) {
		e, ok := s.Stmt.(driver.StmtExecContext)
		if !ok {
			return fmt.Errorf("the driver's statement is a %T, which lacks a method", s.Stmt)
		}
		result, err = e.ExecContext(ctx, args)
		return err
	})
	return result, err
}

// QueryContext implements [driver.StmtQueryContext].
func (s *hostStmt) QueryContext(
	ctx context.Context, args []driver.NamedValue,
) (driver.Rows, error) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	return s.conn.query(ctx, "", func(ctx context.Context, _ driver.Conn) (driver.Rows, error) {
		q, ok := s.Stmt.(driver.StmtQueryContext)
		if !ok {
			return nil, fmt.Errorf("the driver's statement is a %T, which lacks a method", s.Stmt)
		}
		return q.QueryContext(ctx, args)
	})
}

// CheckNamedValue implements [driver.NamedValueChecker].
func (s *hostStmt) CheckNamedValue(value *driver.NamedValue) error {
	if err := checkNamedValue(s.Stmt, value); !errors.Is(err, driver.ErrSkip) {
		return err
	}
	return s.conn.CheckNamedValue(value)
}

// Close implements [driver.Stmt].
func (s *hostStmt) Close() error {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	at := slices.Index(s.conn.stmts, s)
	if s.conn.ended || at < 0 { // end has closed it
		return nil
	}
	s.conn.stmts = slices.Delete(s.conn.stmts, at, at+1)
	return s.conn.raw(func(driver.Conn) error { return s.Stmt.Close() })
}
