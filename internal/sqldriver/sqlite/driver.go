// Package sqlite has the driver of SQLite: modernc.org/sqlite.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// Driver is the driver of SQLite.
type Driver struct{}

var _ sqldriver.Driver = Driver{}

// Engine implements [sqldriver.Driver].
func (Driver) Engine() sqldriver.Engine { return sqldriver.SQLite }

// Module implements [sqldriver.Driver].
func (Driver) Module() string { return "modernc.org/sqlite" }

// CheckURL implements [sqldriver.Driver]. The folder of the file must exist.
func (Driver) CheckURL(rawURL string) error {
	_, err := fileOf(rawURL)
	return err
}

// Connect implements [sqldriver.Driver]. The connections for reading cannot write. A connection for
// reading must be opened first: it sets the file to WAL mode, which the file keeps. The busy
// time-out is short, because SQLite ignores the context while it waits for other processes: 100 ms.
func (Driver) Connect(rawURL, uncached string) (c sqldriver.Connectors, err error) {
	file, err := fileOf(rawURL)
	if err != nil {
		return c, err
	}
	path := strings.TrimPrefix(rawURL, "sqlite:")
	if err := createPrivate(file); err != nil {
		return c, fmt.Errorf("create %s: %w", path, err)
	}
	const wait = "busy_timeout(100)"
	writing, err := sqlite.NewConnector(dsn(file, wait))
	if err != nil {
		return c, fmt.Errorf("open %s: %w", path, err)
	}
	reading, err := sqlite.NewConnector(dsn(file, wait, "journal_mode(WAL)", "query_only(1)"))
	if err != nil {
		return c, fmt.Errorf("open %s: %w", path, err)
	}
	return sqldriver.Connectors{
		Reading: cachingConnector{reading, uncached},
		Writing: cachingConnector{writing, uncached},
	}, nil
}

// Failure implements [sqldriver.Driver]. There is one writer, which waits for the ones before it,
// so that no transaction ends because of another one.
func (Driver) Failure(err error) sqldriver.Failure {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return sqldriver.Foreign
	}
	switch code := e.Code(); {
	case code == codes.SQLITE_CONSTRAINT_UNIQUE, code == codes.SQLITE_CONSTRAINT_PRIMARYKEY:
		return sqldriver.Duplicate
	case code&0xff == codes.SQLITE_BUSY, code&0xff == codes.SQLITE_LOCKED:
		return sqldriver.Busy // also for SQLITE_BUSY_RECOVERY, which has the same primary code
	// The second code is that of a statement that another connection has changed the schema below.
	case (code == codes.SQLITE_ERROR || code == codes.SQLITE_SCHEMA) &&
		strings.Contains(err.Error(), "no such table"):
		return sqldriver.MissingTable
	}
	return sqldriver.Other
}

// Probe implements [sqldriver.Driver]. It reads the schema of the file on a connection of its own,
// because one that is open may answer from its cache when the file is gone or damaged. It does not
// create the file.
func (Driver) Probe(ctx context.Context, pool *sql.DB) error {
	var file string
	if err := pool.QueryRowContext(ctx,
		"SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&file); err != nil {
		return err
	}
	c, err := sqlite.NewConnector(dsn(file, "busy_timeout(1000)", "query_only(1)") +
		"&mode=rw") // which does not create the file, unlike the default
	if err != nil {
		return err
	}
	db := sql.OpenDB(c)
	defer db.Close()
	var tables int
	return db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_schema").Scan(&tables)
}

// Commit implements [sqldriver.Driver].
func (Driver) Commit(_ *sql.Conn, send func() error) error { return send() }

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

// fileOf returns the absolute path of the database file of a URL sqlite:PATH, because the working
// directory may change before a connection is opened. The file need not exist. It returns an error
// if the path
//
//   - is empty or means a database in memory, because each connection would have another one;
//   - begins with //, as after the scheme of other URLs;
//   - names a folder, or a file in a folder that does not exist.
func fileOf(rawURL string) (string, error) {
	path, isSQLite := strings.CutPrefix(rawURL, "sqlite:")
	switch {
	case !isSQLite:
		return "", errors.New("the URL must be sqlite:path/to.db")
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

// dsn returns the data source name of a file with the given pragmas and synchronous(FULL).
// With synchronous(FULL) a committed transaction survives a loss of power.
func dsn(file string, pragmas ...string) string {
	q := url.Values{"_pragma": append(pragmas, "synchronous(FULL)")}
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") { // C:/… on Windows
		file = "/" + file
	}
	return (&url.URL{Scheme: "file", Path: file, RawQuery: q.Encode()}).String()
}

// Listen implements [sqldriver.Driver]. The engine has no signals.
func (Driver) Listen(context.Context, *sql.Conn, string, func(), func(string)) error {
	return sqldriver.ErrNoListener
}
