package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
)

var mysqlDialect = &dialect{
	driver:        "mysql",
	begin:         "START TRANSACTION",
	forceIndex:    func(index string) string { return " FORCE INDEX (" + index + ")" },
	tableOptions:  " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC",
	migrations:    mysqlFiles,
	commitTimeout: 5 * time.Second,
	marksCommits:  true,

	isDuplicate:   func(err error) bool { return mysqlError(err).Number == 1062 },
	isRetryable:   mysqlIsRetryable,
	isLockTimeout: func(err error) bool { return mysqlError(err).Number == mysqlLockTimeout },
	isConnectionLost: func(err error) bool {
		return errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, driver.ErrBadConn)
	},
	isAlreadyApplied: mysqlIsAlreadyApplied,
	isOutcomeUnknown: func(error) bool { return true },
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

// mysqlLockTimeout is the error code of a lock time-out.
const mysqlLockTimeout = 1205

// mysqlIsRetryable reports whether a transaction failed because of another one. It knows
// the codes of MySQL and of the servers that are compatible with it.
func mysqlIsRetryable(err error) bool {
	e := mysqlError(err)
	switch e.Number {
	case 1213, // deadlock; Galera: certification failed
		mysqlLockTimeout,
		1020,             // MariaDB: the row changed since the snapshot
		3101,             // MySQL group replication: rolled back by certification
		9007, 8002, 8022: // TiDB: write conflict, at COMMIT too
		return true
	}
	return string(e.SQLState[:]) == "40001"
}

// mysqlError returns the error of the server in err, or an empty one.
func mysqlError(err error) *mysql.MySQLError {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return e
	}
	return &mysql.MySQLError{}
}

// The default numbers of connections on MySQL. Three instances fit into the 151 connections
// that a server allows by default. There are more connections for transactions, because a
// transaction that waits for a row lock keeps its connection.
const (
	mysqlConns        = 16
	mysqlWritingConns = 32
)

// openMySQL opens two pools, so that transactions that wait for locks do not use up the
// connections for reading.
func openMySQL(rawURL string, o options) (*Store, error) {
	config, err := mysqlConfig(rawURL)
	if err != nil {
		return nil, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, fmt.Errorf("the settings of the mysql URL: %w", err)
	}
	d := mysqlDialect
	limited := timeoutConnector{connector, config.Timeout}
	readers := mysqlPool(limited, cmp.Or(o.conns, mysqlConns))
	writer := mysqlPool(limited, cmp.Or(o.writingConns, mysqlWritingConns))
	writer.SetConnMaxIdleTime(time.Minute) // so that connections are closed after a burst of writes
	return newStore(d, writer, readers, o), nil
}

// mysqlPool returns a pool of at most conns connections.
func mysqlPool(c driver.Connector, conns int) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(c), mysqlDialect.driver)
	setPoolSize(db, conns)
	db.SetConnMaxLifetime(5 * time.Minute) // so that the pool follows a changed address or proxy
	return db
}

// timeoutConnector is a connector that bounds dialling and the handshake together. The
// driver bounds dialling only, and a frozen server accepts connections without answering.
type timeoutConnector struct {
	driver.Connector
	timeout time.Duration // 0 for no limit
}

// Connect implements [driver.Connector].
func (h timeoutConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if h.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = withTimeout(ctx, h.timeout)
		defer cancel()
	}
	conn, err := h.Connector.Connect(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("connect: %w", contextError(ctx))
	}
	return conn, err
}

var errMySQLURL = errors.New("the URL must be mysql://user:password@host:3306/name, with special characters of user and password percent-encoded")

// mysqlConfig parses a URL. It does not return the errors of [url.Parse], because they
// quote the URL with its password.
func mysqlConfig(rawURL string) (*mysql.Config, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.User.Username() == "" || u.Hostname() == "" || u.Opaque != "" || u.Fragment != "" {
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
	c.User, c.DBName, c.Addr = u.User.Username(), name, net.JoinHostPort(u.Hostname(), port)
	c.Passwd, _ = u.User.Password()
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
	c.Timeout, c.ReadTimeout, c.WriteTimeout = 5*time.Second, 30*time.Second, 30*time.Second
	c.Logger = &mysql.NopLogger{} // a library does not write to the terminal
	c.Params = map[string]string{
		"time_zone": "'+00:00'",
		"sql_mode":  "'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		// The shortest time that every server accepts, because a transaction that waits
		// keeps a connection.
		"innodb_lock_wait_timeout": "1",
	}
	// So that constants in a statement have the collation of the columns.
	_ = c.Apply(mysql.Charset("utf8mb4", "utf8mb4_bin"))
	return c
}

// mysqlParams sets the parameters that [Open] documents in c. It returns an error for other
// parameters.
func mysqlParams(c *mysql.Config, params url.Values) error {
	durations := map[string]*time.Duration{"timeout": &c.Timeout, "readTimeout": &c.ReadTimeout, "writeTimeout": &c.WriteTimeout}
	for name := range params {
		value := params.Get(name)
		if name == "tls" {
			if !slices.Contains([]string{"true", "skip-verify", "preferred", "false"}, value) {
				return fmt.Errorf("the mysql URL: tls=%q is not true, skip-verify, preferred or false", value)
			}
			c.TLSConfig = value
			continue
		}
		d, known := durations[name]
		if !known {
			return fmt.Errorf("the mysql URL has the unknown parameter %q", name)
		}
		parsed, err := time.ParseDuration(value)
		if err != nil || parsed < 0 {
			return fmt.Errorf("the mysql URL: %s=%q is not a duration such as 5s", name, value)
		}
		*d = parsed
	}
	return nil
}
