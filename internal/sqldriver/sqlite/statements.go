package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
)

// maxCachedStatements is how many prepared statements a connection keeps at most. It is
// more than the number of statements that a program has, without those that contain the text
// uncached.
const maxCachedStatements = 300

// cachingConnector is a connector whose connections cache prepared statements by their
// text. On SQLite parsing takes nearly half the time of a short statement. Statements that
// *sql.DB prepares cannot replace the cache, because transactions run on a *sql.Conn.
type cachingConnector struct {
	driver.Connector
	uncached string // see [sqldriver.Driver]
}

// Connect opens a connection with an empty cache.
func (k cachingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, hasMethods := c.(sqliteConn) // false only after a change of the driver
	if !hasMethods {
		return nil,
			errors.Join(fmt.Errorf("store: the driver's connection is a %T, which lacks a method",
				c), c.Close())
	}
	return &cachingConn{sqliteConn: conn, cache: map[string]sqliteStmt{}, uncached: k.uncached}, nil
}

// sqliteConn and sqliteStmt list the interfaces that the connections and statements of the
// driver implement, so that cachingConn implements them too.
type (
	sqliteConn interface {
		driver.Conn
		driver.ConnBeginTx
		driver.ConnPrepareContext
		driver.ExecerContext
		driver.Pinger
		driver.QueryerContext
		driver.SessionResetter
		driver.Validator
	}
	sqliteStmt interface {
		driver.Stmt
		driver.StmtExecContext
		driver.StmtQueryContext
	}
)

// cachingConn is a connection that caches its prepared statements. The rows of a query must
// be closed before the same query runs again on the connection. The methods Get and Select
// of sqlx close them.
type cachingConn struct {
	sqliteConn
	cache    map[string]sqliteStmt
	uncached string
}

// ExecContext implements [driver.ExecerContext].
func (c *cachingConn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	stmt, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil { // it is not to be prepared
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return stmt.ExecContext(ctx, args)
}

// QueryContext implements [driver.QueryerContext].
func (c *cachingConn) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	stmt, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil { // it is not to be prepared
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	return stmt.QueryContext(ctx, args)
}

// statement returns the prepared statement of a text. It takes the statement from the cache, or
// prepares it and adds it to the cache. It returns nil and no error if the caller must run the text
// unprepared: because the text contains c.uncached, or because it is new and the cache is full.
func (c *cachingConn) statement(ctx context.Context, query string) (sqliteStmt, error) {
	stmt, isCached := c.cache[query]
	isFull := len(c.cache) >= maxCachedStatements
	if isCached || isFull {
		return stmt, nil // nil if it is not cached
	}
	if c.uncached != "" && strings.Contains(query, c.uncached) {
		return nil, nil
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	stmt, hasMethods := prepared.(sqliteStmt)
	if !hasMethods {
		return nil,
			errors.Join(fmt.Errorf("store: the driver's statement is a %T, which lacks a method",
				prepared), prepared.Close())
	}
	c.cache[query] = stmt
	return stmt, nil
}

// Unprepared implements [sqldriver.PreparingConn].
func (c *cachingConn) Unprepared() driver.Conn { return c.sqliteConn }

// Close closes the statements and the connection.
func (c *cachingConn) Close() error {
	var errs []error
	for _, stmt := range c.cache {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, c.sqliteConn.Close())...)
}
