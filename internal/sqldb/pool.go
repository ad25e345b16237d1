package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
)

// Querier runs statements that read: [DB.Reads] outside a transaction, a [Tx] inside one.
// action says what the statement does; it is part of the error.
type Querier interface {
	// Get scans one row into dest, a pointer to a struct or a value. It returns Errors.NoRow if
	// there is no row.
	Get(ctx context.Context, action string, dest any, query string, args ...any) error
	// List scans all rows into dest, a pointer to a slice.
	List(ctx context.Context, action string, dest any, query string, args ...any) error
	// Each scans row by row into dest and calls fn after each. If fn returns an error,
	// Each stops and returns that error unchanged.
	Each(ctx context.Context, action string, dest []any, fn func() error, query string,
		args ...any) error
	// Dialect returns what differs between the engines, for the engine of this database.
	Dialect() *Dialect
}

// Class says for whom a read outside transactions is. Each class has a pool of its own.
type Class int

// The classes of reads.
const (
	Ordinary  Class = iota // of signed-in users, and of the work of the server
	Anonymous              // of callers without a valid token
	Urgent                 // of webhooks, payments and health checks
)

// classed is a [Querier] that runs each statement on the pool of the class of its context.
type classed struct {
	class                       func(ctx context.Context) Class
	ordinary, anonymous, urgent *Pool
}

// pool returns the pool of the class that ctx has.
func (c classed) pool(ctx context.Context) *Pool {
	switch c.class(ctx) {
	case Anonymous:
		return c.anonymous
	case Urgent:
		return c.urgent
	default:
		return c.ordinary
	}
}

// Get implements [Querier].
func (c classed) Get(
	ctx context.Context, action string, dest any, query string, args ...any,
) error {
	return c.pool(ctx).Get(ctx, action, dest, query, args...)
}

// List implements [Querier].
func (c classed) List(
	ctx context.Context, action string, dest any, query string, args ...any,
) error {
	return c.pool(ctx).List(ctx, action, dest, query, args...)
}

// Each implements [Querier].
func (c classed) Each(
	ctx context.Context, action string, dest []any, fn func() error, query string, args ...any,
) error {
	return c.pool(ctx).Each(ctx, action, dest, fn, query, args...)
}

// Dialect implements [Querier]. All pools have the same one.
func (c classed) Dialect() *Dialect { return c.ordinary.dialect }

// Pool runs statements on any free connection, each with a time-out.
type Pool struct {
	DB          *sqlx.DB
	share       share   // of the connections of DB
	session     Session // runs statements on DB
	dialect     *Dialect
	readTimeout time.Duration // of one statement; in Each, of the wait for one row
	// of [DB.WithFaults], or nil
	inject func(ctx context.Context, step string) error
	// see Config.ObserveRead; never nil
	observe func(ctx context.Context, action string) (context.Context, func(error))
}

// Get implements [Querier]. An invalid id is Errors.NoRow, because no row has it.
func (p *Pool) Get(
	ctx context.Context, action string, dest any, query string, args ...any,
) (err error) {
	ctx, end := p.observe(ctx, action) // end reports the result to Config.ObserveRead
	defer func() { end(err) }()
	ctx, cancel := p.dialect.withTimeout(ctx, p.timeout(ctx))
	defer cancel()
	release, err := p.take(ctx, action)
	if err != nil {
		return err
	}
	defer release()
	return p.retryRead(ctx, action,
		func() error { return p.session.GetContext(ctx, dest, query, args...) })
}

// List implements [Querier]. An invalid id matches no row.
func (p *Pool) List(
	ctx context.Context, action string, dest any, query string, args ...any,
) (err error) {
	ctx, end := p.observe(ctx, action) // end reports the result to Config.ObserveRead
	defer func() { end(err) }()
	ctx, cancel := p.dialect.withTimeout(ctx, p.timeout(ctx))
	defer cancel()
	release, err := p.take(ctx, action)
	if err != nil {
		return err
	}
	defer release()
	return p.retryRead(ctx, action,
		func() error { return ignoreInvalidID(p.session.SelectContext(ctx, dest, query, args...)) })
}

// Each implements [Querier]. An invalid id matches no row.
func (p *Pool) Each(
	ctx context.Context, action string, dest []any, fn func() error, query string, args ...any,
) (err error) {
	ctx, end := p.observe(ctx, action) // end reports the result to Config.ObserveRead
	defer func() { end(err) }()
	// The limit is that of the wait for one row, which is short also in a read of scheduled work:
	// the time of WithReadTimeout, which p.timeout returns, is that of a whole read.
	ctx, timer, stop := p.dialect.newRowTimer(ctx, p.readTimeout)
	defer stop()
	release, err := p.take(ctx, action)
	if err != nil {
		return err
	}
	defer release()

	// Send the query, again if the connection is lost. Its rows are read once only, because fn may
	// have seen some.
	var rows *sql.Rows
	err = p.retryRead(ctx, action, func() (err error) {
		rows, err = p.session.QueryContext(ctx, query, args...)
		return ignoreInvalidID(err)
	})
	if err != nil || rows == nil { // an invalid id has no rows
		return err
	}
	stopped, err := scanRows(ctx, rows, dest, fn, timer)
	return firstError(stopped, p.dialect.wrapError(ctx, action, err))
}

// scanRows scans rows one by one into dest, calls fn after each, and closes rows. stopped
// is the error of fn, and err that of the statement or of ctx; one of them at least is nil. timer
// must run when scanRows is called. It runs while scanRows waits for a row, and not during fn.
// scanRows checks ctx before each row, because rows reports the end of ctx with a delay.
func scanRows(
	ctx context.Context, rows *sql.Rows, dest []any, fn func() error, timer rowTimer,
) (stopped, err error) {
	defer rows.Close()
	for ctx.Err() == nil && rows.Next() {
		timer.pause()
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		if err := fn(); err != nil {
			return err, nil
		}
		timer.resume()
	}
	return nil, firstError(ctx.Err(), rows.Err())
}

// timeout returns the time-out of one statement: that of the pool, or the one that
// [WithReadTimeout] has put into ctx if it is longer.
func (p *Pool) timeout(ctx context.Context) time.Duration {
	if d, given := ctx.Value(readTimeoutKey{}).(time.Duration); given {
		return max(d, p.readTimeout)
	}
	return p.readTimeout
}

// take waits until the pool may use one more connection. The caller must call release after the
// statement.
func (p *Pool) take(ctx context.Context, action string) (release func(), err error) {
	release, err = p.share.take(ctx, p.dialect)
	return release, p.dialect.wrapError(ctx, action, err)
}

// retryRead calls read, again while a SQLite file is busy, and again if the connection was lost,
// because after a restart of the server every connection of the pool fails once, and a new one
// works. It returns the error as one of [Errors] if there is one for it; an invalid id is
// Errors.NoRow.
func (p *Pool) retryRead(ctx context.Context, action string, read func() error) error {
	err := faultAt(ctx, p.inject, action) // of a test, in place of the first call
	if err == nil {
		err = p.dialect.retryBusy(ctx, read)
	}
	stats := p.DB.Stats() // a pool of the host may have no limit
	for range cmp.Or(stats.MaxOpenConnections, stats.OpenConnections+1) {
		if err == nil || !p.dialect.isConnectionLost(err) || ctx.Err() != nil {
			break
		}
		err = read()
	}
	return p.dialect.wrapError(ctx, action, invalidIDAsNoRows(err))
}

// Exec runs a statement that writes, outside a transaction, and returns how many rows it
// matched. Only migrations use it, on engines that cannot run DDL in a transaction.
func (p *Pool) Exec(ctx context.Context, action, query string, args ...any) (int64, error) {
	if err := faultAt(ctx, p.inject, action); err != nil { // of a test
		return 0, err
	}
	release, err := p.take(ctx, action)
	if err != nil {
		return 0, err
	}
	defer release()
	n, err := matchedRows(p.session.ExecContext(ctx, query, args...))
	return n, p.dialect.wrapError(ctx, action, err)
}

// Dialect implements [Querier].
func (p *Pool) Dialect() *Dialect { return p.dialect }

func (p *Pool) close() error { return p.DB.Close() }

// matchedRows returns how many rows a statement matched, from the results of ExecContext. On MySQL
// the setting ClientFoundRows makes RowsAffected count rows that kept their values too.
func matchedRows(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// ignoreInvalidID returns nil for ErrInvalidID, because no row has such an id, so that a
// list of rows with it is empty, and a change matches no row.
func ignoreInvalidID(err error) error {
	if errors.Is(err, ErrInvalidID) {
		return nil
	}
	return err
}

// invalidIDAsNoRows returns sql.ErrNoRows for ErrInvalidID, because no row has such an id.
func invalidIDAsNoRows(err error) error {
	if errors.Is(err, ErrInvalidID) {
		return sql.ErrNoRows
	}
	return err
}
