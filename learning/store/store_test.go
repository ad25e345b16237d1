package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/openlectern/learning/internal/enginetest"
	"github.com/openlectern/learning/learning"
	"github.com/openlectern/learning/learning/store"
	"github.com/openlectern/learning/learning/store/storetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// engines are the databases that every test of behaviour runs on, each by the URL
// of a fresh one.
var engines = map[string]func(tb testing.TB) string{
	"SQLite":  sqliteURL,
	"MariaDB": enginetest.MariaDB,
	"MySQL":   enginetest.MySQL,
}

func sqliteURL(tb testing.TB) string { return "sqlite:" + filepath.Join(tb.TempDir(), "learning.db") }

// onEveryEngine runs a test on each.
func onEveryEngine(t *testing.T, test func(t *testing.T, url func(tb testing.TB) string)) {
	for name, url := range engines {
		t.Run(name, func(t *testing.T) { test(t, url) })
	}
}

// open opens a store that is closed when the test ends.
func open(tb testing.TB, url string, opts ...store.Option) *store.Store {
	tb.Helper()
	s, err := store.Open(context.Background(), url, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// migrated opens a store with all tables.
func migrated(tb testing.TB, url string, opts ...store.Option) *store.Store {
	tb.Helper()
	s := open(tb, url, opts...)
	if err := s.Migrate(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	onEveryEngine(t, func(t *testing.T, url func(tb testing.TB) string) {
		storetest.Run(t, func(tb testing.TB) learning.Store { return migrated(tb, url(tb)) })
	})
}
