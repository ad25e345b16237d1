package sqldb

import (
	"database/sql"
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldriver"
	driver "github.com/openlectern/openlectern/internal/sqldriver/mysql"
)

// migrationFile returns the text of a file of [MigrationFiles] for a database with these steps.
func migrationFile(tb testing.TB, s *DB, steps fstest.MapFS, step string) string {
	tb.Helper()
	files, err := MigrationFiles(s.dialect.driver.Engine(), s.dialect.Names(), steps)
	if err != nil {
		tb.Fatal(err)
	}
	text, err := fs.ReadFile(files, step+".up.sql")
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// runScript sends a text of several statements to a database at once, as golang-migrate does.
func runScript(tb testing.TB, rawURL, text string) error {
	tb.Helper()
	scheme, rest, _ := strings.Cut(rawURL, ":")
	var db *sql.DB
	var err error
	switch scheme {
	case "sqlite":
		db, err = sql.Open("sqlite", rest)
	case "mysql":
		c, failure := driver.Config(rawURL)
		if failure != nil {
			tb.Fatal(failure)
		}
		c.MultiStatements = true
		connector, failure := mysql.NewConnector(c)
		db, err = sql.OpenDB(connector), failure
	default:
		db, err = sql.Open("pgx", rawURL)
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	// On SQLite and PostgreSQL the text is one transaction, which golang-migrate begins on SQLite.
	tx, err := db.BeginTx(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := tx.ExecContext(tb.Context(), text); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// TestMigrationFiles_RecordTheStepsAsMigrate runs the files of a tool of the host, after which the
// program has nothing to do.
func TestMigrationFiles_RecordTheStepsAsMigrate(t *testing.T) {
	program := steps("0001_a", createA, "0002_b", createB)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		byTool := e.URL(t)
		s := withSteps(t, byTool, program)
		for _, step := range []string{"0001_a", "0002_b"} {
			if err := runScript(t, byTool, migrationFile(t, s, program, step)); err != nil {
				t.Fatalf("%s: %v", step, err)
			}
		}
		if err := errors.Join(s.CheckTables(t.Context()), s.Migrate(t.Context())); err != nil {
			t.Error(err)
		}
		migrated := withSteps(t, e.URL(t), program)
		if err := migrated.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := readHistory(t.Context(), s.pool)
		want, err2 := readHistory(t.Context(), migrated.pool)
		if err := errors.Join(err, err2); err != nil || !got.byHost || want.byHost {
			t.Errorf("by the host: %t and %t (%v)", got.byHost, want.byHost, err)
		}
		if diff := cmp.Diff(want.applied, got.applied); diff != "" {
			t.Error(diff)
		}
		var times []string
		if err := s.pool.DB.Select(&times, "SELECT applied_at FROM learning_migrations"); err != nil ||
			len(times) != 3 {
			t.Errorf("times: %v (%v)", times, err)
		}
		for _, at := range times {
			if age, err := time.Parse("2006-01-02 15:04:05.000000", at); err != nil ||
				time.Since(age).Abs() > time.Minute {
				t.Errorf("a step was applied at %q (%v)", at, err)
			}
		}
	})
}

func TestMigrate_ToolOfTheHostMigrates_OnlyChecks(t *testing.T) {
	first := steps("0001_a", createA)
	both := maps.Clone(first)
	maps.Copy(both, steps("0002_b", createB))
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		s := withSteps(t, url, both)
		if err := runScript(t, url, migrationFile(t, s, first, "0001_a")); err != nil {
			t.Fatal(err)
		}
		const want = "older than this program, it lacks 0002_b: run your migration tool"
		for _, err := range []error{s.Migrate(t.Context()), s.CheckTables(t.Context())} {
			if !errors.Is(err, ErrOldTables) || !strings.Contains(err.Error(), want) {
				t.Errorf("got the error %v, want one with %q", err, want)
			}
		}
		missing, err := s.MissingSteps(t.Context())
		if err != nil || !slices.Equal(missing, []string{"0002_b"}) {
			t.Errorf("missing: %v (%v)", missing, err)
		}
		if _, err := s.pool.DB.Exec("SELECT id FROM b"); !s.dialect.isMissingTable(err) {
			t.Errorf("the table of the missing step: %v", err)
		}

		// The host hands the database over, as docs/operations.md says.
		_, err = s.writer.Exec("DELETE FROM learning_migrations WHERE name = 'migrated_by_host'")
		if err := errors.Join(err, s.Migrate(t.Context()), s.CheckTables(t.Context())); err != nil {
			t.Errorf("after the row was deleted: %v", err)
		}
	})
}

// A tool may have begun the first file on MySQL, and not ended it.
func TestMigrate_ToolOfTheHostHasBegun_IsOld(t *testing.T) {
	enginetest.Each(t, enginetest.MySQLServers, func(t *testing.T, e enginetest.Engine) {
		program := steps("0001_a", createA)
		url := e.URL(t)
		s := withSteps(t, url, program)
		file := statements(migrationFile(t, s, program, "0001_a"))
		begun := strings.Join(file[:3], ";\n")
		if err := runScript(t, url, begun); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{s.Migrate(t.Context()), s.CheckTables(t.Context())} {
			if !errors.Is(err, ErrOldTables) {
				t.Errorf("got the error %v", err)
			}
		}
	})
}

func TestMigrationFiles_MigrateHasMigrated_FailAndChangeNothing(t *testing.T) {
	first := steps("0001_a", createA)
	both := maps.Clone(first)
	maps.Copy(both, steps("0002_b", createB))
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		s := withSteps(t, url, first)
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, step := range []string{"0001_a", "0002_b"} {
			err := runScript(t, url, migrationFile(t, s, both, step))
			if err == nil || !strings.Contains(err.Error(), refusal) {
				t.Errorf("%s: got the error %v, want one with %q", step, err, refusal)
			}
		}
		if n := count(t, s, "learning_migrations"); n != 1 {
			t.Errorf("%d rows are recorded", n)
		}
		if _, err := s.pool.DB.Exec("SELECT id FROM b"); !s.dialect.isMissingTable(err) {
			t.Errorf("the table of a refused file: %v", err)
		}

		// The host takes the database over, as docs/operations.md says.
		if _, err := s.writer.Exec(`INSERT INTO learning_migrations (name, checksum, applied_at)
			VALUES ('migrated_by_host', '', '')`); err != nil {
			t.Fatal(err)
		}
		if err := runScript(t, url, migrationFile(t, s, both, "0002_b")); err != nil {
			t.Errorf("after the row was inserted: %v", err)
		}
		if err := withSteps(t, url, both).CheckTables(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// On MySQL each change of a table is committed at once.
func TestMigrationFiles_InterruptedAfterEachStatement_RunAgain(t *testing.T) {
	program := steps(
		"0001_a", "CREATE TABLE IF NOT EXISTS {a} (id BIGINT NOT NULL PRIMARY KEY, old BIGINT NULL, "+
			"KEY {index a_by_old} (old))",
		"0002_change", "ALTER TABLE {a} ADD COLUMN note VARCHAR(9) NOT NULL DEFAULT 'it''s';\n"+
			"CREATE UNIQUE INDEX {index a_by_note} ON {a} (note);\n"+
			"ALTER TABLE {a} DROP KEY {index a_by_old};\n"+
			"ALTER TABLE {a} DROP COLUMN old;\nUPDATE {a} SET note = 'new' WHERE id = 1")
	enginetest.Each(t, enginetest.MySQLServers, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		s := withSteps(t, url, program)
		for _, step := range []string{"0001_a", "0002_change"} {
			file := migrationFile(t, s, program, step)
			list := statements(file)
			for last := range list {
				if err := runScript(t, url, strings.Join(list[:last+1], ";\n")); err != nil {
					t.Fatalf("%s, interrupted after %s: %v", step, list[last], err)
				}
			}
			if err := runScript(t, url, file); err != nil {
				t.Fatalf("%s, run again: %v", step, err)
			}
		}
		if err := s.CheckTables(t.Context()); err != nil {
			t.Error(err)
		}
		var columns, keys []string
		err := errors.Join(
			s.pool.DB.Select(&columns, `SELECT CONCAT(column_name, ' ', column_type, ' ', is_nullable)
				FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'a'
				ORDER BY column_name`),
			s.pool.DB.Select(&keys, `SELECT CONCAT(index_name, ' ', non_unique, ' ', column_name)
				FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'a'
				ORDER BY index_name`))
		want := []string{"id bigint NO", "note varchar(9) NO", "a_by_note 0 note", "PRIMARY 0 id"}
		got := append(columns, keys...)
		for i := range got {
			got[i] = strings.Replace(got[i], "bigint(20)", "bigint", 1) // MariaDB
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s (%v)", diff, err)
		}
	})
}

// A program whose tables are made by others needs no right to make tables.
func TestMigrate_UserWithoutTheRightToCreateTables(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		rawURL := e.URL(t)
		s := migrated(t, rawURL)
		u, err := url.Parse(rawURL)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.Trim(u.Path, "/")
		create := []string{"CREATE USER limited", "GRANT SELECT, INSERT, UPDATE, DELETE ON " + name +
			".* TO limited"}
		drop := []string{"DROP USER limited"}
		if e.Name == "PostgreSQL" {
			create = []string{"CREATE ROLE limited LOGIN", "REVOKE CREATE ON SCHEMA public FROM public",
				"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO limited"}
			drop = []string{"DROP OWNED BY limited", "DROP ROLE limited"}
		}
		for _, statement := range create {
			s.writer.MustExec(statement)
		}
		t.Cleanup(func() {
			for _, statement := range drop {
				s.writer.MustExec(statement)
			}
		})
		u.User = url.User("limited")
		limited := opened(t, u.String())
		if _, err := limited.writer.Exec("CREATE TABLE other (id BIGINT)"); err == nil {
			t.Fatal("the user may create tables")
		}
		if err := limited.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestMigrationFiles_UnknownEngine_ReturnsError(t *testing.T) {
	if _, err := MigrationFiles("oracle", Names{}, testMigrations()); err == nil {
		t.Error("no error")
	}
}

// A version of the program that does not know the row of the host takes it as a step.
func TestHostMark_UnknownToTheProgram_IsANewerDatabase(t *testing.T) {
	program, err := ReadSteps(sqldriver.SQLite, steps("0001_a", createA, "9999_z", createB))
	if err != nil {
		t.Fatal(err)
	}
	rows := []appliedStep{{Name: "0001_a", Sum: program[0].sum}, {Name: hostMark}}
	for _, applied := range [][]appliedStep{rows, rows[1:]} {
		_, err := missingSteps(program, applied)
		if err == nil || !strings.Contains(err.Error(), "newer than this program") {
			t.Errorf("got the error %v", err)
		}
	}
}
