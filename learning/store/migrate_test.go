package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// withSteps is a store whose program knows other migrations.
func withSteps(tb testing.TB, url string, files fs.FS) *Store {
	tb.Helper()
	s := opened(tb, url)
	d := *s.dialect
	d.migrations = files
	s.dialect, s.pool.dialect = &d, &d
	return s
}

// steps makes migration files out of pairs of name and statement.
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

func TestMigrateMayRunInSixInstancesAtOnce(t *testing.T) {
	on(t, engines, func(t *testing.T, e engine) {
		url := e.url(t)
		var all sync.WaitGroup
		errs := make([]error, 6)
		for i := range errs {
			all.Go(func() {
				s, err := Open(t.Context(), url)
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
		want, err := readSteps(s.dialect.migrations)
		if got := count(t, s, "learning_migrations"); err != nil || got != len(want) {
			t.Errorf("%d steps are recorded, want %d (%v)", got, len(want), err)
		}
	})
}

func count(tb testing.TB, s *Store, table string) int {
	tb.Helper()
	var n int
	if err := s.pool.db.GetContext(context.Background(), &n, "SELECT COUNT(*) FROM "+table); err != nil {
		tb.Fatal(err)
	}
	return n
}

func TestMigrateAppliesWhatIsNewAndNothingTwice(t *testing.T) {
	on(t, engines, func(t *testing.T, e engine) {
		url := e.url(t)
		old := steps("0001_a", createA, "0002_b", createB)
		next := maps.Clone(old)
		maps.Copy(next, steps("0003_row", insertB))
		for _, files := range []fs.FS{old, old, next, next} {
			if err := withSteps(t, url, files).Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s := opened(t, url)
		if count(t, s, "learning_migrations") != 3 || count(t, s, "a") != 0 || count(t, s, "b") != 1 {
			t.Error("the steps were not applied once each")
		}
	})
}

func TestMigrateRefusesADatabaseThatIsNotOfThisProgram(t *testing.T) {
	on(t, engines, func(t *testing.T, e engine) {
		url := e.url(t)
		if err := withSteps(t, url, steps("0001_a", createA, "0002_b", createB)).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for want, files := range map[string]fs.FS{
			"database is newer than this program: it has the step 0002_b": steps("0001_a", createA),
			"step 0001_a was changed after it was applied":                steps("0001_a", createA+" ", "0002_b", createB, "0003_row", insertB),
			"has the step 0002_b where this program has 0002_other":       steps("0001_a", createA, "0002_other", createB, "0003_row", insertB),
			"has the step 0001_a where this program has 0000_new":         steps("0000_new", createA, "0001_a", createA, "0002_b", createB),
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

func TestMigrateThatFailsCanBeContinued(t *testing.T) {
	on(t, engines, func(t *testing.T, e engine) {
		url := e.url(t)
		broken := withSteps(t, url, steps("0001_a", createA, "0002_b", createB, "0003_bad", "INSERT INTO nowhere (id) VALUES (1)"))
		if err := broken.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "0003_bad") {
			t.Errorf("got the error %v", err)
		}
		if e.name == "SQLite" {
			var names []string
			if err := broken.pool.db.Select(&names, "SELECT name FROM sqlite_master"); err != nil || len(names) != 0 {
				t.Errorf("a migration that failed left %v (%v)", names, err)
			}
		}
		mended := withSteps(t, url, steps("0001_a", createA, "0002_b", createB, "0003_bad", insertB))
		if err := mended.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := count(t, mended, "b"); got != 1 {
			t.Errorf("%d rows, want 1", got)
		}
	})
}

func TestMigrateContinuesBehindAStepThatWasRunAndNotRecorded(t *testing.T) {
	on(t, servers, func(t *testing.T, e engine) {
		s := opened(t, e.url(t))
		first, err := fs.ReadFile(s.dialect.migrations, "0001_courses.sql")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.pool.db.ExecContext(t.Context(), statements(string(first))[0]); err != nil {
			t.Fatal(err)
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestMigrateWaitsForAnotherInstanceUntilItsLeaseExpires(t *testing.T) {
	on(t, servers, func(t *testing.T, e engine) {
		url := e.url(t)
		s := opened(t, url)
		dead := lease{s.pool, "dead", time.Second}
		if err := dead.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if err := s.Migrate(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while another holds the lease: %v", err)
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Errorf("after the lease expired: %v", err)
		}
		if mine, err := dead.take(t.Context()); err != nil || !mine {
			t.Errorf("the lease was not given back: %v", err)
		}
	})
}

func TestMigrationLeaseIsRenewedWhileItIsKept(t *testing.T) {
	on(t, servers, func(t *testing.T, e engine) {
		s := opened(t, e.url(t))
		l, other := lease{s.pool, "mine", 300 * time.Millisecond}, lease{s.pool, "other", time.Minute}
		if err := l.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		held, stop := l.keep(t.Context())
		for end := time.Now().Add(3 * l.length); time.Now().Before(end); {
			if taken, err := other.take(t.Context()); taken || err != nil {
				t.Fatalf("the lease was taken while it was kept: %v, %v", taken, err)
			}
		}
		if held.Err() != nil {
			t.Errorf("the lease was lost: %v", context.Cause(held))
		}
		stop()
		if err := other.acquire(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestMigrationStopsWhenItsLeaseIsLost(t *testing.T) {
	on(t, servers, func(t *testing.T, e engine) {
		s := opened(t, e.url(t))
		l := lease{s.pool, "mine", 150 * time.Millisecond}
		if err := l.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		held, stop := l.keep(t.Context())
		defer stop()
		if _, err := s.pool.db.ExecContext(t.Context(), "UPDATE learning_migration_lease SET holder = 'other', held_until = '2999-01-01'"); err != nil {
			t.Fatal(err)
		}
		select {
		case <-held.Done():
		case <-time.After(10 * time.Second):
			t.Fatal("nobody noticed")
		}
		if got := context.Cause(held); !errors.Is(got, errLeaseLost) {
			t.Errorf("the migration was stopped by %v", got)
		}
	})
}

// shape is what both engines must agree on: step by step the tables, their columns
// with type and NOT NULL, and their keys.
func shape(tb testing.TB, files fs.FS) map[string][]string {
	tb.Helper()
	list, err := readSteps(files)
	if err != nil {
		tb.Fatal(err)
	}
	shapes := map[string][]string{}
	for _, step := range list {
		for _, statement := range step.statements {
			shapes[step.name] = append(shapes[step.name], shapeOf(tb, statement)...)
		}
		slices.Sort(shapes[step.name])
	}
	return shapes
}

var (
	createTable = regexp.MustCompile(`(?s)^CREATE TABLE (?:IF NOT EXISTS )?(\w+) \(\n(.*)\n\)`)
	createIndex = regexp.MustCompile(`^CREATE (UNIQUE )?INDEX (\w+) ON (\w+) \((.*)\)$`)
	inlineKey   = regexp.MustCompile(`^(UNIQUE )?KEY (\w+) \((.*)\)$`)
)

func shapeOf(tb testing.TB, statement string) []string {
	tb.Helper()
	if m := createIndex.FindStringSubmatch(statement); m != nil {
		return []string{fmt.Sprintf("%s: %skey %s (%s)", m[3], m[1], m[2], m[4])}
	}
	m := createTable.FindStringSubmatch(statement)
	if m == nil {
		tb.Fatalf("a statement that this test does not know: %s", statement)
	}
	var lines []string
	for _, line := range strings.Split(m[2], ",\n") {
		line = strings.ReplaceAll(strings.TrimSpace(line), "DATETIME(6)", "DATETIME")
		if k := inlineKey.FindStringSubmatch(line); k != nil {
			line = fmt.Sprintf("%skey %s (%s)", k[1], k[2], k[3])
		}
		lines = append(lines, m[1]+": "+line)
	}
	return lines
}

func TestBothEnginesHaveTheSameStepsTablesColumnsAndKeys(t *testing.T) {
	lite, my := shape(t, sqliteFiles), shape(t, mysqlFiles)
	if diff := cmp.Diff(lite, my); diff != "" {
		t.Errorf("SQLite and MySQL differ (-SQLite +MySQL):\n%s", diff)
	}
	for step, lines := range my {
		if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "PRIMARY KEY") }); i < 0 {
			t.Errorf("%s makes a table without a primary key", step)
		}
	}
}

func TestMySQLStepsAreOneStatementEachThatMayRunAgain(t *testing.T) {
	list, err := readSteps(mysqlFiles)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range list {
		if !strings.HasPrefix(step.name, fmt.Sprintf("%04d_", i+1)) {
			t.Errorf("%s should have the number %d", step.name, i+1)
		}
		if len(step.statements) != 1 || !strings.Contains(step.statements[0], "IF NOT EXISTS") {
			t.Errorf("%s has %d statements, or one that cannot run again", step.name, len(step.statements))
		}
	}
}

func TestEveryTextOnMySQLIsComparedByBytes(t *testing.T) {
	on(t, servers, func(t *testing.T, e engine) {
		s := migrated(t, e.url(t))
		var other []string
		err := s.pool.db.Select(&other, `
			SELECT CONCAT(table_name, '.', column_name, ' ', collation_name) FROM information_schema.columns
			WHERE table_schema = DATABASE() AND collation_name <> 'utf8mb4_bin'`)
		if err != nil || len(other) > 0 {
			t.Errorf("other collations: %v (%v)", other, err)
		}
	})
}

func TestStatementsAreCutAtSemicolonsThatEndALine(t *testing.T) {
	got := statements("-- a comment;\nCREATE TABLE a (\n\tid BIGINT -- not this one\n);\n\n  -- another\nINSERT INTO a VALUES (';');\nDELETE FROM a")
	want := []string{"CREATE TABLE a (\n\tid BIGINT -- not this one\n)", "INSERT INTO a VALUES (';')", "DELETE FROM a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
