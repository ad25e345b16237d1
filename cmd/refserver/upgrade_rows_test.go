package main

import (
	"database/sql"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestUpgrade_KeepsEveryRow fills a database with the demo of the version before, and migrates it.
// Every value that the version before has written is still there, and the books are right.
func TestUpgrade_KeepsEveryRow(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "upgrade", nil)
	v := buildVersions(t)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		database := e.URL(t)
		env := environment{"LEARNING_DATABASE": database, "LEARNING_MEDIA": t.TempDir(),
			"LEARNING_ADDR": "127.0.0.1:0", "LEARNING_LOG_LEVEL": "debug"}
		older, _, _ := startProgram(t, v.older, env, "--sandbox-addr", "127.0.0.1:0")
		db := openDatabase(t, database)
		await(t, "the older version to fill its demo", func() bool {
			var posts int
			return db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM posts").Scan(&posts) ==
				nil && posts > 0
		})
		if err := older.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		ended(t, older)
		before := columnsOf(t, db, tablesOf(t, db, database))
		rows := rowsOf(t, db, before)
		runProgram(t, v.newer, env, "migrate")
		if diff := cmp.Diff(rows, rowsOf(t, db, before)); diff != "" {
			t.Errorf("the migration from %s has changed (-before +after):\n%s", v.from, diff)
		}
		t.Logf("from %s: %d tables", v.from, len(rows))
		(&deployment{db: db}).wantInvariants(t)
	})
}

// tablesOf returns the names of the tables that hold data of the platform.
func tablesOf(t *testing.T, db *sql.DB, database string) []string {
	t.Helper()
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	const ofServer = "SELECT table_name FROM information_schema.tables WHERE table_schema = "
	switch scheme, _, _ := strings.Cut(database, ":"); scheme {
	case "mysql":
		query = ofServer + "DATABASE()"
	case "postgres":
		query = ofServer + "current_schema"
	}
	names := slices.DeleteFunc(textRows(t, db, query), func(name string) bool {
		return strings.HasPrefix(name, "learning_migration") || name == "leases"
	})
	if len(names) < 20 {
		t.Fatalf("the tables are %v", names)
	}
	return names
}

// columnsOf returns the columns of tables.
func columnsOf(t *testing.T, db *sql.DB, tables []string) map[string][]string {
	t.Helper()
	columns := map[string][]string{}
	for _, table := range tables {
		rows, err := db.QueryContext(t.Context(), "SELECT * FROM "+table+" LIMIT 0")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		if columns[table], err = rows.Columns(); err != nil {
			t.Fatal(err)
		}
	}
	return columns
}

// rowsOf returns the values of the columns in all rows, in an order of their own.
func rowsOf(t *testing.T, db *sql.DB, columns map[string][]string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for table := range maps.Keys(columns) {
		all[table] = textRows(t, db, "SELECT "+strings.Join(columns[table], ", ")+" FROM "+table)
		slices.Sort(all[table])
	}
	return all
}

// textRows returns the rows of a query as texts.
func textRows(t *testing.T, db *sql.DB, query string) (texts []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values, targets := make([]sql.NullString, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		text := make([]string, len(values))
		for i, v := range values {
			text[i] = v.String
		}
		texts = append(texts, strings.Join(text, "\x1f"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}
