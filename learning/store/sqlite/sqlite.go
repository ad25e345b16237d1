// Package sqlite opens a [store.Store] on a file of SQLite, with the driver modernc.org/sqlite,
// which needs no C compiler. A program that imports it compiles no driver of another engine.
//
//	st, err := sqlite.Open(ctx, "sqlite:learning.db")
package sqlite

import (
	"context"
	"database/sql"

	"github.com/openlectern/openlectern/internal/sqldriver/sqlite"
	"github.com/openlectern/openlectern/learning/store"
)

// Open opens the file of a URL, or creates it with the mode 0600: see [store.Open].
//
//	sqlite:learning.db    a file with a relative or absolute path
//
// The text after "sqlite:" is the path, without any encoding. The folder must exist.
func Open(ctx context.Context, url string, opts ...store.Option) (*store.Store, error) {
	return store.Open(ctx, sqlite.Driver{}, url, opts...)
}

// New returns a store on a pool of the host, beside the host's tables: see [store.New], which has
// all conditions. The pool must be opened with the driver modernc.org/sqlite, or with one that
// wraps it, on a file, with journal_mode WAL, synchronous FULL, the encoding UTF-8, and without
// query_only. A transaction that waits for another program may end later than its deadline, by the
// busy_timeout of the pool.
func New(db *sql.DB, opts ...store.Option) (*store.Store, error) {
	return store.New(db, sqlite.Driver{}, opts...)
}

// CheckURL returns the error of a URL that [Open] does not understand, or of a file whose folder
// does not exist. It creates no file.
func CheckURL(url string) error { return sqlite.Driver{}.CheckURL(url) }
