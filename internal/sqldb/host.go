package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

const (
	// minHostConns is how many connections a pool of the host must allow: one for transactions, and
	// one for each class of reads.
	minHostConns = 4
	// hostTimeout bounds the checks of a pool of the host.
	hostTimeout = 10 * time.Second
)

// New returns a database on a pool of the host, which stays open when it is closed. Transactions
// and each class of reads use a share of the connections of the pool. New checks the settings of
// the pool that the statements rely on. It changes no setting of it, and nothing in the database.
// driver is not used to open connections: it knows the errors of the connections of the pool.
func New(pool *sql.DB, driver sqldriver.Driver, c Config) (*DB, error) {
	if pool == nil {
		return nil, errors.New("the pool of connections is nil: open it with sql.Open first")
	}
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	e, isKnown := engines[driver.Engine()]
	if !isKnown {
		return nil, sqldriver.ErrEngine(driver.Engine())
	}
	if err := c.Names.check(driver.Engine()); err != nil {
		return nil, err
	}

	// Share the connections.
	limit := pool.Stats().MaxOpenConnections // 0 for none
	if limit > 0 && limit < minHostConns {
		return nil, fmt.Errorf("the pool allows %d connections and must allow %d at least: call "+
			"SetMaxOpenConns with a higher number", limit, minHostConns)
	}
	c.Conns, c.WritingConns = e.conns(c)
	wanted := c.Conns + c.WritingConns + 2*c.otherConns()
	c.WritingConns = cutShare(c.WritingConns, wanted, limit)
	host := sqlx.NewDb(pool, e.dialect.sqlxName)
	reading := func(conns int) (*sqlx.DB, share) {
		return host, newShare(cutShare(conns, wanted, limit))
	}
	db := newDB(e.dialect.with(driver, c), host, reading, c)
	db.host, db.writing = host, newShare(c.WritingConns)

	// Check the pool.
	ctx, cancel := db.dialect.withTimeout(context.Background(), hostTimeout)
	defer cancel()
	if err := db.checkDriver(ctx); err != nil {
		return nil, fmt.Errorf("check the pool: %w", err)
	}
	check := func(conn *sqlx.Conn) error { return e.checkHost(ctx, conn) }
	if err := db.eachHostConn(ctx, check); err != nil {
		return nil, fmt.Errorf("check the pool: %w", err)
	}
	for _, check := range []func(context.Context) error{db.checkSchema, db.findNodes,
		db.checkFoundRows} {
		if err := check(ctx); err != nil {
			return nil, fmt.Errorf("check the pool: %w", err)
		}
	}
	return db, nil
}

// cutShare returns the share of an operation that wants conns connections, of wanted in all, in a
// pool with a limit; 0 is none. It is 1 at least, and the shares are not more than the limit.
func cutShare(conns, wanted, limit int) int {
	if limit == 0 || wanted <= limit {
		return conns
	}
	return 1 + (conns-1)*(limit-minHostConns)/(wanted-minHostConns)
}

// eachHostConn calls check with a new connection of the pool of the host, and before with those
// that are idle, up to 3: the host may have sent a SET or PRAGMA to one of them only.
func (db *DB) eachHostConn(ctx context.Context, check func(*sqlx.Conn) error) error {
	var conns []*sqlx.Conn
	defer func() {
		for _, conn := range conns {
			_ = conn.Close() // gives it back
		}
	}()
	for range min(db.host.Stats().Idle+1, minHostConns) {
		conn, err := db.host.Connx(ctx)
		if err != nil {
			return firstError(db.dialect.contextError(ctx), err)
		}
		conns = append(conns, conn)
		err = db.dialect.retryBusy(ctx, func() error { return check(conn) })
		if err != nil {
			return err
		}
	}
	return nil
}

// checkDriver returns an error if the pool does not return the errors of the driver of an engine,
// by which conflicts and duplicates are recognised. It asks for a table that does not exist. A
// driver that wraps the one of the engine, such as for traces, returns its errors.
func (db *DB) checkDriver(ctx context.Context) error {
	if err := db.host.PingContext(ctx); err != nil {
		return firstError(db.dialect.contextError(ctx), err)
	}
	_, err := db.pool.Exec(ctx, "ask for a missing table", "SELECT 1 FROM {no_such_table}")
	failure := db.dialect.failure(err)
	if ctx.Err() != nil || failure == sqldriver.ConnectionLost {
		return firstError(db.dialect.contextError(ctx), err)
	}
	if failure != sqldriver.Foreign {
		return nil
	}
	return fmt.Errorf("the driver of the pool is a %T, and its errors are not those of %s: open the "+
		"pool with that driver, or with one that wraps it", db.host.Driver(),
		db.dialect.driver.Module())
}

// checkSchema returns an error if the schema of the names does not exist.
func (db *DB) checkSchema(ctx context.Context) error {
	schema := db.dialect.Names().Schema
	if schema == "" {
		return nil
	}
	var exists bool
	err := db.pool.Get(ctx, "look for the schema", &exists,
		`SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = ?)`, schema)
	if err == nil && !exists {
		err = fmt.Errorf("the database has no schema %q: create it", schema)
	}
	return err
}

// checkFoundRows returns an error if an UPDATE on a pool of the host counts changed rows only, and
// not those that match. There is no variable for that. It finds it out by an UPDATE that keeps the
// rows of learning_migrations as they are, and returns nil if there is no such row.
func (db *DB) checkFoundRows(ctx context.Context) error {
	if db.host == nil || db.dialect.Name != mysqlDialect.Name {
		return nil
	}
	var rows int64
	err := db.pool.Get(ctx, "count the migrations", &rows,
		`SELECT COUNT(*) FROM {learning_migrations}`)
	if err != nil && db.dialect.isMissingTable(err) || err == nil && rows == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	matched, err := db.pool.Exec(ctx, "match the migrations",
		`UPDATE {learning_migrations} SET checksum = checksum`)
	if err == nil && matched == 0 {
		err = errors.New("rows that keep their values are not counted: add " +
			"clientFoundRows=true to the DSN")
	}
	return err
}

// checkSQLite is engine.checkHost of SQLite.
func checkSQLite(ctx context.Context, conn *sqlx.Conn) error {
	var s struct {
		File        string `db:"file"`
		Encoding    string `db:"encoding"`
		Journal     string `db:"journal_mode"`
		Synchronous int    `db:"synchronous"`
		QueryOnly   bool   `db:"query_only"`
	}
	err := conn.GetContext(ctx, &s, `
		SELECT d.file, e.encoding, j.journal_mode, s.synchronous, q.query_only
		FROM pragma_database_list d, pragma_encoding e, pragma_journal_mode j, pragma_synchronous s,
			pragma_query_only q
		WHERE d.name = 'main'`)
	const full = 2
	switch {
	case err != nil:
		return fmt.Errorf("read the settings: %w", err)
	case s.File == "":
		return errors.New("the database is in memory, where each connection has another one: " +
			"open a file")
	case s.Encoding != "UTF-8":
		return fmt.Errorf("the encoding is %s and must be UTF-8: make a new file", s.Encoding)
	case s.Journal != "wal":
		return fmt.Errorf("the journal mode is %s and must be WAL, in which reads do not wait for "+
			"writes: add _pragma=journal_mode(WAL) to the DSN", s.Journal)
	case s.Synchronous < full:
		return fmt.Errorf("synchronous is %d and must be FULL, so that a payment survives a loss "+
			"of power: add _pragma=synchronous(FULL) to the DSN", s.Synchronous)
	case s.QueryOnly:
		return errors.New("the connections cannot write: remove query_only from the DSN")
	}
	return nil
}

// checkMySQL is engine.checkHost of MySQL and MariaDB.
func checkMySQL(ctx context.Context, conn *sqlx.Conn) error {
	var s struct {
		Version    string `db:"version"`
		Zone       string `db:"zone"`
		System     string `db:"system_zone"`
		Mode       string `db:"mode"`
		AutoCommit bool   `db:"autocommit"`
		Client     string `db:"client"`
		Connection string `db:"connection"`
		Results    string `db:"results"`
	}
	err := conn.GetContext(ctx, &s, `
		SELECT VERSION() AS version, @@session.time_zone AS zone,
			@@global.system_time_zone AS system_zone, @@session.sql_mode AS mode,
			@@session.autocommit AS autocommit, @@session.character_set_client AS client,
			@@session.character_set_connection AS connection,
			COALESCE(@@session.character_set_results, '') AS results`)
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	isolation, err := mysqlIsolation(ctx, conn, s.Version)
	if err != nil {
		return err
	}
	if s.Zone == "SYSTEM" {
		s.Zone = s.System
	}
	switch {
	case !isMySQLVersion(s.Version):
		return fmt.Errorf("the server is %s and must be MySQL 8 or MariaDB 10.11 or later", s.Version)
	case s.Zone != "+00:00" && s.Zone != "UTC" && s.Zone != "Etc/UTC":
		return fmt.Errorf("the time zone is %s and must be UTC: add time_zone=%%27%%2B00:00%%27 to "+
			"the DSN", s.Zone)
	case !strings.Contains(s.Mode, "STRICT_TRANS_TABLES") &&
		!strings.Contains(s.Mode, "STRICT_ALL_TABLES"):
		return fmt.Errorf("sql_mode is %q and must have STRICT_TRANS_TABLES, so that no value is "+
			"cut: set it in the DSN or on the server", s.Mode)
	case isolation != "REPEATABLE-READ":
		return fmt.Errorf("the isolation level is %s and must be REPEATABLE-READ, in which a "+
			"statement that finds no row locks its place: remove it from the DSN or the settings "+
			"of the server", isolation)
	case !s.AutoCommit:
		return errors.New("autocommit is off, so that a read would begin a transaction: remove it " +
			"from the DSN or the settings of the server")
	case s.Client != "utf8mb4" || s.Connection != "utf8mb4" || s.Results != "utf8mb4":
		return fmt.Errorf("the character set is %s, %s and %s and must be utf8mb4: add "+
			"charset=utf8mb4 to the DSN", s.Client, s.Connection, s.Results)
	}
	return checkMySQLTimes(ctx, conn)
}

// isMySQLVersion reports whether the tables can be made in a version: MySQL 8 or MariaDB 10.11 or a
// later one. A server that is compatible with MySQL says which version of MySQL.
func isMySQLVersion(version string) bool {
	var major, minor int
	_, _ = fmt.Sscanf(strings.TrimPrefix(version, "5.5.5-"), "%d.%d", &major, &minor) // else 0
	if strings.Contains(version, "MariaDB") {
		return major > 10 || major == 10 && minor >= 11
	}
	return major >= 8
}

// mysqlIsolation returns the isolation level of a connection. MariaDB had another name for the
// variable until version 11.1, and MySQL has no longer.
func mysqlIsolation(ctx context.Context, conn *sqlx.Conn, version string) (level string, err error) {
	variable := "@@session.transaction_isolation"
	if strings.Contains(version, "MariaDB") {
		variable = "@@session.tx_isolation"
	}
	if err := conn.GetContext(ctx, &level, "SELECT "+variable); err != nil {
		return "", fmt.Errorf("read the isolation level: %w", err)
	}
	return level, nil
}

// checkMySQLTimes returns an error if the driver does not return a DATETIME as a time in UTC. It
// reads one of each half of a year, because a time zone may be like UTC in one of them.
func checkMySQLTimes(ctx context.Context, conn *sqlx.Conn) error {
	for _, written := range []string{"2026-01-31 10:30:00", "2026-07-31 10:30:00"} {
		var read any
		err := conn.QueryRowxContext(ctx, "SELECT CAST('"+written+"' AS DATETIME)").Scan(&read)
		if err != nil {
			return fmt.Errorf("read a time: %w", err)
		}
		at, isTime := read.(time.Time)
		if !isTime {
			return errors.New("times are read as text: add parseTime=true to the DSN")
		}
		if got := at.UTC().Format(time.DateTime); got != written {
			return fmt.Errorf("times are read in the time zone %s and must be read in UTC: add "+
				"loc=UTC to the DSN", at.Location())
		}
	}
	return nil
}

// checkPostgres is engine.checkHost of PostgreSQL.
func checkPostgres(ctx context.Context, conn *sqlx.Conn) error {
	var s struct {
		Version   int    `db:"version"`
		Encoding  string `db:"encoding"`
		DateStyle string `db:"datestyle"`
	}
	err := conn.GetContext(ctx, &s, `
		SELECT CAST(current_setting('server_version_num') AS INTEGER) AS version,
			current_setting('server_encoding') AS encoding,
			current_setting('datestyle') AS datestyle`)
	const oldest = 140000
	switch {
	case err != nil:
		return fmt.Errorf("read the settings: %w", err)
	case s.Version < oldest:
		return fmt.Errorf("the server has the version number %d and must be PostgreSQL 14 or later",
			s.Version)
	case s.Encoding != "UTF8":
		return fmt.Errorf("the encoding of the database is %s and must be UTF8: make another "+
			"database", s.Encoding)
	case !strings.HasPrefix(s.DateStyle, "ISO"):
		return fmt.Errorf("datestyle is %q and must be ISO: add datestyle=ISO to the URL", s.DateStyle)
	}
	return nil
}
