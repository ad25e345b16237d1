// Package mysql has the driver of MySQL and MariaDB: github.com/go-sql-driver/mysql.
package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/go-sql-driver/mysql"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// Driver is the driver of MySQL, MariaDB and servers that are compatible with them.
type Driver struct{}

var _ sqldriver.Driver = Driver{}

// Engine implements [sqldriver.Driver].
func (Driver) Engine() sqldriver.Engine { return sqldriver.MySQL }

// Module implements [sqldriver.Driver].
func (Driver) Module() string { return "github.com/go-sql-driver/mysql" }

// CheckURL implements [sqldriver.Driver].
func (Driver) CheckURL(rawURL string) error {
	_, err := connect(rawURL)
	return err
}

// Connect implements [sqldriver.Driver].
func (Driver) Connect(rawURL, _ string) (sqldriver.Connectors, error) { return connect(rawURL) }

func connect(rawURL string) (c sqldriver.Connectors, err error) {
	config, err := Config(rawURL)
	if err != nil {
		return c, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return c, fmt.Errorf("the settings of the mysql URL: %w", err)
	}
	return sqldriver.Connectors{
		Reading: connector,
		Writing: connector,
		Timeout: config.Timeout,
	}, nil
}

// Failure implements [sqldriver.Driver]. It knows the codes of MySQL and of the servers that are
// compatible with it.
//
// It does not know error 3101 of Group Replication, with which COMMIT fails after a conflict with
// another node: a node that leaves its group gives the same error to all that wait for COMMIT,
// although the others may have received their transactions and apply them. So the outcome is looked
// up.
func (Driver) Failure(err error) sqldriver.Failure {
	e, ok := errors.AsType[*mysql.MySQLError](err)
	if !ok {
		if errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, driver.ErrBadConn) {
			return sqldriver.ConnectionLost
		}
		return sqldriver.Foreign
	}
	switch e.Number {
	case 1062:
		return sqldriver.Duplicate
	case 1205:
		return sqldriver.LockTimeout
	case 1213, // deadlock; Galera: certification failed
		1020,             // MariaDB: the row changed since the snapshot
		9007, 8002, 8022: // TiDB: write conflict, at COMMIT too
		return sqldriver.Conflict
	case 1146:
		return sqldriver.MissingTable
	case 1193:
		return sqldriver.UnknownVariable
	case 1060, // the column exists
		1061, // the key exists
		1091: // the column or key to drop does not exist
		// MySQL has no ADD KEY IF NOT EXISTS. An ALTER TABLE makes all its changes or none.
		return sqldriver.AlreadyApplied
	}
	switch {
	case string(e.SQLState[:]) == "40001": // "serialization failure" of the standard
		return sqldriver.Conflict
	case isUnready(e.Number):
		return sqldriver.ConnectionLost
	}
	return sqldriver.Other
}

// isUnready reports whether an error code means that a server refuses all statements, or all that
// write. A new connection may reach another server, by a proxy, so that it counts as a lost one.
func isUnready(number uint16) bool {
	switch number {
	case 1047, // Galera: the node is not part of the cluster, or not synchronised yet
		1053,       // the server shuts down
		1290, 1836, // the server is read-only
		3032,                   // Group Replication: the server has left the group, and is offline
		3100,                   // Group Replication: the server leaves the group
		3796, 3797, 3798, 3799: // Group Replication: a new primary is not ready, or the server leaves
		return true
	}
	return false
}

// Probe implements [sqldriver.Driver].
func (Driver) Probe(ctx context.Context, pool *sql.DB) error {
	return sqldriver.ProbeServer(ctx, pool)
}

// Commit implements [sqldriver.Driver].
func (Driver) Commit(_ *sql.Conn, send func() error) error { return send() }

// Listen implements [sqldriver.Driver]. The engine has no signals.
func (Driver) Listen(context.Context, *sql.Conn, string, func(), func(string)) error {
	return sqldriver.ErrNoListener
}
