package migrations

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// eachTool runs a test with each tool on each engine.
func eachTool(t *testing.T, test func(t *testing.T, e enginetest.Engine, tool tool)) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		for name, tool := range tools {
			t.Run(name, func(t *testing.T) { test(t, e, tool) })
		}
	})
}

// filesOf returns the files of a host's engine.
func filesOf(t *testing.T, h host, prefix string, opts ...store.Option) fs.FS {
	t.Helper()
	files, err := store.Migrations(h.engine, prefix, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// open opens the store of a URL until the test ends.
func open(t *testing.T, url string, opts ...store.Option) *store.Store {
	t.Helper()
	st, err := engines.Open(t.Context(), url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// wantUsable fails the test unless the store has its tables, needs no migration, and sells a
// course.
func wantUsable(t *testing.T, st *store.Store) {
	t.Helper()
	if err := st.CheckTables(t.Context()); err != nil {
		t.Error(err)
	}
	if err := st.Migrate(t.Context()); err != nil {
		t.Error(err)
	}
	kit := learningtest.New(t,
		learningtest.WithStore(func(learning.Store) learning.Store { return st }))
	ada := kit.Person(t, "ada", core.Student)
	kit.Buy(t, ada, kit.Course(t, "sailing", 499_00))
	enrolled, err := kit.Platform.Study.EnrolledCourses(t.Context(), ada,
		learning.PageRequest{Limit: 10})
	if err != nil || len(enrolled.Rows) != 1 {
		t.Errorf("enrolled in %d courses (%v)", len(enrolled.Rows), err)
	}
}

func TestTools_MakeTheTablesOfTheStore(t *testing.T) {
	eachTool(t, func(t *testing.T, e enginetest.Engine, tool tool) {
		for _, prefix := range []string{"", "lectern_"} {
			t.Run("prefix "+prefix, func(t *testing.T) {
				url := e.URL(t)
				h := hostOf(t, url)
				files := filesOf(t, h, prefix)
				for range 2 { // the second time there is nothing to do
					if err := tool.up(t.Context(), h, files); err != nil {
						t.Fatal(err)
					}
				}
				wantUsable(t, open(t, url, store.WithPrefix(prefix)))
				for _, table := range h.tables(t) {
					if !strings.HasPrefix(table, prefix) {
						t.Errorf("the table %s has no prefix", table)
					}
				}
			})
		}
	})
}

func TestTools_MakeTheSchemaThatMigrateMakes(t *testing.T) {
	eachTool(t, func(t *testing.T, e enginetest.Engine, tool tool) {
		byTool := hostOf(t, e.URL(t))
		if err := tool.up(t.Context(), byTool, filesOf(t, byTool, "")); err != nil {
			t.Fatal(err)
		}
		url := e.URL(t)
		if err := open(t, url).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, want := byTool.schema(t), hostOf(t, url).schema(t)
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 100 {
			t.Errorf("%d lines (-Migrate +tool):\n%s", len(want), diff)
		}
	})
}

func TestTools_MakeTheTablesInASchema(t *testing.T) {
	for name, tool := range tools {
		t.Run(name, func(t *testing.T) {
			url := enginetest.PostgreSQL(t)
			h := hostOf(t, url)
			if err := h.exec(t.Context(), "CREATE SCHEMA school"); err != nil {
				t.Fatal(err)
			}
			files := filesOf(t, h, "lectern_", store.WithSchema("school"))
			for range 2 {
				if err := tool.up(t.Context(), h, files); err != nil {
					t.Fatal(err)
				}
			}
			wantUsable(t, open(t, url, store.WithPrefix("lectern_"), store.WithSchema("school")))
			if tables := h.tables(t); !slices.Equal(tables, []string{versions}) {
				t.Errorf("outside of the schema: %v", tables)
			}
		})
	}
}

// A file that fails in its middle stands for one that was interrupted there.
func TestTools_FileWasInterrupted_RunsAgain(t *testing.T) {
	eachTool(t, func(t *testing.T, e enginetest.Engine, tool tool) {
		url := e.URL(t)
		h := hostOf(t, url)
		files := filesOf(t, h, "")
		if err := tool.up(t.Context(), h, interrupted(t, files)); err == nil {
			t.Fatal("a file with a wrong statement succeeded")
		}
		st := open(t, url)
		if err := st.CheckTables(t.Context()); err == nil {
			t.Error("the interrupted file is recorded")
		}
		// MySQL keeps what was made before.
		if made := len(h.tables(t)); (made > 10) != (h.engine == store.MySQL) {
			t.Errorf("the interrupted file has left %d tables", made)
		}
		if err := tool.setVersion(t.Context(), h, files, 0); err != nil {
			t.Fatal(err)
		}
		if err := tool.up(t.Context(), h, files); err != nil {
			t.Fatal(err)
		}
		wantUsable(t, st)
	})
}

// interrupted returns the first of files with a wrong statement in place of a table in its middle.
func interrupted(t *testing.T, files fs.FS) fs.FS {
	t.Helper()
	const name = "0001_schema.up.sql"
	text, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.SplitAfter(string(text), "\n\n")
	middle := len(parts) / 2
	broken := strings.Join(parts[:middle], "") + "CREATE TABLE interrupted;\n" +
		strings.Join(parts[middle:], "")
	return fstest.MapFS{name: &fstest.MapFile{Data: []byte(broken)}}
}

func TestTools_TakeOverADatabaseThatMigrateHasMigrated(t *testing.T) {
	eachTool(t, func(t *testing.T, e enginetest.Engine, tool tool) {
		url := e.URL(t)
		h := hostOf(t, url)
		files := filesOf(t, h, "")
		st := open(t, url)
		if err := st.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := tool.up(t.Context(), h, files)
		if err == nil || !strings.Contains(err.Error(), "Store.Migrate migrates this database") {
			t.Fatalf("before it was handed over: %v", err)
		}

		// As docs/operations.md says.
		if err := h.exec(t.Context(), `INSERT INTO learning_migrations (name, checksum, applied_at)
			VALUES ('migrated_by_host', '', '')`); err != nil {
			t.Fatal(err)
		}
		all, err := fs.Glob(files, "*.up.sql")
		if err != nil {
			t.Fatal(err)
		}
		if err := tool.setVersion(t.Context(), h, files, len(all)); err != nil {
			t.Fatal(err)
		}
		if err := tool.up(t.Context(), h, files); err != nil {
			t.Errorf("after it was handed over: %v", err)
		}
		wantUsable(t, st)
	})
}
