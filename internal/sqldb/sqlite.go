package sqldb

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"runtime"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

var sqliteDialect = Dialect{
	Name:     "sqlite",
	sqlxName: "sqlite",
	// with a plain BEGIN, the first write after a read would fail and not wait
	begin:            "BEGIN IMMEDIATE",
	busyTimeout:      5 * time.Second,
	ForceIndex:       sqliteForceIndex,
	RowComparison:    true,
	AddToRow:         sqliteAddToRow,
	ReplaceRow:       sqliteReplaceRow,
	RowList:          "VALUES ",
	transactionalDDL: true,
	arguments:        sameArguments,
	rebind:           sameText,
	listNames:        "SELECT LOWER(name) FROM sqlite_master WHERE type <> 'trigger'",
	now:              "strftime('%Y-%m-%d %H:%M:%f000', 'now')",
	// SQLite has a text of an error only in triggers.
	insertHostMark: `-- +goose StatementBegin
CREATE TEMP TRIGGER refuse_steps BEFORE INSERT ON {learning_migrations}
WHEN EXISTS (SELECT 1 FROM {learning_migrations})
BEGIN
	SELECT RAISE(ABORT, '%[2]s');
END;
-- +goose StatementEnd
INSERT INTO {learning_migrations} (name, checksum, applied_at)
SELECT '%[1]s', '', %[3]s
WHERE NOT EXISTS (SELECT 1 FROM {learning_migrations} WHERE name = '%[1]s');
DROP TRIGGER refuse_steps;`,

	isOutcomeUnknown: func(error) bool { return false }, // COMMIT is a call in this process
}

// sqliteForceIndex is the ForceIndex of SQLite. Once its statistics are collected, SQLite prefers
// an index whose first column has few values to the one that has the order, even if it then sorts
// all rows. It does not name the index of a primary key, which no other one is better than.
func sqliteForceIndex(index string) string {
	if index == "PRIMARY" {
		return ""
	}
	return " INDEXED BY {" + indexMark + index + "}"
}

// sqliteAddToRow is the AddToRow of SQLite.
func sqliteAddToRow(table string, key, sums []string) string {
	return " ON CONFLICT (" + strings.Join(key, ", ") + ") DO UPDATE SET " +
		assign(sums, func(column string) string {
			return "{" + table + "}." + column + " + excluded." + column
		})
}

// sqliteReplaceRow is the ReplaceRow of SQLite.
func sqliteReplaceRow(key, columns []string) string {
	return " ON CONFLICT (" + strings.Join(key, ", ") + ") DO UPDATE SET " +
		assign(columns, func(column string) string { return "excluded." + column })
}

// openSQLite opens pools on one file: a pool of one connection for transactions, which
// database/sql queues in order, and pools of connections for reading. A connection for reading must
// be the first. The driver waits for other processes for a short time only: retryBusy waits longer,
// and stops with the context.
func openSQLite(d *Dialect, connectors sqldriver.Connectors, c Config) *DB {
	pool := func(connector driver.Connector, conns int) *sqlx.DB {
		db := sqlx.NewDb(sql.OpenDB(connector), d.sqlxName)
		setPoolSize(db, conns)
		return db
	}
	reading := func(conns int) (*sqlx.DB, share) { return pool(connectors.Reading, conns), nil }
	return newDB(d, pool(connectors.Writing, 1), reading, c)
}

// sqliteConns returns the numbers of connections to a file for ordinary reads and for transactions.
func (c Config) sqliteConns() (reading, writing int) {
	return cmp.Or(c.Conns, max(4, runtime.GOMAXPROCS(0))), 1
}
