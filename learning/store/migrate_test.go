package store

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
)

func TestMigrations_AreAFileForEachMigration(t *testing.T) {
	t.Parallel()
	for _, engine := range []Engine{SQLite, MySQL, PostgreSQL} {
		files, err := Migrations(engine, "lectern_")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, step := range stepsOf(t, engine) {
			names = append(names, step.Name+".up.sql")
		}
		if err := fstest.TestFS(files, names...); err != nil {
			t.Errorf("%s: %v", engine, err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil || !strings.Contains(string(text), "lectern_") ||
				strings.ContainsAny(string(text), "{}") {
				t.Errorf("%s: %s has no prefix, or marks (%v)", engine, name, err)
			}
		}
	}
}

func TestMigrations_InvalidArgument_ReturnsError(t *testing.T) {
	t.Parallel()
	for want, arguments := range map[string]struct {
		engine Engine
		prefix string
		opts   []Option
	}{
		`engine "oracle"`:   {engine: "oracle"},
		`prefix "a'b"`:      {engine: MySQL, prefix: "a'b"},
		`schema "school"`:   {engine: SQLite, opts: []Option{WithSchema("school")}},
		`schema "my class"`: {engine: PostgreSQL, opts: []Option{WithSchema("my class")}},
	} {
		_, err := Migrations(arguments.engine, arguments.prefix, arguments.opts...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want one with %s", err, want)
		}
	}
}

// An operation on a database that was not migrated, or with a wrong prefix, says so.
func TestStore_NotMigrated_OperationsReturnErrNoTables(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := opened(t, e.URL(t))
		_, err := s.User(t.Context(), "ada")
		if !errors.Is(err, ErrNoTables) {
			t.Errorf("a read: %v", err)
		}
		err = s.InTx(t.Context(), func(tx learning.Tx) error {
			_, err := tx.User(t.Context(), "ada")
			return err
		})
		if !errors.Is(err, ErrNoTables) {
			t.Errorf("a transaction: %v", err)
		}
		err = s.CheckTables(t.Context())
		if !errors.Is(err, ErrNoTables) || !strings.Contains(err.Error(), "call Store.Migrate") {
			t.Errorf("the check: %v", err)
		}
		if missing, err := s.MissingMigrations(t.Context()); err != nil ||
			len(missing) == 0 || missing[0] != "0001_schema" {
			t.Errorf("missing: %v (%v)", missing, err)
		}
	})
}
