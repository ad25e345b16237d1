// Package mysql opens a [store.Store] on MySQL from version 8 on, on MariaDB from version 10.11 on,
// or on a server that is compatible with them, with the driver github.com/go-sql-driver/mysql. A
// program that imports it compiles no driver of another engine.
//
//	st, err := mysql.Open(ctx, "mysql://user:password@host:3306/name")
package mysql

import (
	"context"
	"database/sql"

	"github.com/openlectern/openlectern/internal/sqldriver/mysql"
	"github.com/openlectern/openlectern/learning/store"
)

// Open connects to the server of a URL: see [store.Open].
//
//	mysql://user:password@host:3306/name
//
// Special characters of user and password must be percent-encoded. The port may be left out. These
// parameters are allowed:
//
//	tls=true            TLS that verifies the certificate of the server; "skip-verify"
//	                    and "preferred" are weaker; the default is no TLS
//	timeout=5s          to connect, until the server is ready for statements
//	readTimeout=30s     for an answer
//	writeTimeout=30s    to send a statement
//
// The nodes of a cluster have one URL: the address of a proxy, such as MySQL Router or ProxySQL,
// which leads all connections to one node. If the connection of an open transaction is lost, the
// transaction runs again on a new one.
func Open(ctx context.Context, url string, opts ...store.Option) (*store.Store, error) {
	return store.Open(ctx, mysql.Driver{}, url, opts...)
}

// New returns a store on a pool of the host, beside the host's tables: see [store.New], which has
// all conditions. The pool must be opened with the driver github.com/go-sql-driver/mysql, or with
// one that wraps it, and with these settings: parseTime=true, loc=UTC, clientFoundRows=true, the
// time zone UTC, a strict sql_mode, the isolation level REPEATABLE-READ, autocommit, and the
// character set utf8mb4.
//
// clientFoundRows cannot be read from a connection: as long as there are no tables it is checked by
// [store.Store.Migrate] and [store.Store.CheckTables].
//
// Set innodb_lock_wait_timeout=1 in the DSN too, because a server notices only after that time that
// a transaction which waits was given up, and keeps its locks until then.
func New(db *sql.DB, opts ...store.Option) (*store.Store, error) {
	return store.New(db, mysql.Driver{}, opts...)
}

// CheckURL returns the error of a URL that [Open] does not understand. It connects to no server.
func CheckURL(url string) error { return mysql.Driver{}.CheckURL(url) }
