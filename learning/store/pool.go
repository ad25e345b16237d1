package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/learning"
)

// querier runs statements that read: [classed] outside a transaction, a [tx] inside one.
// action says what the statement does; it is part of the error.
type querier interface {
	// get scans one row into a struct or a value. It returns learning.ErrNoRecord if
	// there is no row.
	get(ctx context.Context, action string, dest any, query string, args ...any) error
	// list scans all rows into a slice.
	list(ctx context.Context, action string, dest any, query string, args ...any) error
	// each scans row by row into dest and calls fn after each. If fn returns an error,
	// each stops and returns that error unchanged.
	each(ctx context.Context, action string, dest []any, fn func() error, query string, args ...any) error
	engine() *dialect
}

// reader implements learning.Reader on a querier, so that each statement that reads is
// written once.
type reader struct{ q querier }

// classed runs each statement on the pool of its class: see [learning.ReadClass].
type classed struct{ ordinary, anonymous, urgent *pool }

func (c classed) pool(ctx context.Context) *pool {
	switch learning.ReadClassOf(ctx) {
	case learning.AnonymousReads:
		return c.anonymous
	case learning.UrgentReads:
		return c.urgent
	default:
		return c.ordinary
	}
}

func (c classed) get(ctx context.Context, action string, dest any, query string, args ...any) error {
	return c.pool(ctx).get(ctx, action, dest, query, args...)
}

func (c classed) list(ctx context.Context, action string, dest any, query string, args ...any) error {
	return c.pool(ctx).list(ctx, action, dest, query, args...)
}

func (c classed) each(
	ctx context.Context, action string, dest []any, fn func() error, query string, args ...any,
) error {
	return c.pool(ctx).each(ctx, action, dest, fn, query, args...)
}

func (c classed) engine() *dialect { return c.ordinary.dialect }

// pool runs statements on any free connection, each with a time-out.
type pool struct {
	db          *sqlx.DB
	dialect     *dialect
	readTimeout time.Duration // of one statement
	inject      func(ctx context.Context, step string) error
	observer    learning.Observer // nil for none
}

func (p *pool) get(ctx context.Context, action string, dest any, query string, args ...any) (err error) {
	ctx, end := p.observe(ctx, action)
	defer func() { end(err) }()
	ctx, cancel := withTimeout(ctx, p.timeout(ctx))
	defer cancel()
	return p.retryRead(ctx, action, func() error { return p.db.GetContext(ctx, dest, query, args...) })
}

func (p *pool) list(ctx context.Context, action string, dest any, query string, args ...any) (err error) {
	ctx, end := p.observe(ctx, action)
	defer func() { end(err) }()
	ctx, cancel := withTimeout(ctx, p.timeout(ctx))
	defer cancel()
	return p.retryRead(ctx, action, func() error { return ignoreInvalidID(p.db.SelectContext(ctx, dest, query, args...)) })
}

func (p *pool) each(ctx context.Context, action string, dest []any, fn func() error, query string, args ...any) (err error) {
	ctx, end := p.observe(ctx, action)
	defer func() { end(err) }()
	ctx, timer, stop := newRowTimer(ctx, p.readTimeout)
	defer stop()
	var rows *sql.Rows
	err = p.retryRead(ctx, action, func() (err error) {
		rows, err = p.db.QueryContext(ctx, query, args...)
		return ignoreInvalidID(err)
	})
	if err != nil || rows == nil {
		return err
	}
	stopped, err := scanRows(ctx, rows, dest, fn, timer)
	return firstError(stopped, p.dialect.wrapError(ctx, action, err))
}

// scanRows scans rows one by one into dest, calls fn after each, and closes rows. stopped
// is the error of fn, and err that of the statement. scanRows checks ctx before each row,
// because rows reports the end of ctx with a delay.
func scanRows(ctx context.Context, rows *sql.Rows, dest []any, fn func() error, timer rowTimer) (stopped, err error) {
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

// timeout returns the time-out of one statement.
func (p *pool) timeout(ctx context.Context) time.Duration {
	if d, given := ctx.Value(readTimeoutKey{}).(time.Duration); given {
		return max(d, p.readTimeout)
	}
	return p.readTimeout
}

// retryRead calls read, and once more if the connection was lost, because a connection to
// a server that has restarted fails and a new one works.
func (p *pool) retryRead(ctx context.Context, action string, read func() error) error {
	err := faultAt(ctx, p.inject, action)
	if err == nil {
		err = p.dialect.retryBusy(ctx, read)
	}
	if err != nil && p.dialect.isConnectionLost(err) && ctx.Err() == nil {
		err = read()
	}
	return p.dialect.wrapError(ctx, action, invalidIDAsNoRows(err))
}

// exec runs a statement that writes, outside a transaction, and returns how many rows it
// matched. Only migrations use it, on engines that cannot run DDL in a transaction.
func (p *pool) exec(ctx context.Context, action, query string, args ...any) (int64, error) {
	if err := faultAt(ctx, p.inject, action); err != nil {
		return 0, err
	}
	n, err := matchedRows(p.db.ExecContext(ctx, query, args...))
	return n, p.dialect.wrapError(ctx, action, err)
}

func (p *pool) engine() *dialect { return p.dialect }

func (p *pool) close() error { return p.db.Close() }

// matchedRows returns how many rows a statement matched.
func matchedRows(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// ignoreInvalidID returns nil for errInvalidID, because no row has such an id, so that a
// list of rows with it is empty, and a change matches no row.
func ignoreInvalidID(err error) error {
	if errors.Is(err, errInvalidID) {
		return nil
	}
	return err
}

// invalidIDAsNoRows returns sql.ErrNoRows for errInvalidID, because no row has such an id.
func invalidIDAsNoRows(err error) error {
	if errors.Is(err, errInvalidID) {
		return sql.ErrNoRows
	}
	return err
}
