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
	driver:     "mysql",
	begin:      "START TRANSACTION",
	inOrder:    func(index string) string { return " FORCE INDEX (" + index + ")" },
	table:      " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC",
	migrations: mysqlFiles,
	endTime:    5 * time.Second,

	duplicate: func(err error) bool { return mysqlError(err).Number == 1062 },
	retry:     mysqlRetry,
	blocked:   func(err error) bool { return mysqlError(err).Number == mysqlLockTimeout },
	lost: func(err error) bool {
		return errors.Is(err, mysql.ErrInvalidConn) || errors.Is(err, driver.ErrBadConn)
	},
	applied: mysqlApplied,
	unknown: func(error) bool { return true },
}

// mysqlApplied reports whether an ALTER TABLE failed because its change was made
// before; there is no ADD KEY IF NOT EXISTS. All changes of one ALTER TABLE are
// made, or none.
func mysqlApplied(err error) bool {
	switch mysqlError(err).Number {
	case 1060, // the column exists
		1061, // the key exists
		1091: // what is to be dropped does not exist
		return true
	}
	return false
}

// mysqlLockTimeout is the code of a statement that waited too long for a row lock.
const mysqlLockTimeout = 1205

// mysqlRetry knows how the relatives say that another transaction was in the way.
func mysqlRetry(err error) bool {
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

func mysqlError(err error) *mysql.MySQLError {
	if e, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return e
	}
	return &mysql.MySQLError{}
}

// How many connections a store on MySQL has without options. Three instances fit into
// the 151 connections that a server allows unless it is configured otherwise. There are
// more for writing, because a transaction that waits for a row lock keeps its connection.
const (
	mysqlConns        = 16
	mysqlWritingConns = 32
)

// openMySQL opens two pools, so that transactions that wait for locks leave the
// connections for reading alone.
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
	bound := handshake{connector, config.Timeout}
	readers := mysqlPool(bound, cmp.Or(o.conns, mysqlConns))
	writer := mysqlPool(bound, cmp.Or(o.writingConns, mysqlWritingConns))
	writer.SetConnMaxIdleTime(time.Minute) // a burst of writes does not keep its connections
	return newStore(d, writer, readers, o), nil
}

func mysqlPool(c driver.Connector, conns int) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(c), mysqlDialect.driver)
	keepOpen(db, conns)
	db.SetConnMaxLifetime(5 * time.Minute) // so that a proxy or a changed address is noticed
	return db
}

// handshake is a connector that bounds connecting as a whole. The driver bounds
// dialling alone, and a server that is frozen accepts connections and says nothing.
type handshake struct {
	driver.Connector
	timeout time.Duration // 0 for none
}

// Connect opens a connection.
func (h handshake) Connect(ctx context.Context) (driver.Conn, error) {
	if h.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = bounded(ctx, h.timeout)
		defer cancel()
	}
	conn, err := h.Connector.Connect(ctx)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("connect: %w", ended(ctx))
	}
	return conn, err
}

var errMySQLURL = errors.New("the URL must be mysql://user:password@host:3306/name, with special characters of user and password percent-encoded")

// mysqlConfig reads a URL. What [url.Parse] says of one that is broken is not
// passed on, for it quotes the URL and with it the password.
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

// mysqlDefaults is what the statements of this package rely on.
func mysqlDefaults() *mysql.Config {
	c := mysql.NewConfig()
	c.Net = "tcp"
	c.ParseTime, c.Loc = true, time.UTC
	c.ClientFoundRows = true   // an UPDATE counts the rows it found, as on SQLite
	c.InterpolateParams = true // one round trip a statement
	c.Timeout, c.ReadTimeout, c.WriteTimeout = 5*time.Second, 30*time.Second, 30*time.Second
	c.Logger = &mysql.NopLogger{} // a library writes to nobody's terminal
	c.Params = map[string]string{
		"time_zone": "'+00:00'",
		"sql_mode":  "'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
		// The shortest time that every server takes. Meanwhile the transaction has a
		// connection that others may need.
		"innodb_lock_wait_timeout": "1",
	}
	// Constants in a statement compare like the columns do.
	_ = c.Apply(mysql.Charset("utf8mb4", "utf8mb4_bin"))
	return c
}

// mysqlParams takes over the parameters that [Open] documents, and no others.
func mysqlParams(c *mysql.Config, params url.Values) error {
	durations := map[string]*time.Duration{"timeout": &c.Timeout, "readTimeout": &c.ReadTimeout, "writeTimeout": &c.WriteTimeout}
	for name := range params {
		value := params.Get(name)
		if name == "tls" {
			if !slices.Contains([]string{"true", "skip-verify", "preferred", "false"}, value) {
				return fmt.Errorf("the mysql URL: tls=%q is none of true, skip-verify, preferred and false", value)
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
			return fmt.Errorf("the mysql URL: %s=%q is no duration such as 5s", name, value)
		}
		*d = parsed
	}
	return nil
}
