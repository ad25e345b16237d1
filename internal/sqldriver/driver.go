// Package sqldriver describes what package sqldb needs from the Go driver of an engine. Each folder
// below has one driver, and what only that engine needs: the form of its URL, its settings and its
// error codes. So a program compiles the drivers of the engines that it names.
//
// Neither this package nor those below know package sqldb, which has the SQL of the engines.
package sqldriver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Engine names an engine: SQLite, MySQL, which is also MariaDB, or PostgreSQL.
type Engine string

// The engines.
const (
	SQLite     Engine = "sqlite"
	MySQL      Engine = "mysql"
	PostgreSQL Engine = "postgres"
)

// Driver connects to the databases of one engine, and knows the errors of its Go driver. It is safe
// for concurrent use.
type Driver interface {
	// Engine returns the engine of the databases.
	Engine() Engine

	// Module returns the import path of the Go driver, for messages.
	Module() string

	// CheckURL returns the error of a URL that Connect does not understand. It connects to nothing
	// and creates no file.
	CheckURL(url string) error

	// Connect returns the connectors for the database of a URL. It connects to nothing yet, but
	// creates the file of a new SQLite database. A statement that contains the text uncached is not
	// kept as a prepared statement on SQLite; "" keeps all.
	Connect(url, uncached string) (Connectors, error)

	// Failure returns what an error means. err may wrap the error of the Go driver.
	Failure(err error) Failure

	// Probe returns nil if the database of a pool answers.
	Probe(ctx context.Context, pool *sql.DB) error

	// Commit calls send, which sends COMMIT on a connection, and returns its error, or another one
	// if the answer does not mean that the transaction is stored.
	Commit(conn *sql.Conn, send func() error) error

	// Listen calls heard with the text of each signal that is sent to a channel, until ctx is done
	// or the connection is lost. It calls listening when it hears what is sent from then on. It
	// closes the connection if it has listened, and returns an error: ErrNoListener if the engine,
	// the driver of the connection or a pooler before the server has no signals.
	Listen(
		ctx context.Context, conn *sql.Conn, channel string, listening func(), heard func(string),
	) error
}

// ErrNoListener is the error of [Driver.Listen] on a connection that never hears a signal.
var ErrNoListener = errors.New("the connection has no signals")

// Connectors open the connections to one database.
type Connectors struct {
	Reading driver.Connector
	Writing driver.Connector // of the connections for transactions
	// Timeout bounds the time until a server is ready for statements; 0 for no limit.
	Timeout time.Duration
}

// PreparingConn is a connection that keeps prepared statements.
type PreparingConn interface {
	// Unprepared returns the same connection without that.
	Unprepared() driver.Conn
}

// Failure is what an error of a statement means. The first ones have no meaning of their own.
type Failure int

const (
	// Foreign is an error that does not come from the Go driver.
	Foreign Failure = iota
	// Other is any other error of the database.
	Other
	// Duplicate means that a unique key has the value.
	Duplicate
	// Conflict means that the database has ended the transaction because of another one, without
	// a wait, so that it may run again many times.
	Conflict
	// LockTimeout means that the wait for a locked row timed out, and the transaction has ended.
	LockTimeout
	// Busy means that another process has the file locked.
	Busy
	// ConnectionLost means that a new connection may succeed.
	ConnectionLost
	// AlreadyApplied means that a statement of a migration has made its change before, in a run
	// that was interrupted.
	AlreadyApplied
	// MissingTable means that a statement names a table that does not exist.
	MissingTable
	// UnknownVariable means that a query names a variable that the server does not have.
	UnknownVariable
)

// IsRetryable reports whether a transaction failed because of another one, and has ended by now.
func (f Failure) IsRetryable() bool { return f == Conflict || f == LockTimeout || f == Busy }

// ProbeServer implements [Driver.Probe] for a server. It runs a query that reads no table.
func ProbeServer(ctx context.Context, pool *sql.DB) error {
	var one int
	return pool.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// Scheme returns the part of a URL before the first colon, or all of it if there is none.
func Scheme(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme
}

// HostOf returns the host of a URL, or its hosts, with the port, also where [net/url.Parse] returns
// an error.
func HostOf(url string) string {
	_, host, _ := strings.Cut(url, "://")
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	return host[strings.LastIndex(host, "@")+1:]
}

// ErrEngine returns the error of an engine that does not exist.
func ErrEngine(engine Engine) error {
	return fmt.Errorf("the engine %q: it must be sqlite, mysql or postgres", engine)
}
