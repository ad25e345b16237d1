package sqldb

import (
	"context"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// engine is what this package has for the databases of an engine, whatever their driver.
type engine struct {
	dialect Dialect
	// conns returns the numbers of connections, with the defaults of the engine in place of zeros
	conns func(c Config) (reading, writing int)
	// open returns a database with pools of its own
	open func(d *Dialect, connectors sqldriver.Connectors, c Config) *DB
	// checkHost returns the error of a setting of a pool of the host that the statements of this
	// package cannot work with
	checkHost func(ctx context.Context, conn *sqlx.Conn) error
}

var engines = map[sqldriver.Engine]engine{
	sqldriver.SQLite: {
		dialect:   sqliteDialect,
		conns:     Config.sqliteConns,
		open:      openSQLite,
		checkHost: checkSQLite,
	},
	sqldriver.MySQL: {
		dialect:   mysqlDialect,
		conns:     Config.serverConns,
		open:      openServer,
		checkHost: checkMySQL,
	},
	sqldriver.PostgreSQL: {
		dialect:   postgresDialect,
		conns:     Config.serverConns,
		open:      openServer,
		checkHost: checkPostgres,
	},
}
