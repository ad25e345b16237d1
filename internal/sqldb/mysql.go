package sqldb

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

var mysqlDialect = Dialect{
	Name:          "mysql",
	driver:        "mysql",
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
	commit:        plainCommit,
	now:           "UTC_TIMESTAMP(6)",
	listNames: "SELECT IF(@@lower_case_table_names = 0, table_name, LOWER(table_name)) " +
		"FROM INFORMATION_SCHEMA.TABLES WHERE table_schema = DATABASE()",
	// An INSERT of two rows with one key fails, and its error has the key.
	insertHostMark: `INSERT INTO {learning_migrations} (name, checksum, applied_at)
SELECT '%[2]s', '', ''
FROM {learning_migrations} JOIN (SELECT 1 UNION ALL SELECT 2) AS twice
WHERE NOT EXISTS (SELECT 1 FROM {learning_migrations} WHERE name = '%[1]s');
INSERT INTO {learning_migrations} (name, checksum, applied_at)
SELECT '%[1]s', '', %[3]s FROM (SELECT 1 AS one) AS one
WHERE NOT EXISTS (SELECT 1 FROM {learning_migrations} WHERE name = '%[1]s');`,

	isDuplicate: func(err error) bool { return mysqlError(err).Number == 1062 },
	isRetryable: mysqlIsRetryable,
	isConflict: func(err error) bool {
		return mysqlIsRetryable(err) && // a lock time-out is decided after a wait
			mysqlError(err).Number != mysqlLockTimeout
	},
	isLockTimeout: func(err error) bool { return mysqlError(err).Number == mysqlLockTimeout },
	isConnectionLost: func(err error) bool {
		return errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, driver.ErrBadConn) ||
			isUnready(mysqlError(err).Number)
	},
	isAlreadyApplied: mysqlIsAlreadyApplied,
	isMissingTable:   func(err error) bool { return mysqlError(err).Number == 1146 },
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

// mysqlIsAlreadyApplied reports whether an ALTER TABLE failed because its change exists
// already. MySQL has no ADD KEY IF NOT EXISTS. An ALTER TABLE makes all its changes or
// none.
func mysqlIsAlreadyApplied(err error) bool {
	switch mysqlError(err).Number {
	case 1060, // the column exists
		1061, // the key exists
		1091: // the column or key to drop does not exist
		return true
	}
	return false
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

// Error codes: a lock time-out, and a variable that the server does not have.
const (
	mysqlLockTimeout     = 1205
	mysqlUnknownVariable = 1193
)

// mysqlIsRetryable reports whether a transaction failed because of another one, and was certainly
// rolled back. It knows the codes of MySQL and of the servers that are compatible with it.
//
// It does not know error 3101 of Group Replication, with which COMMIT fails after a conflict with
// another node: a node that leaves its group gives the same error to all that wait for COMMIT,
// although the others may have received their transactions and apply them. So the outcome is looked
// up.
func mysqlIsRetryable(err error) bool {
	e := mysqlError(err)
	switch e.Number {
	case 1213, // deadlock; Galera: certification failed
		mysqlLockTimeout,
		1020,             // MariaDB: the row changed since the snapshot
		9007, 8002, 8022: // TiDB: write conflict, at COMMIT too
		return true
	}
	return string(e.SQLState[:]) == "40001" // "serialization failure" of the standard
}

// mysqlError returns the error of the server in err, or an empty one, with the code 0.
func mysqlError(err error) *mysql.MySQLError {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return e
	}
	return &mysql.MySQLError{}
}

// newMySQLConnector returns a connector for the server of a URL. It does not connect.
func newMySQLConnector(rawURL string, d *Dialect) (*serverConnector, error) {
	config, err := mysqlConfig(rawURL)
	if err != nil {
		return nil, err
	}
	c, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("the settings of the mysql URL: %w", err)
	}
	return &serverConnector{Connector: c, dialect: d, timeout: config.Timeout}, nil
}

var (
	errMySQLURL = errors.New("the URL must be mysql://user:password@host:3306/name, " +
		"with special characters of user and password percent-encoded")
	errSeveralHosts = errors.New("the mysql URL has several hosts: give the address of a proxy " +
		"that chooses one, such as MySQL Router or ProxySQL")
)

// mysqlConfig returns the settings of a URL mysql://user:password@host:port/name?parameters. The
// password, the port (3306) and the parameters may be left out. It does not return the errors of
// [url.Parse], because they quote the URL with its password.
func mysqlConfig(rawURL string) (*mysql.Config, error) {
	// Several hosts have an error of their own. url.Parse accepts some lists of hosts.
	if strings.Contains(hostOf(rawURL), ",") {
		return nil, errSeveralHosts
	}
	u, err := url.Parse(rawURL)
	if err != nil || u.User.Username() == "" || u.Hostname() == "" || u.Opaque != "" ||
		u.Fragment != "" { // u.Opaque is the text after "mysql:" without "//"
		return nil, errMySQLURL
	}
	name := strings.TrimPrefix(u.Path, "/")
	if name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("the mysql URL names no database: %w", errMySQLURL)
	}
	port := u.Port()
	if port == "" {
		port = "3306"
	}
	c := mysqlDefaults()
	c.User = u.User.Username()
	c.DBName = name
	c.Addr = net.JoinHostPort(u.Hostname(), port)
	c.Passwd, _ = u.User.Password() // "" for none
	params, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errMySQLURL
	}
	return c, mysqlParams(c, params)
}

// mysqlDefaults returns the settings that the statements of this package rely on.
func mysqlDefaults() *mysql.Config {
	c := mysql.NewConfig()
	c.Net = "tcp"
	c.ParseTime, c.Loc = true, time.UTC
	c.ClientFoundRows = true   // an UPDATE counts the rows that match, as on SQLite
	c.InterpolateParams = true // one round trip for each statement
	c.Timeout = 5 * time.Second
	c.ReadTimeout = 30 * time.Second
	c.WriteTimeout = 30 * time.Second
	c.Logger = &mysql.NopLogger{} // a library does not write to the terminal
	c.Params = map[string]string{
		"time_zone": "'+00:00'",
		"sql_mode": "'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE," +
			"ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		// The shortest time that every server accepts, because a transaction that waits
		// keeps a connection.
		"innodb_lock_wait_timeout": "1",
	}
	// So that constants in a statement have the collation of the columns. Charset never fails: the
	// server refuses a name that it does not know.
	_ = c.Apply(mysql.Charset("utf8mb4", "utf8mb4_bin"))
	return c
}

// mysqlParams sets the parameters of a URL in c: tls, timeout, readTimeout and writeTimeout. A time
// of 0 is no limit. It returns an error for another parameter and for an invalid value.
func mysqlParams(c *mysql.Config, params url.Values) error {
	durations := map[string]*time.Duration{"timeout": &c.Timeout, "readTimeout": &c.ReadTimeout,
		"writeTimeout": &c.WriteTimeout}
	for name := range params {
		value := params.Get(name)
		if name == "tls" {
			if !slices.Contains([]string{"true", "skip-verify", "preferred", "false"}, value) {
				return fmt.Errorf(
					"the mysql URL: tls=%q is not true, skip-verify, preferred or false", value)
			}
			c.TLSConfig = value
			continue
		}
		setting, known := durations[name]
		if !known {
			return fmt.Errorf("the mysql URL has the unknown parameter %q", name)
		}
		parsed, err := time.ParseDuration(value)
		if err != nil || parsed < 0 {
			return fmt.Errorf("the mysql URL: %s=%q is not a duration such as 5s", name, value)
		}
		*setting = parsed
	}
	return nil
}
