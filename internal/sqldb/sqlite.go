package sqldb

import (
	"cmp"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

var sqliteDialect = Dialect{
	Name:   "sqlite",
	driver: "sqlite",
	// with a plain BEGIN, the first write after a read would fail and not wait
	begin:            "BEGIN IMMEDIATE",
	busyTimeout:      5 * time.Second,
	ForceIndex:       func(string) string { return "" }, // not necessary
	RowComparison:    true,
	AddToRow:         sqliteAddToRow,
	ReplaceRow:       sqliteReplaceRow,
	RowList:          "VALUES ",
	transactionalDDL: true,
	arguments:        sameArguments,
	rebind:           sameText,
	commit:           plainCommit,
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

	isDuplicate: func(err error) bool {
		code := sqliteCode(err)
		return code == codes.SQLITE_CONSTRAINT_UNIQUE || code == codes.SQLITE_CONSTRAINT_PRIMARYKEY
	},
	isRetryable: func(err error) bool {
		code := sqliteCode(err) & 0xff // the primary code: SQLITE_BUSY_RECOVERY is SQLITE_BUSY
		return code == codes.SQLITE_BUSY || code == codes.SQLITE_LOCKED
	},
	// a transaction waits for the ones before it
	isConflict:       func(error) bool { return false },
	isLockTimeout:    func(error) bool { return false }, // there is one writer
	isConnectionLost: func(error) bool { return false },
	// steps and their records are one transaction
	isAlreadyApplied: func(error) bool { return false },
	isMissingTable: func(err error) bool {
		return sqliteCode(err) == codes.SQLITE_ERROR &&
			strings.Contains(err.Error(), "no such table")
	},
	isOutcomeUnknown: func(error) bool { return false }, // COMMIT is a call in this process
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

// sqliteCode returns the extended result code of an error of SQLite, or 0.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

// openSQLite opens pools on one file: a pool of one connection for transactions, which
// database/sql queues in order, and pools of connections for reading, which cannot write.
// A connection for reading is opened first and sets the file to WAL mode, which the
// file keeps. The busy time-out of SQLite is short, because SQLite ignores the context
// while it waits for other processes: 100 ms. retryBusy waits longer, and stops with the context.
func openSQLite(path string, c Config) (*DB, error) {
	file, err := sqliteFile(path)
	if err != nil {
		return nil, err
	}
	if err := createPrivate(file); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	d := sqliteDialect.with(c)
	writer, err := sqlite.NewConnector(sqliteDSN(file, "busy_timeout(100)"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	reader, err := sqlite.NewConnector(sqliteDSN(file, "busy_timeout(100)", "journal_mode(WAL)",
		"query_only(1)"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	c.Conns, c.WritingConns = c.sqliteConns()
	reading := func(conns int) (*sqlx.DB, share) {
		return sqlitePool(reader, conns, c.Uncached), nil
	}
	return newDB(d, sqlitePool(writer, 1, c.Uncached), reading, c), nil
}

// sqliteConns returns the numbers of connections to a file for ordinary reads and for transactions.
func (c Config) sqliteConns() (reading, writing int) {
	return cmp.Or(c.Conns, max(4, runtime.GOMAXPROCS(0))), 1
}

// createPrivate creates the file of a new database with the mode 0600. SQLite creates its
// other files (-wal, -shm) with the same mode. createPrivate does not open a file that
// exists, because closing it would release the locks of this process on it.
func createPrivate(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// sqlitePool returns a pool of at most conns connections, which cache prepared statements. For
// uncached, see [Config].
func sqlitePool(c driver.Connector, conns int, uncached string) *sqlx.DB {
	db := sqlx.NewDb(sql.OpenDB(cachingConnector{c, uncached}), sqliteDialect.driver)
	setPoolSize(db, conns)
	return db
}

// setPoolSize limits the open connections of a pool, and keeps idle connections open.
func setPoolSize(db *sqlx.DB, conns int) {
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
}

// sqliteFile returns the absolute path of the database file, because the working directory
// may change before a connection is opened. The file need not exist. It returns an error if path
//
//   - is empty or means a database in memory, because each connection would have another one;
//   - begins with //, as after the scheme of other URLs;
//   - names a folder, or a file in a folder that does not exist.
func sqliteFile(path string) (string, error) {
	switch {
	case path == "" || path == ":memory:":
		return "", errors.New("sqlite needs the path of a file: sqlite:path/to.db")
	case strings.HasPrefix(path, "//"):
		return "",
			errors.New(
				"write a path right after the colon, without slashes that are not part of it: " +
					"sqlite:path/to.db")
	}
	file, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	switch dir, err := os.Stat(filepath.Dir(file)); {
	case err != nil:
		return "", fmt.Errorf("the folder of %s: %w", path, err)
	case !dir.IsDir():
		return "", fmt.Errorf("%s is not in a folder", path)
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a folder", path)
	}
	return file, nil
}

// sqliteDSN returns the data source name of a file with the given pragmas and synchronous(FULL).
// With synchronous(FULL) a committed transaction survives a loss of power.
func sqliteDSN(file string, pragmas ...string) string {
	q := url.Values{"_pragma": append(pragmas, "synchronous(FULL)")}
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") { // C:/… on Windows
		file = "/" + file
	}
	return (&url.URL{Scheme: "file", Path: file, RawQuery: q.Encode()}).String()
}
