package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
)

// querier runs statements that read: a [pool] outside of a transaction, a [tx]
// inside. The statements are written once, on [reader].
type querier interface {
	// get scans one row into a struct or a value; no row is learning.ErrNoRecord.
	get(ctx context.Context, doing string, dest any, query string, args ...any) error
	// list scans all rows into a slice.
	list(ctx context.Context, doing string, dest any, query string, args ...any) error
	// each scans row by row into dest and calls fn behind each; an error of fn ends
	// it and comes back as it is.
	each(ctx context.Context, doing string, dest []any, fn func() error, query string, args ...any) error
	engine() *dialect
}

// reader implements learning.Reader on a querier.
type reader struct{ q querier }

// pool reads on any free connection.
type pool struct {
	db       *sqlx.DB
	dialect  *dialect
	readTime time.Duration // of one read
}

func (p *pool) get(ctx context.Context, doing string, dest any, query string, args ...any) error {
	ctx, cancel := bounded(ctx, p.readTime)
	defer cancel()
	return p.again(ctx, doing, func() error { return p.db.GetContext(ctx, dest, query, args...) })
}

func (p *pool) list(ctx context.Context, doing string, dest any, query string, args ...any) error {
	ctx, cancel := bounded(ctx, p.readTime)
	defer cancel()
	return p.again(ctx, doing, func() error { return none(p.db.SelectContext(ctx, dest, query, args...)) })
}

func (p *pool) each(ctx context.Context, doing string, dest []any, fn func() error, query string, args ...any) error {
	ctx, timer, stop := newRowTimer(ctx, p.readTime)
	defer stop()
	var rows *sql.Rows
	err := p.again(ctx, doing, func() (err error) {
		rows, err = p.db.QueryContext(ctx, query, args...)
		return none(err)
	})
	if err != nil || rows == nil {
		return err
	}
	stopped, err := drain(ctx, rows, dest, fn, timer)
	return first(stopped, p.dialect.fail(ctx, doing, err))
}

// drain reads rows one by one, and closes them. What fn stopped it with is no
// failure of the statement. It looks at ctx itself: rows notice its end some time
// later, and what is left may be short.
func drain(ctx context.Context, rows *sql.Rows, dest []any, fn func() error, timer rowTimer) (stopped, err error) {
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
	return nil, first(ctx.Err(), rows.Err())
}

// again reads a second time when the connection broke: the server was restarted,
// perhaps, and a new connection will do.
func (p *pool) again(ctx context.Context, doing string, read func() error) error {
	err := p.dialect.patiently(ctx, read)
	if err != nil && p.dialect.lost(err) && ctx.Err() == nil {
		err = read()
	}
	return p.dialect.fail(ctx, doing, noRows(err))
}

// exec writes outside of a transaction. Only migrations do, where the engine cannot
// do them inside.
func (p *pool) exec(ctx context.Context, doing, query string, args ...any) (int64, error) {
	n, err := affected(p.db.ExecContext(ctx, query, args...))
	return n, p.dialect.fail(ctx, doing, err)
}

func (p *pool) engine() *dialect { return p.dialect }

func (p *pool) close() error { return p.db.Close() }

// affected counts the rows that a statement found.
func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// none: a list of what has an id that cannot be stored is empty.
func none(err error) error {
	if errors.Is(err, errNoKey) {
		return nil
	}
	return err
}

// noRows: what is asked for by an id that cannot be stored is not there.
func noRows(err error) error {
	if errors.Is(err, errNoKey) {
		return sql.ErrNoRows
	}
	return err
}
