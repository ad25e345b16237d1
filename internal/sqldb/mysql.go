package sqldb

import (
	"database/sql/driver"
	"errors"
	"time"
)

var mysqlDialect = Dialect{
	Name:          "mysql",
	sqlxName:      "mysql",
	begin:         "START TRANSACTION",
	ForceIndex:    mysqlForceIndex,
	AddToRow:      mysqlAddToRow,
	ReplaceRow:    mysqlReplaceRow,
	tableOptions:  " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC",
	commitTimeout: 5 * time.Second,
	marksCommits:  true,
	clusterQuery:  "SELECT @@global.wsrep_on",
	arguments:     sameArguments,
	rebind:        sameText,
	now:           "UTC_TIMESTAMP(6)",
	listNames: "SELECT CASE WHEN @@lower_case_table_names = 0 THEN table_name " +
		"ELSE LOWER(table_name) END FROM INFORMATION_SCHEMA.TABLES WHERE table_schema = DATABASE()",
	// An INSERT of two rows with one key fails, and its error has the key.
	insertHostMark: `INSERT INTO {learning_migrations} (name, checksum, applied_at)
SELECT '%[2]s', '', ''
FROM {learning_migrations} JOIN (SELECT 1 UNION ALL SELECT 2) AS twice
WHERE NOT EXISTS (SELECT 1 FROM {learning_migrations} WHERE name = '%[1]s');
INSERT INTO {learning_migrations} (name, checksum, applied_at)
SELECT '%[1]s', '', %[3]s FROM (SELECT 1 AS one) AS one
WHERE NOT EXISTS (SELECT 1 FROM {learning_migrations} WHERE name = '%[1]s');`,

	// Only the answer may be lost, unless nothing was sent, which ErrBadConn means.
	isOutcomeUnknown: func(err error) bool { return !errors.Is(err, driver.ErrBadConn) },
}

// mysqlForceIndex is the ForceIndex of MySQL, where the primary key of each table has this name.
func mysqlForceIndex(index string) string {
	if index != "PRIMARY" {
		index = "{" + indexMark + index + "}"
	}
	return " FORCE INDEX (" + index + ")"
}

// mysqlAddToRow is the AddToRow of MySQL, where the clause does not name the key.
func mysqlAddToRow(table string, _, sums []string) string {
	return " ON DUPLICATE KEY UPDATE " + assign(sums, func(column string) string {
		return "{" + table + "}." + column + " + VALUES(" + column + ")"
	})
}

// mysqlReplaceRow is the ReplaceRow of MySQL, where the clause does not name the key.
func mysqlReplaceRow(_, columns []string) string {
	return " ON DUPLICATE KEY UPDATE " +
		assign(columns, func(column string) string { return "VALUES(" + column + ")" })
}
