package sqldb

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// withSteps returns a database of a program with other migrations.
func withSteps(tb testing.TB, url string, files fs.FS) *DB {
	tb.Helper()
	s := opened(tb, url)
	s.migrations = files
	return s
}

// steps returns migration files from pairs of name and statement.
func steps(pairs ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]+".sql"] = &fstest.MapFile{Data: []byte(pairs[i+1] + ";\n")}
	}
	return files
}

const (
	createA = "CREATE TABLE IF NOT EXISTS a (id BIGINT NOT NULL PRIMARY KEY)"
	createB = "CREATE TABLE IF NOT EXISTS b (id BIGINT NOT NULL PRIMARY KEY)"
	insertB = "INSERT INTO b (id) VALUES (1)"
)

func TestMigrate_SixInstancesAtOnce(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		var all sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			all.Go(func() {
				s, err := openDB(t.Context(), url)
				if err == nil {
					err = errors.Join(s.Migrate(t.Context()), s.Close())
				}
				errs[i] = err
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		s := opened(t, url)
		want, err := s.dialect.readSteps(s.migrations)
		if got := count(t, s, "learning_migrations"); err != nil || got != len(want) {
			t.Errorf("%d steps are recorded, want %d (%v)", got, len(want), err)
		}
	})
}

func count(tb testing.TB, s *DB, table string) int {
	tb.Helper()
	var n int
	if err := s.pool.DB.GetContext(context.Background(), &n, "SELECT COUNT(*) FROM "+table); err !=
		nil {
		tb.Fatal(err)
	}
	return n
}

func TestMigrate_AppliesNewStepsOnce(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		old := steps("0001_a", createA, "0002_b", createB)
		next := maps.Clone(old)
		maps.Copy(next, steps("0003_row", insertB))
		for _, files := range []fs.FS{old, old, next, next} {
			if err := withSteps(t, url, files).Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s := opened(t, url)
		if count(t, s, "learning_migrations") != 3 || count(t, s, "a") != 0 ||
			count(t, s, "b") != 1 {
			t.Error("not every step was applied once")
		}
	})
}

func TestMigrate_DatabaseOfAnotherProgram_ReturnsError(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		if err := withSteps(t, url,
			steps("0001_a", createA, "0002_b", createB)).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for want, files := range map[string]fs.FS{
			"database is newer than this program: it has the step 0002_b": steps("0001_a", createA),
			"step 0001_a was changed after it was applied": steps("0001_a",
				createA+" ", "0002_b", createB, "0003_row", insertB),
			"has the step 0002_b where this program has 0002_other": steps("0001_a", createA,
				"0002_other", createB, "0003_row", insertB),
			"has the step 0001_a where this program has 0000_new": steps("0000_new",
				createA, "0001_a", createA, "0002_b", createB),
		} {
			s := withSteps(t, url, files)
			if err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got the error %v, want one with %q", err, want)
			}
			if n := count(t, s, "b"); n != 0 {
				t.Errorf("a refused migration added %d rows", n)
			}
		}
	})
}

func TestMigrate_Failed_CanBeContinued(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		broken := withSteps(t, url,
			steps("0001_a", createA, "0002_b", createB, "0003_bad",
				"INSERT INTO nowhere (id) VALUES (1)"))
		if err := broken.Migrate(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "0003_bad") {
			t.Errorf("got the error %v", err)
		}
		if e.Name == "SQLite" {
			var names []string
			if err := broken.pool.DB.Select(&names, "SELECT name FROM sqlite_master"); err != nil ||
				len(names) != 0 {
				t.Errorf("a migration that failed left %v (%v)", names, err)
			}
		}
		mended := withSteps(t, url,
			steps("0001_a", createA, "0002_b", createB, "0003_bad", insertB))
		if err := mended.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := count(t, mended, "b"); got != 1 {
			t.Errorf("%d rows, want 1", got)
		}
	})
}

// MySQL has no ADD KEY IF NOT EXISTS.
func TestMigrate_AddedKeyThatWasNotRecorded(t *testing.T) {
	const addKey = "ALTER TABLE a ADD KEY a_by_id (id), ADD KEY a_again (id)"
	enginetest.Each(t, enginetest.MySQLServers, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		s := withSteps(t, url, steps("0001_a", createA))
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.writer.MustExec(addKey)
		if err := withSteps(t, url,
			steps("0001_a", createA, "0002_keys", addKey)).Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestMigrate_StepsThatWereRunAndNotRecordedRunAgain(t *testing.T) {
	enginetest.Each(t, enginetest.MySQLServers, func(t *testing.T, e enginetest.Engine) {
		s := opened(t, e.URL(t))
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		steps := count(t, s, "learning_migrations")
		if _, err := s.pool.DB.ExecContext(t.Context(), "DELETE FROM learning_migrations"); err !=
			nil {
			t.Fatal(err)
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
		if n := count(t, s, "learning_migrations"); n != steps {
			t.Errorf("%d steps are recorded, want %d", n, steps)
		}
	})
}

// TestMigrate_StepsBeforeTheFirstRelease_AreRefused migrates a database that has the first steps of
// a program from before the first release.
func TestMigrate_StepsBeforeTheFirstRelease_AreRefused(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		old := steps("0001_courses", createA, "0002_course_contents", createB, "0094_last", insertB)
		if err := withSteps(t, url, old).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := opened(t, url)
		const want = "has the step 0001_courses where this program has 0001_schema: " +
			"another program or a version before the first release has made it"
		for _, check := range []func(context.Context) error{s.Migrate, s.CheckTables} {
			if err := check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got the error %v, want one with %q", err, want)
			}
		}
		if n := count(t, s, "b"); n != 1 {
			t.Errorf("a refused migration left %d rows", n)
		}
	})
}

func TestStatements_SplitAtSemicolonsThatEndALine(t *testing.T) {
	got := statements(
		"-- a comment;\nCREATE TABLE a (\n\tid BIGINT -- not this one\n);\n\n  -- another\nINSERT " +
			"INTO a VALUES (';');\nDELETE FROM a")
	want := []string{"CREATE TABLE a (\n\tid BIGINT -- not this one\n)",
		"INSERT INTO a VALUES (';')", "DELETE FROM a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
