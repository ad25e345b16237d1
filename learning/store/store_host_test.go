package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldriver/drivers"
	"github.com/openlectern/openlectern/internal/storetest"
	"github.com/openlectern/openlectern/learning"
)

// engineOf returns the engine of a URL.
func engineOf(rawURL string) Engine {
	scheme, _, _ := strings.Cut(rawURL, ":")
	return Engine(scheme)
}

// newOn returns a store on a pool of the host.
func newOn(pool *sql.DB, engine Engine, opts ...Option) (*Store, error) {
	driver, err := drivers.For(engine)
	if err != nil {
		return nil, err
	}
	return New(pool, driver, opts...)
}

// ownNames returns the names of the tables and indexes of the store, without a prefix.
func ownNames(tb testing.TB) (tables, indexes []string) {
	tb.Helper()
	text := ""
	for _, step := range stepsOf(tb, SQLite) {
		text += strings.Join(step.Statements, "\n")
	}
	for _, found := range regexp.MustCompile(`CREATE TABLE \{(\w+)\}`).FindAllStringSubmatch(text, -1) {
		tables = append(tables, found[1])
	}
	for _, found := range regexp.MustCompile(`\{index (\w+)\}`).FindAllStringSubmatch(text, -1) {
		indexes = append(indexes, found[1])
	}
	if len(tables) < 38 || len(indexes) < 60 {
		tb.Fatalf("%d tables and %d indexes", len(tables), len(indexes))
	}
	return append(tables, "learning_migrations", "learning_migration_lease"), indexes
}

// addHostTables adds tables of a host that have the names of all tables of the store and hold other
// things, and indexes with the names of its indexes.
func addHostTables(tb testing.TB, db *sql.DB) {
	tb.Helper()
	tables, indexes := ownNames(tb)
	for i, table := range tables {
		exec(tb, db, "CREATE TABLE "+table+" (note VARCHAR(40) NOT NULL, number INTEGER)")
		exec(tb, db, fmt.Sprintf("INSERT INTO %s (note, number) VALUES ('of the host', %d)", table, i))
	}
	for i, index := range indexes {
		exec(tb, db, "CREATE INDEX "+index+" ON "+tables[i%len(tables)]+" (number)")
	}
}

func exec(tb testing.TB, db *sql.DB, statement string) {
	tb.Helper()
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		tb.Fatalf("%s: %v", statement, err)
	}
}

// queryTexts returns the first column of all rows.
func queryTexts(tb testing.TB, db *sql.DB, query string) (list []string) {
	tb.Helper()
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		tb.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			tb.Fatal(err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return list
}

// schemaEntries lists what a database has: tables with their columns, indexes and constraints, each
// with its schema on PostgreSQL.
func schemaEntries(tb testing.TB, db *sql.DB, engine Engine) []string {
	tb.Helper()
	query := `SELECT name || ' ' || tbl_name || ' ' || COALESCE(sql, '') FROM sqlite_master ORDER BY 1`
	switch engine {
	case MySQL:
		query = `
			SELECT CONCAT(table_name, ' ', column_name, ' ', column_type) AS entry
			FROM information_schema.columns WHERE table_schema = DATABASE()
			UNION ALL
			SELECT CONCAT(index_name, ' ', table_name, ' ', column_name)
			FROM information_schema.statistics WHERE table_schema = DATABASE()
			UNION ALL
			SELECT CONCAT(constraint_name, ' ', table_name) FROM information_schema.table_constraints
			WHERE table_schema = DATABASE() ORDER BY entry`
	case PostgreSQL:
		query = `
			SELECT CONCAT(n.nspname, '.', c.relname, ' ', a.attname, ' ', a.atttypid) AS entry
			FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
				JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
			WHERE n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
			UNION ALL
			SELECT CONCAT(n.nspname, '.', k.conname, ' ', pg_get_constraintdef(k.oid))
			FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace
			WHERE n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema' ORDER BY entry`
	}
	return queryTexts(tb, db, query)
}

// hostRows returns the rows of the tables of the host.
func hostRows(tb testing.TB, db *sql.DB) (rows []string) {
	tb.Helper()
	tables, _ := ownNames(tb)
	for _, table := range tables {
		rows = append(rows, queryTexts(tb, db,
			"SELECT CONCAT('"+table+": ', note, ' ', number) FROM "+table)...)
	}
	return rows
}

// hostStores are stores with a prefix of their own each, in one database and on one pool of a host
// whose tables have the names of theirs.
type hostStores struct {
	pool   *sql.DB
	engine Engine
	opts   []Option
	made   int // how many open has made

	storePool
}

// newHostStores makes the tables of the host. When the test ends, it checks that they are the same,
// and that the names of all others begin with the prefix.
func newHostStores(t *testing.T, rawURL string, schema string, settings ...string) *hostStores {
	t.Helper()
	h := &hostStores{pool: enginetest.HostPool(t, rawURL, settings...), engine: engineOf(rawURL)}
	h.opens = h.open
	addHostTables(t, h.pool)
	schemaOfAll := "public"
	if schema != "" {
		exec(t, h.pool, "CREATE SCHEMA "+schema)
		h.opts, schemaOfAll = append(h.opts, WithSchema(schema)), schema
	}
	rows, names := hostRows(t, h.pool), schemaEntries(t, h.pool, h.engine)
	t.Cleanup(func() {
		if diff := cmp.Diff(rows, hostRows(t, h.pool)); diff != "" {
			t.Errorf("the rows of the host have changed (-before +after):\n%s", diff)
		}
		added := 0
		for _, entry := range schemaEntries(t, h.pool, h.engine) {
			if slices.Contains(names, entry) {
				names = slices.DeleteFunc(names, func(other string) bool { return other == entry })
				continue
			}
			added++
			if !hasPrefix(entry, h.engine, schemaOfAll) {
				t.Errorf("the name has no prefix: %s", entry)
			}
		}
		if added < 200 {
			t.Errorf("%d columns, indexes and constraints were added", added)
		}
		for _, entry := range names {
			t.Errorf("the host had, and has no longer: %s", entry)
		}
	})
	return h
}

// hasPrefix reports whether an entry of schemaEntries is that of a store with a prefix that begins
// with lectern_.
func hasPrefix(entry string, engine Engine, schema string) bool {
	name, rest, _ := strings.Cut(entry, " ")
	switch engine {
	case PostgreSQL:
		return strings.HasPrefix(name, schema+".lectern_")
	case SQLite:
		return strings.HasPrefix(strings.TrimPrefix(name, "sqlite_autoindex_"), "lectern_") &&
			strings.HasPrefix(rest, "lectern_")
	}
	// the index and the constraint of a primary key have this name in each table
	return strings.HasPrefix(name, "lectern_") ||
		name == "PRIMARY" && strings.HasPrefix(rest, "lectern_")
}

// open returns a store with a new prefix, and makes its tables.
func (h *hostStores) open(tb testing.TB) *Store {
	tb.Helper()
	h.made++
	opts := append([]Option{WithPrefix(fmt.Sprintf("lectern_%d_", h.made))}, h.opts...)
	s, err := newOn(h.pool, h.engine, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Migrate(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return s
}

// TestConformance_OnAPoolOfTheHost runs the suite with prefixes, beside tables of the same names
// that hold other things.
func TestConformance_OnAPoolOfTheHost(t *testing.T) {
	enginetest.Each(t, enginetest.Repeated, func(t *testing.T, e enginetest.Engine) {
		h := newHostStores(t, e.URL(t), "")
		storetest.Run(t, func(tb testing.TB) learning.Store { return h.take(tb) })
	})
	t.Run("PostgreSQL with a schema", func(t *testing.T) {
		enginetest.Need(t, "repeated", nil) // as for Repeated
		h := newHostStores(t, enginetest.PostgreSQL(t), "school")
		storetest.Run(t, func(tb testing.TB) learning.Store { return h.take(tb) })
	})
}

// MySQL has names of at most 64 characters, and PostgreSQL of 63. It adds _pkey to the name of a
// table for the constraint of its primary key.
func TestNames_FitWithTheLongestPrefix(t *testing.T) {
	const longest, suffix, maxName = 20, len("_pkey"), 63
	tables, indexes := ownNames(t)
	for _, name := range slices.Concat(tables, indexes) {
		if longest+len(name)+suffix > maxName {
			t.Errorf("the name %s is too long for a prefix of %d characters", name, longest)
		}
	}
}

// Open and New find the same tables by the same prefix, and no others.
func TestCheckTables_OfOtherNames_AreMissing(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		migrated(t, url)
		pool := enginetest.HostPool(t, url)
		same, err := newOn(pool, engineOf(url))
		if err != nil {
			t.Fatal(err)
		}
		other, err := newOn(pool, engineOf(url), WithPrefix("lectern_"))
		if err != nil {
			t.Fatal(err)
		}
		if err := same.CheckTables(t.Context()); err != nil {
			t.Errorf("the tables of Open: %v", err)
		}
		if err := other.CheckTables(t.Context()); !errors.Is(err, ErrNoTables) {
			t.Errorf("tables with another prefix: %v, want ErrNoTables", err)
		}
		if err := opened(t, url, WithPrefix("lectern_")).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := other.CheckTables(t.Context()); err != nil {
			t.Errorf("the tables that Open has made with the prefix: %v", err)
		}
	})
}

// A host that has forgotten the prefix is told so, and keeps its tables as they are.
func TestMigrate_BesideTablesOfTheSameNames_ChangesNothing(t *testing.T) {
	hosts := map[string][]string{
		"users and courses": {
			"CREATE TABLE users (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40))",
			"CREATE TABLE courses (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(40))",
		},
		"the last table": {"CREATE TABLE learning_commits (id INTEGER NOT NULL)"},
		"a view":         {"CREATE VIEW users AS SELECT 1 AS id"},
	}
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		for name, statements := range hosts {
			url := e.URL(t)
			pool, engine := enginetest.HostPool(t, url), engineOf(url)
			for _, statement := range statements {
				exec(t, pool, statement)
			}
			before := schemaEntries(t, pool, engine)
			st, err := newOn(pool, engine)
			if err != nil {
				t.Fatal(err)
			}
			err = st.Migrate(t.Context())
			if !errors.Is(err, ErrTablesTaken) || !strings.Contains(err.Error(), "store.WithPrefix") {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(before, schemaEntries(t, pool, engine)); diff != "" {
				t.Errorf("%s: the database has changed: %s", name, diff)
			}
			prefixed, err := newOn(pool, engine, WithPrefix("lectern_"))
			if err == nil {
				err = prefixed.Migrate(t.Context())
			}
			if err != nil {
				t.Errorf("%s: with a prefix: %v", name, err)
			}
		}
	})
}
