package store

import (
	"database/sql"
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

var sqliteDialect = &dialect{
	driver:       "sqlite",
	begin:        "BEGIN IMMEDIATE", // a transaction that first reads would fail, not wait, when it came to write
	patience:     5 * time.Second,
	inOrder:      func(string) string { return "" }, // it does by itself
	comparesRows: true,
	undoesDDL:    true,
	migrations:   sqliteFiles,

	duplicate: func(err error) bool {
		code := sqliteCode(err)
		return code == codes.SQLITE_CONSTRAINT_UNIQUE || code == codes.SQLITE_CONSTRAINT_PRIMARYKEY
	},
	retry: func(err error) bool {
		code := sqliteCode(err) & 0xff // without the detail
		return code == codes.SQLITE_BUSY || code == codes.SQLITE_LOCKED
	},
	blocked: func(error) bool { return false }, // there is one writer
	lost:    func(error) bool { return false },
	applied: func(error) bool { return false }, // a step and its record are one transaction
	unknown: func(error) bool { return false },
}

// sqliteCode is the extended result code of an error; 0 for other errors.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

// openSQLite opens two pools on one file: one connection that writes, for which
// database/sql queues the transactions in order, and several that read meanwhile
// and cannot write. The file remembers that it is in WAL mode; the readers, which
// are opened first, see to it. SQLite itself waits for other processes for a short
// time only, because it does not notice that a context ends: patiently does the rest.
func openSQLite(path string, o options) (*Store, error) {
	file, err := sqliteFile(path)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(file); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	d := sqliteDialect
	writer, err := sqlitePool(sqliteDSN(file, "busy_timeout(100)"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	readers, err := sqlitePool(sqliteDSN(file, "busy_timeout(100)", "journal_mode(WAL)", "query_only(1)"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), writer.Close())
	}
	if o.conns == 0 {
		o.conns = max(4, runtime.GOMAXPROCS(0))
	}
	keepOpen(writer, 1)
	keepOpen(readers, o.conns)
	return newStore(d, writer, readers, o), nil
}

// makePrivate creates the file of a new database, for its owner alone; SQLite gives the
// files beside it (-wal, -shm) the same mode. A file that exists is not opened: closing
// it would release the locks that this process has on it.
func makePrivate(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func sqlitePool(dsn string) (*sqlx.DB, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sqlx.NewDb(sql.OpenDB(keepsStatements{c}), sqliteDialect.driver), nil
}

func keepOpen(db *sqlx.DB, conns int) {
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
}

// sqliteFile is the absolute path of the database, since a connection is opened
// when it is needed and the working directory may be another by then.
func sqliteFile(path string) (string, error) {
	switch {
	case path == "" || path == ":memory:":
		return "", errors.New("sqlite needs the path of a file: sqlite:path/to.db")
	case strings.HasPrefix(path, "//"):
		return "", errors.New("write a path right after the colon, without slashes that are not part of it: sqlite:path/to.db")
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

// sqliteDSN sets a connection up. Locks are met only where other processes use the
// file: within this one there is a single writer, and readers never wait for it.
func sqliteDSN(file string, pragmas ...string) string {
	q := url.Values{"_pragma": append(pragmas, "synchronous(FULL)")}
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") { // C:/…
		file = "/" + file
	}
	return (&url.URL{Scheme: "file", Path: file, RawQuery: q.Encode()}).String()
}
