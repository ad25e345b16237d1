package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// maxPrepared is how many arguments a statement may have that is prepared. Those with more differ
// in their number of rows, and each would take memory of the server on each connection.
const maxPrepared = 40

// directConnector opens connections, of which those that lead to the server itself are tuned, and,
// if it prepares, prepare each statement once, because planning a statement takes PostgreSQL longer
// than running it on one row. That is for transactions, whose statements find rows by their keys: a
// plan for all arguments is the right one there. Reads are planned for their arguments each time.
//
// A pooler, such as pgbouncer, gives each transaction another connection to the server, which does
// not have the statements that were prepared on the one before, and which other programs use too.
// Through a pooler nothing is set and nothing is prepared.
type directConnector struct {
	driver.Connector
	prepares bool
}

// Connect implements [driver.Connector].
func (c directConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	direct := conn.(*stdlib.Conn)
	isDirect, err := tune(ctx, direct.Conn())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("find out whether there is a pooler: %w", err),
			conn.Close())
	}
	if !isDirect || !c.prepares {
		return conn, nil
	}
	return preparingConn{direct}, nil
}

// tune reports whether the other side of a connection is the server, and not a pooler: the process
// that runs a query is then the one that has accepted the connection. A pooler answers with an id
// of its own.
//
// On a server it turns off what does not pay for statements of few rows. PostgreSQL takes a page of
// a list for all rows of the table. So it compiles the statement, caches what it looks up for each
// row, in memory for all, and starts other processes that read a part each: a page of 20 rows of a
// million takes 20 ms then, in place of two, and one of a search among a thousand 50, in place of
// ten.
func tune(ctx context.Context, conn *pgx.Conn) (isServer bool, err error) {
	const set = `,
		CASE WHEN pg_backend_pid() = {pid} THEN set_config(%s, false) END`
	query := `SELECT pg_backend_pid() = {pid}` + fmt.Sprintf(set, `'jit', 'off'`) +
		fmt.Sprintf(set, `'enable_memoize', 'off'`) +
		fmt.Sprintf(set, `'max_parallel_workers_per_gather', '0'`)
	query = strings.ReplaceAll(query, "{pid}",
		strconv.FormatUint(uint64(conn.PgConn().PID()), 10))
	var compiles, caches, shares *string
	err = conn.QueryRow(ctx, query, pgx.QueryExecModeSimpleProtocol).
		Scan(&isServer, &compiles, &caches, &shares)
	return isServer, err
}

// preparingConn is a connection that prepares statements.
type preparingConn struct{ *stdlib.Conn }

// Unprepared implements [sqldriver.PreparingConn].
func (c preparingConn) Unprepared() driver.Conn { return c.Conn }

// QueryContext implements [driver.QueryerContext].
func (c preparingConn) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	return c.Conn.QueryContext(ctx, query, prepared(args))
}

// ExecContext implements [driver.ExecerContext].
func (c preparingConn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	return c.Conn.ExecContext(ctx, query, prepared(args))
}

// prepared adds to the arguments of a statement that it is to be prepared. A statement without
// arguments never is: it may consist of several.
func prepared(args []driver.NamedValue) []driver.NamedValue {
	if len(args) == 0 || len(args) > maxPrepared {
		return args
	}
	return slices.Insert(args, 0, driver.NamedValue{Value: pgx.QueryExecModeCacheStatement})
}
