package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// The default numbers of connections to a server. With those for anonymous and for urgent reads an
// instance has 48, so that three instances fit into the 151 connections that a MySQL allows by
// default, and two into the 100 of a PostgreSQL. There are more connections for transactions,
// because a transaction that waits for a row lock keeps its connection.
const (
	serverConns        = 8
	serverWritingConns = 32
)

// openServer returns a database with a pool for transactions and others for reading, so that
// transactions that wait for locks do not use up the connections for reading.
func openServer(d *Dialect, connectors sqldriver.Connectors, c Config) *DB {
	pool := func(connector driver.Connector, conns int) *sqlx.DB {
		return serverPool(&serverConnector{connector, d, connectors.Timeout}, conns)
	}
	writer := pool(connectors.Writing, c.WritingConns)
	writer.SetConnMaxIdleTime(time.Minute) // so that connections are closed after a burst of writes
	reading := func(conns int) (*sqlx.DB, share) { return pool(connectors.Reading, conns), nil }
	db := newDB(d, writer, reading, c)
	db.connector = connectors.Reading
	return db
}

// serverConns returns the numbers of connections to a server for ordinary reads and for
// transactions.
func (c Config) serverConns() (reading, writing int) {
	return cmp.Or(c.Conns, serverConns), cmp.Or(c.WritingConns, serverWritingConns)
}

// serverConnector bounds the time until a server is ready for statements. The drivers bound the
// time until it accepts the connection only, and a frozen server accepts connections without
// answering.
type serverConnector struct {
	driver.Connector
	dialect *Dialect
	timeout time.Duration // 0 for no limit
}

// Connect implements [driver.Connector].
func (c *serverConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = c.dialect.withTimeout(ctx, c.timeout)
		defer cancel()
	}
	conn, err := c.Connector.Connect(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("connect: %w", c.dialect.contextError(ctx))
	}
	return conn, err
}

// serverPool returns a pool of at most conns connections. It opens none yet.
func serverPool(connector *serverConnector, conns int) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(connector), connector.dialect.sqlxName)
	setPoolSize(db, conns)
	db.SetConnMaxLifetime(5 * time.Minute) // so that the pool follows a changed address or proxy
	return db
}

// setPoolSize limits the open connections of a pool, and keeps idle connections open.
func setPoolSize(db *sqlx.DB, conns int) {
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
}
