package sqldb

import (
	"errors"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

func TestCheckTables_TellsWhatADatabaseHas(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		s := opened(t, url)
		// No tables, also the second time: the check has made none.
		for range 2 {
			if err := s.CheckTables(t.Context()); !errors.Is(err, ErrNoTables) {
				t.Errorf("no tables: %v", err)
			}
		}
		// The tables of an older version.
		old := withSteps(t, url, steps("0001_a", createA))
		if err := old.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		two := withSteps(t, url, steps("0001_a", createA, "0002_b", createB))
		for range 2 {
			if err := two.CheckTables(t.Context()); !errors.Is(err, ErrOldTables) {
				t.Errorf("older tables: %v", err)
			}
		}
		// Those of this version, and of a newer one.
		if err := two.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := two.CheckTables(t.Context()); err != nil {
			t.Errorf("tables of this version: %v", err)
		}
		if err := old.CheckTables(t.Context()); err == nil ||
			!strings.Contains(err.Error(), "newer than this program") {
			t.Errorf("newer tables: %v", err)
		}
	})
}
