package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// writingConn returns the writing connection to a file with a table roles, and its cached
// statements.
func writingConn(t *testing.T) (*sql.Conn, map[string]sqliteStmt) {
	t.Helper()
	c, err := Driver{}.Connect("sqlite:"+filepath.Join(t.TempDir(), "a.db"), "")
	if err != nil {
		t.Fatal(err)
	}
	pool := sql.OpenDB(c.Writing)
	t.Cleanup(func() { _ = pool.Close() })
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	mustExec(t, conn, `CREATE TABLE roles (user_id TEXT PRIMARY KEY, role TEXT, decided_at TEXT)`)
	var kept map[string]sqliteStmt
	err = conn.Raw(func(c any) error {
		kept = c.(*cachingConn).cache
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	clear(kept)
	return conn, kept
}

func mustExec(t *testing.T, conn *sql.Conn, query string, args ...any) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func TestCachingConn_PreparesAStatementOnce(t *testing.T) {
	conn, kept := writingConn(t)
	const query = `INSERT INTO roles (user_id, role, decided_at) VALUES (?, 'student', '2026-01-31')`
	mustExec(t, conn, query, "a")
	first := kept[query]
	mustExec(t, conn, query, "b")
	if first == nil || kept[query] != first {
		t.Errorf("first %v, then %v", first, kept[query])
	}
}

func TestCachingConn_StatementWorksAfterItFailed(t *testing.T) {
	conn, _ := writingConn(t)
	const query = `INSERT INTO roles (user_id, role, decided_at) VALUES (?, 'student', '2026-01-31')`
	mustExec(t, conn, query, "a")
	_, err := conn.ExecContext(t.Context(), query, "a")
	if (Driver{}).Failure(err) != sqldriver.Duplicate {
		t.Fatalf("repetition: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := conn.ExecContext(gone, query, "b"); !errors.Is(err, context.Canceled) {
		t.Fatalf("with a cancelled context: %v", err)
	}
	mustExec(t, conn, query, "b")
}

func TestCachingConn_TableChanged_StatementWorks(t *testing.T) {
	conn, _ := writingConn(t)
	mustExec(t, conn,
		`INSERT INTO roles (user_id, role, decided_at) VALUES ('a', 'student', '2026-01-31')`)
	read := func() (row []any, err error) {
		rows, err := conn.QueryContext(t.Context(), `SELECT * FROM roles`)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		rows.Next()
		columns, err := rows.Columns()
		row = make([]any, len(columns))
		targets := make([]any, len(columns))
		for i := range row {
			targets[i] = &row[i]
		}
		return row, errors.Join(err, rows.Scan(targets...))
	}
	before, err := read()
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, conn, `ALTER TABLE roles ADD COLUMN note VARCHAR(10) NOT NULL DEFAULT 'new'`)
	if row, err := read(); err != nil || len(row) != len(before)+1 || row[len(row)-1] != "new" {
		t.Errorf("after a new column: %v, %v", row, err)
	}
	mustExec(t, conn, `DROP TABLE roles`)
	if row, err := read(); err == nil {
		t.Errorf("of a dropped table: %v", row)
	}
}

func TestCachingConn_CacheIsBounded(t *testing.T) {
	conn, kept := writingConn(t)
	for i := range maxCachedStatements + 20 {
		var got int
		row := conn.QueryRowContext(t.Context(), fmt.Sprintf("SELECT %d", i))
		if err := row.Scan(&got); err != nil || got != i {
			t.Fatalf("%d: got %d, %v", i, got, err)
		}
	}
	if len(kept) != maxCachedStatements {
		t.Errorf("%d cached statements, want %d", len(kept), maxCachedStatements)
	}
}
