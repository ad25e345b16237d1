package store

import (
	"context"
	"database/sql/driver"
	"time"
)

// mysqlConn is what a connection of the driver implements.
type mysqlConn interface {
	driver.Conn
	driver.Pinger
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.NamedValueChecker
	driver.SessionResetter
	driver.Validator
}

// hostConn is a connection that the pool closes after its host was lost.
type hostConn struct {
	mysqlConn
	hosts *mysqlHosts
	at    uint64 // the moves when it was opened
}

// IsValid implements [driver.Validator].
func (c *hostConn) IsValid() bool { return c.at == c.hosts.moves.Load() && c.mysqlConn.IsValid() }

// ResetSession implements [driver.SessionResetter].
func (c *hostConn) ResetSession(ctx context.Context) error {
	if !c.IsValid() {
		return driver.ErrBadConn
	}
	if c.hosts.suspect.Load() == c.at+1 {
		if err := c.check(ctx); err != nil {
			return err
		}
	}
	return c.mysqlConn.ResetSession(ctx)
}

// check asks a suspected host whether it answers, and moves on if it does not. Without it, each
// open connection to a frozen host would cost a caller the time-out of its statement.
func (c *hostConn) check(ctx context.Context) error {
	began := time.Now()
	bound, cancel := c.hosts.bound(ctx)
	defer cancel()
	err := c.mysqlConn.Ping(bound)
	if err == nil {
		c.hosts.suspect.CompareAndSwap(c.at+1, 0)
		return nil
	}
	if bound.Err() != nil && (ctx.Err() == nil || time.Since(began) >= impatience) {
		c.hosts.lose(c.at)
	}
	return driver.ErrBadConn
}

// ExecContext implements [driver.ExecerContext].
func (c *hostConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	began := time.Now()
	result, err := c.mysqlConn.ExecContext(ctx, query, args)
	return result, c.watch(ctx, began, err)
}

// QueryContext implements [driver.QueryerContext].
func (c *hostConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	began := time.Now()
	rows, err := c.mysqlConn.QueryContext(ctx, query, args)
	return rows, c.watch(ctx, began, err)
}

// watch returns the error of a statement. It moves on if the host refuses statements. A host that
// did not answer in time is suspected, because it may be frozen, or the statement may be slow.
func (c *hostConn) watch(ctx context.Context, began time.Time, err error) error {
	switch {
	case isUnready(mysqlError(err).Number):
		c.hosts.lose(c.at)
	case err != nil && ctx.Err() != nil && len(c.hosts.all) > 1 && time.Since(began) >= impatience:
		c.hosts.suspect.Store(c.at + 1)
	}
	return err
}
