package sqldb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

const (
	createRooms = "CREATE TABLE {rooms} (\n\tid BIGINT NOT NULL PRIMARY KEY\n)"
	createBeds  = "CREATE TABLE {beds} (\n\tid BIGINT NOT NULL PRIMARY KEY\n)"
)

// relations returns the names in a database.
func relations(tb testing.TB, s *DB) (names []string) {
	tb.Helper()
	if err := s.pool.DB.Select(&names, s.dialect.listNames); err != nil {
		tb.Fatal(err)
	}
	slices.Sort(names)
	return names
}

// Whatever of a host has a name that the program needs, the migration changes nothing.
func TestMigrate_NameIsTaken_ChangesNothing(t *testing.T) {
	hosts := map[string][]string{ // by the engine; "" is each of them
		"":       {"CREATE TABLE rooms (note BIGINT)", "CREATE VIEW rooms AS SELECT 1 AS note"},
		"sqlite": {"CREATE TABLE Rooms (note BIGINT)", "CREATE INDEX rooms ON hosts (note)"},
		"postgres": {"CREATE INDEX rooms ON hosts (note)", "CREATE SEQUENCE rooms",
			"CREATE TYPE rooms AS ENUM ('a')", "CREATE MATERIALIZED VIEW rooms AS SELECT 1 AS note"},
	}
	program := steps("0001_rooms", createRooms, "0002_beds", createBeds)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		ofEngine := func(s *DB) []string { return slices.Concat(hosts[""], hosts[s.dialect.Name]) }
		for i := range ofEngine(opened(t, e.URL(t))) {
			url := e.URL(t)
			s := withSteps(t, url, program)
			statement := ofEngine(s)[i]
			s.writer.MustExec("CREATE TABLE hosts (note BIGINT)")
			s.writer.MustExec(statement)
			before := relations(t, s)
			for range 2 { // the second time as the first
				err := s.Migrate(t.Context())
				if !errors.Is(err, ErrTablesTaken) || !strings.Contains(err.Error(), ": rooms;") ||
					!strings.Contains(err.Error(), "prefix") {
					t.Errorf("%s: %v", statement, err)
				}
			}
			if after := relations(t, s); !slices.Equal(after, before) {
				t.Errorf("%s: the database has %v, and had %v", statement, after, before)
			}
			named := opened(t, url, func(c *Config) { c.Names.Prefix = "lectern_" })
			named.migrations = program
			if err := named.Migrate(t.Context()); err != nil {
				t.Errorf("%s: with a prefix: %v", statement, err)
			}
		}
	})
}

// A later version of the program may need a name that the host has taken meanwhile.
func TestMigrate_NameOfALaterStepIsTaken_ChangesNothing(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		if err := withSteps(t, url, steps("0001_rooms", createRooms)).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := withSteps(t, url, steps("0001_rooms", createRooms, "0002_word",
			"CREATE TABLE {words} (id BIGINT NOT NULL PRIMARY KEY)", "0003_beds", createBeds))
		s.writer.MustExec("CREATE TABLE beds (note BIGINT)")
		before := relations(t, s)
		err := s.Migrate(t.Context())
		if !errors.Is(err, ErrTablesTaken) || !strings.Contains(err.Error(), ": beds;") ||
			strings.Contains(err.Error(), "prefix") {
			t.Errorf("got the error %v", err)
		}
		if after := relations(t, s); !slices.Equal(after, before) {
			t.Errorf("the database has %v, and had %v", after, before)
		}
		s.writer.MustExec("DROP TABLE beds")
		if err := s.Migrate(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// The tables of a step that was interrupted are those of the program, wherever that was.
func TestMigrate_InterruptedAtEachStatement_Continues(t *testing.T) {
	rooms := createRooms + ";\n" + strings.ReplaceAll(createRooms, "rooms", "doors")
	beds := createBeds + ";\nALTER TABLE {beds} ADD COLUMN size BIGINT"
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		program := steps("0001_rooms", rooms, "0002_beds", beds)
		for at := int64(1); ; at++ {
			s := withSteps(t, e.URL(t), program)
			var statements atomic.Int64
			faulty := s.WithFaults(func(context.Context, string) error {
				if statements.Add(1) == at {
					return errInjected
				}
				return nil
			})
			err := faulty.Migrate(t.Context())
			if statements.Load() < at { // there is no such statement
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err := s.Migrate(t.Context()); err != nil {
				t.Errorf("after an interruption at statement %d: %v", at, err)
			}
			if _, err := s.pool.DB.Exec("SELECT size FROM beds"); err != nil {
				t.Errorf("after an interruption at statement %d: %v", at, err)
			}
		}
	})
}

// A file for a tool of the host does not change the tables of the host either, and can run again
// after an interruption.
func TestMigrationFiles_NameIsTaken_Fail(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		program := steps("0001_rooms", createRooms+";\nALTER TABLE {rooms} ADD COLUMN size BIGINT")
		s := withSteps(t, url, program)
		file := migrationFile(t, s, program, "0001_rooms")
		s.writer.MustExec("CREATE TABLE rooms (note BIGINT)")
		s.writer.MustExec("INSERT INTO rooms (note) VALUES (1)")
		for range 2 {
			if err := runScript(t, url, file); err == nil {
				t.Error("the file succeeded beside a table of the host")
			}
		}
		if _, err := s.pool.DB.Exec("SELECT size FROM rooms"); err == nil {
			t.Error("the table of the host has a new column")
		}
		if h, err := s.history(t.Context()); err != nil || !h.isEmpty() {
			t.Errorf("the history: %+v, %v", h, err)
		}
		s.writer.MustExec("DROP TABLE rooms")
		for range 2 { // it can run again
			if err := runScript(t, url, file); err != nil && s.dialect.Name == "mysql" {
				t.Error(err)
			}
		}
		if err := s.CheckTables(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestStep_Created(t *testing.T) {
	for _, d := range []*Dialect{&sqliteDialect, &mysqlDialect, &postgresDialect} {
		list, err := d.readSteps(steps("0001_a", `-- CREATE TABLE {comment} (
CREATE TABLE {a} (
	id VARCHAR(64) NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX {index a_by_id} ON {a} (id)`))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"a", "a_by_id"}
		if d.Name == "mysql" { // whose indexes have names of their table
			want = want[:1]
		}
		if got := list[0].created(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", d.Name, got, want)
		}
	}
}
