package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
)

// maxStatements is how many statements a connection keeps: more than this package
// has texts.
const maxStatements = 200

// keepsStatements is a connector whose connections keep each statement prepared
// under its text, in transactions and outside. On SQLite parsing is near half the
// time of a short statement. What *sql.DB prepares itself cannot be used on a
// *sql.Conn, where the transactions run.
type keepsStatements struct{ driver.Connector }

// Connect opens such a connection.
func (k keepsStatements) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := c.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("store: the driver's connection is a %T, which lacks a method", c), c.Close())
	}
	return &statementConn{conn, map[string]sqliteStmt{}}, nil
}

// sqliteConn and sqliteStmt are what the driver's connections and statements can
// do, so that nothing of it is lost behind a wrapper.
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

// statementConn is one connection. The rows of a query must be closed before the
// same query runs again on the connection; sqlx's Get and Select see to it.
type statementConn struct {
	sqliteConn
	kept map[string]sqliteStmt
}

// ExecContext runs a statement that writes.
func (c *statementConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	stmt, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return stmt.ExecContext(ctx, args)
}

// QueryContext runs a statement that reads.
func (c *statementConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	stmt, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if stmt == nil {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	return stmt.QueryContext(ctx, args)
}

// statement is the kept statement of a text; nil when there are too many already.
func (c *statementConn) statement(ctx context.Context, query string) (sqliteStmt, error) {
	if stmt, ok := c.kept[query]; ok || len(c.kept) >= maxStatements {
		return stmt, nil
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	stmt, ok := prepared.(sqliteStmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("store: the driver's statement is a %T, which lacks a method", prepared), prepared.Close())
	}
	c.kept[query] = stmt
	return stmt, nil
}

// Close closes the statements and the connection.
func (c *statementConn) Close() error {
	var errs []error
	for _, stmt := range c.kept {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, c.sqliteConn.Close())...)
}
