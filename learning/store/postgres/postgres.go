// Package postgres opens a [store.Store] on PostgreSQL from version 14 on, with the driver
// github.com/jackc/pgx. A program that imports it compiles no driver of another engine.
//
//	st, err := postgres.Open(ctx, "postgres://user:password@host:5432/name")
package postgres

import (
	"context"
	"database/sql"

	"github.com/openlectern/openlectern/internal/sqldriver/postgres"
	"github.com/openlectern/openlectern/learning/store"
)

// Open connects to the server of a URL: see [store.Open].
//
//	postgres://user:password@host:5432/name
//
// Special characters of user and password must be percent-encoded. The port may be left out. The
// parameters are those of pgx, such as sslmode=verify-full and connect_timeout=5. The URL may have
// several hosts, separated by commas, of which a connection is to the first that accepts writes. A
// pooler in transaction mode, such as pgbouncer, may stand before the server. As with libpq, the
// variables of the environment that begin with PG, and the file of passwords, have what the URL
// leaves out.
func Open(ctx context.Context, url string, opts ...store.Option) (*store.Store, error) {
	return store.Open(ctx, postgres.Driver{}, url, opts...)
}

// New returns a store on a pool of the host, beside the host's tables: see [store.New], which has
// all conditions. The pool must be opened with the driver github.com/jackc/pgx/v5/stdlib, or with
// one that wraps it. The database must have the encoding UTF8, the connections datestyle ISO, and
// the schema of [store.WithSchema] must exist.
func New(db *sql.DB, opts ...store.Option) (*store.Store, error) {
	return store.New(db, postgres.Driver{}, opts...)
}

// CheckURL returns the error of a URL that [Open] does not understand. It connects to no server.
func CheckURL(url string) error { return postgres.Driver{}.CheckURL(url) }
