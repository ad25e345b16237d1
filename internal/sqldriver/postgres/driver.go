// Package postgres has the driver of PostgreSQL: github.com/jackc/pgx/v5.
package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// Driver is the driver of PostgreSQL.
type Driver struct{}

var _ sqldriver.Driver = Driver{}

// Engine implements [sqldriver.Driver].
func (Driver) Engine() sqldriver.Engine { return sqldriver.PostgreSQL }

// Module implements [sqldriver.Driver].
func (Driver) Module() string { return "github.com/jackc/pgx/v5/stdlib" }

// CheckURL implements [sqldriver.Driver].
func (Driver) CheckURL(rawURL string) error {
	_, err := connect(rawURL)
	return err
}

// Connect implements [sqldriver.Driver].
func (Driver) Connect(rawURL, _ string) (sqldriver.Connectors, error) { return connect(rawURL) }

func connect(rawURL string) (c sqldriver.Connectors, err error) {
	config, err := parse(rawURL)
	if err != nil {
		return c, err
	}
	watchCommits(config)
	hosts := newHosts(config)
	prepares := !strings.Contains(rawURL, execMode+"=")
	return sqldriver.Connectors{
		Reading: directConnector{Connector: hosts},
		Writing: directConnector{Connector: hosts, prepares: prepares},
		Timeout: config.ConnectTimeout,
	}, nil
}

// Failure implements [sqldriver.Driver].
func (Driver) Failure(err error) sqldriver.Failure {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		if isBroken(err) {
			return sqldriver.ConnectionLost
		}
		return sqldriver.Foreign
	}
	switch e.Code {
	case "23505":
		return sqldriver.Duplicate
	case "40001", "40P01": // serialization failure, deadlock
		return sqldriver.Conflict
	case "55P03":
		return sqldriver.LockTimeout
	case "42P01":
		return sqldriver.MissingTable
	case "57P01", "57P02", "57P03", // shut down by an admin, crashed, starting
		"57P05", "25P03", // idle for too long, also in a transaction
		"25006": // the server has become a standby, which is read-only
		return sqldriver.ConnectionLost
	case "0A000": // not supported
		// A migration has changed the columns of a prepared statement, which the driver prepares
		// again. Routine is a name of the server in each of its languages.
		if e.Routine == "RevalidateCachedQuery" {
			return sqldriver.ConnectionLost
		}
	}
	if strings.HasPrefix(e.Code, "08") { // "connection exception" of the standard
		return sqldriver.ConnectionLost
	}
	return sqldriver.Other
}

// isBroken reports whether an error that does not come from the server means a broken connection.
// The driver has no type of its own for that.
func isBroken(err error) bool {
	op, isNetwork := errors.AsType[*net.OpError](err)
	return isNetwork && op.Op != "dial" && !op.Timeout() || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.ErrUnexpectedEOF)
}

// Probe implements [sqldriver.Driver].
func (Driver) Probe(ctx context.Context, pool *sql.DB) error {
	return sqldriver.ProbeServer(ctx, pool)
}
