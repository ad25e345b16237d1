package postgres

import (
	"context"
	"crypto/tls"
	"database/sql"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// errCommitWarning is the error of a COMMIT that PostgreSQL answered with a warning.
var errCommitWarning = errors.New("the server answers with a warning: " +
	"a standby may not have the transaction")

// commitConn is a connection to PostgreSQL that knows of its COMMIT.
//
// With a synchronous standby, COMMIT waits until the standby has the transaction. Until then other
// transactions do not see it. If the wait is cancelled, the server makes the transaction visible
// although the standby may not have it, and does not undo it: others would read what is lost if the
// standby is promoted. So a COMMIT is never cancelled, and if it was cancelled by others, which a
// warning tells, its outcome is unknown.
type commitConn struct {
	net.Conn
	isCommitting atomic.Bool // since COMMIT was sent, until it is answered
	hasWarned    atomic.Bool // a warning was received
}

// RemoteAddr returns the address to which the driver sends a request to cancel the statement of a
// connection that it closes. While the connection commits, it is no address.
func (c *commitConn) RemoteAddr() net.Addr {
	if c.isCommitting.Load() {
		return noAddress{}
	}
	return c.Conn.RemoteAddr()
}

// noAddress is an address to which nothing can connect.
type noAddress struct{}

// Network implements [net.Addr].
func (noAddress) Network() string { return "none" }

// String implements [net.Addr].
func (noAddress) String() string { return "none" }

// watchCommits makes the connections of a config commitConns.
func watchCommits(config *pgx.ConnConfig) {
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &commitConn{Conn: conn}, nil
	}
	config.OnNotice = func(c *pgconn.PgConn, n *pgconn.Notice) {
		if conn := commitConnOf(c); conn != nil && n.SeverityUnlocalized == "WARNING" {
			conn.hasWarned.Store(true)
		}
	}
}

// commitConnOf returns the commitConn of a connection, or nil if it has none.
func commitConnOf(c *pgconn.PgConn) *commitConn {
	conn := c.Conn()
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	found, _ := conn.(*commitConn)
	return found
}

// commitConnOfPool returns the commitConn of a connection of a pool, or nil if it has none, such as
// on a pool of the host.
func commitConnOfPool(conn *sql.Conn) (c *commitConn) {
	_ = conn.Raw(func(driverConn any) error { // fails if conn is closed, as COMMIT does then
		if preparing, ok := driverConn.(preparingConn); ok {
			driverConn = preparing.Conn
		}
		if conn, ok := driverConn.(*stdlib.Conn); ok {
			c = commitConnOf(conn.Conn().PgConn())
		}
		return nil
	})
	return c
}

// Commit implements [sqldriver.Driver]. It returns errCommitWarning if the answer has a warning.
func (d Driver) Commit(conn *sql.Conn, send func() error) error {
	c := commitConnOfPool(conn)
	if c == nil {
		return send()
	}
	c.hasWarned.Store(false) // of an earlier statement
	c.isCommitting.Store(true)
	err := send()
	// Without an answer the driver closes the connection, now and later, and must not cancel.
	if _, isAnswer := errors.AsType[*pgconn.PgError](err); err == nil || isAnswer {
		c.isCommitting.Store(false)
	}
	if err == nil && c.hasWarned.Load() {
		return errCommitWarning
	}
	return err
}
