package baseline

import (
	"context"
	"database/sql"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "modernc.org/sqlite" // the driver of the store

	"github.com/openlectern/openlectern/internal/enginetest"
)

// Pools are the pools of database/sql that handwritten code uses, with the settings of
// package store: on SQLite one connection for writing and several for reading, on a
// server one pool for both.
type Pools struct {
	Read, Write *sql.DB
	prepares    bool // whether statements are prepared: see Reading
}

// Open returns the pools of the database that a URL of package store names, which begins with
// sqlite: or mysql:. It closes them when the benchmark ends.
func Open(tb testing.TB, address string) Pools {
	tb.Helper()
	if file, ok := strings.CutPrefix(address, "sqlite:"); ok {
		dsn := "file:" + file +
			"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"
		return Pools{
			Read: open(tb, "sqlite", dsn+"&_pragma=query_only(1)",
				max(4, runtime.GOMAXPROCS(0))),
			Write:    open(tb, "sqlite", dsn+"&_txlock=immediate", 1),
			prepares: true,
		}
	}
	if strings.HasPrefix(address, "postgres:") {
		db, err := enginetest.OpenSQL(address)
		if err != nil {
			tb.Fatal(err)
		}
		limit(tb, db, 20)
		return Pools{Read: db, Write: db}
	}
	u, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	c := mysql.NewConfig()
	c.User = u.User.Username()
	c.Net = "tcp"
	c.Addr = u.Host
	c.DBName = strings.TrimPrefix(u.Path, "/")
	c.ParseTime = true
	c.Loc = time.UTC
	c.ClientFoundRows = true
	c.InterpolateParams = true
	c.Timeout = 5 * time.Second
	c.ReadTimeout = 10 * time.Minute
	c.WriteTimeout = 30 * time.Second
	db := open(tb, "mysql", c.FormatDSN(), 20)
	return Pools{Read: db, Write: db}
}

// open returns a pool of at most conns connections, which it closes when the benchmark ends. It
// does not connect.
func open(tb testing.TB, driver, dsn string, conns int) *sql.DB {
	tb.Helper()
	db, err := sql.Open(driver, dsn)
	if err != nil {
		tb.Fatal(err)
	}
	limit(tb, db, conns)
	return db
}

// limit lets a pool have at most conns connections, which it keeps. The pool is closed when the
// benchmark ends.
func limit(tb testing.TB, db *sql.DB, conns int) {
	tb.Helper()
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	tb.Cleanup(func() { _ = db.Close() })
}

// Reading returns a function that runs a query on the pool for reading. The query is
// prepared on SQLite, where that saves parsing, and not on MySQL, where it costs a round
// trip.
func (p Pools) Reading(
	tb testing.TB, query string,
) func(ctx context.Context, args ...any) (*sql.Rows, error) {
	tb.Helper()
	if !p.prepares {
		return func(ctx context.Context, args ...any) (*sql.Rows, error) {
			return p.Read.QueryContext(ctx, query, args...)
		}
	}
	return prepare(tb, p.Read, query).QueryContext
}

// Writing returns a function that runs a statement in a transaction of the pool for writing. The
// statement is prepared as in [Pools.Reading].
func (p Pools) Writing(
	tb testing.TB, text string,
) func(ctx context.Context, tx *sql.Tx, args ...any) (sql.Result, error) {
	tb.Helper()
	if !p.prepares {
		return func(ctx context.Context, tx *sql.Tx, args ...any) (sql.Result, error) {
			return tx.ExecContext(ctx, text, args...)
		}
	}
	stmt := prepare(tb, p.Write, text)
	return func(ctx context.Context, tx *sql.Tx, args ...any) (sql.Result, error) {
		return tx.StmtContext(ctx, stmt).ExecContext(ctx, args...)
	}
}

// prepare returns a prepared statement, which it closes when the benchmark ends.
func prepare(tb testing.TB, db *sql.DB, text string) *sql.Stmt {
	tb.Helper()
	stmt, err := db.Prepare(text)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = stmt.Close() })
	return stmt
}

// Insert fills a table with n rows in one transaction. into is the table with its columns, such as
// "t (a, b)", and values returns the values of row i as SQL, without parentheses. An error ends the
// benchmark.
func (p Pools) Insert(tb testing.TB, into string, n int, values func(i int) string) {
	tb.Helper()
	tx, err := p.Write.BeginTx(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	const rowsPerStatement = 500
	for from := 0; from < n; from += rowsPerStatement {
		var rows []string
		for i := from; i < min(from+rowsPerStatement, n); i++ {
			rows = append(rows, "("+values(i)+")")
		}
		if _, err := tx.ExecContext(tb.Context(),
			"INSERT INTO "+into+" VALUES "+strings.Join(rows, ",")); err != nil {
			tb.Fatalf("fill %s: %v", into, err)
		}
	}
	if err := tx.Commit(); err != nil {
		tb.Fatal(err)
	}
}
