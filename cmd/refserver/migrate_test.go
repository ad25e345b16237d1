package main

import (
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

func TestDatabasePrefix_IsThatOfAllTables(t *testing.T) {
	t.Parallel()
	env := inProduction(t.TempDir())
	env["LEARNING_DATABASE_PREFIX"] = "lectern_"
	for _, args := range [][]string{{"migrate"}, {"events", "list"}} {
		if code, _, stderr := commandWith(t, env, args...); code != 0 {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
	}
	tables := enginetest.TableNames(t, openDatabase(t, env["LEARNING_DATABASE"]))
	for _, table := range tables {
		if !strings.HasPrefix(table, "lectern_") {
			t.Errorf("the table %s has no prefix", table)
		}
	}
	if len(tables) < 38 {
		t.Errorf("only the tables %v", tables)
	}

	// Another prefix is another platform, which has no tables yet.
	env["LEARNING_DATABASE_PREFIX"] = ""
	if code, _, stderr := commandWith(t, env, "events", "list"); code != 1 ||
		!strings.Contains(stderr, "the database has no tables of this program") {
		t.Errorf("without the prefix: exit code %d, %s", code, stderr)
	}
}
