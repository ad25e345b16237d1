package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
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
func openServer(connector *serverConnector, c Config) (*DB, error) {
	c.Conns, c.WritingConns = c.serverConns()
	writing := *connector
	if connector.writing != nil {
		writing.Connector = connector.writing
	}
	writer := writing.pool(c.WritingConns)
	writer.SetConnMaxIdleTime(time.Minute) // so that connections are closed after a burst of writes
	reading := func(conns int) (*sqlx.DB, share) { return connector.pool(conns), nil }
	return newDB(connector.dialect, writer, reading, c), nil
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
	writing driver.Connector // of the connections for transactions; nil for the same
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

// pool returns a pool of at most conns connections. It opens none yet.
func (c *serverConnector) pool(conns int) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(c), c.dialect.driver)
	setPoolSize(db, conns)
	db.SetConnMaxLifetime(5 * time.Minute) // so that the pool follows a changed address or proxy
	return db
}

// hostOf returns the host of a URL, or its hosts, with the port, also where [url.Parse] returns an
// error.
func hostOf(rawURL string) string {
	_, host, _ := strings.Cut(rawURL, "://")
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	return host[strings.LastIndex(host, "@")+1:]
}
