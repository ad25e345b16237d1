package enginetest

import (
	"path/filepath"
	"testing"
)

// Engine is a kind of database that tests run on.
type Engine struct {
	Name string // also the name of its subtests
	// URL returns the URL of a fresh and empty database, which is removed when the test ends.
	URL func(tb testing.TB) string
	// Reused returns the URL of a database without rows, which has the tables of the last test that used it, or none. It
	// saves the time of creating them. It is for tests that change no table otherwise than by the migrations of the store.
	Reused func(tb testing.TB) string
}

var (
	// Dialects are one engine for each dialect of SQL that the store speaks.
	Dialects = []Engine{{"SQLite", SQLite, SQLite}, {"MariaDB", MariaDB, sharedMariaDB.reuse}}
	// Servers are the engines that are servers.
	Servers = []Engine{{"MariaDB", MariaDB, sharedMariaDB.reuse}, {"MySQL", MySQL, sharedMySQL.reuse}}
	// All are all engines.
	All = []Engine{{"SQLite", SQLite, SQLite}, {"MariaDB", MariaDB, sharedMariaDB.reuse}, {"MySQL", MySQL, sharedMySQL.reuse}}
	// Cluster is the engine that has several servers. Its URLs are those of the first one. Tests on it are left out unless
	// LEARNING_TEST_REQUIRE lists galera.
	Cluster = Engine{"Galera", sharedGalera.database, sharedGalera.reuse}
)

// SQLite returns the URL, sqlite:PATH, of a database whose file does not exist yet, in a temporary folder of the test.
// It works without Main.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "learning.db")
}

// Each runs a test or a benchmark on each of some engines, as a subtest with the name of the engine.
func Each[T interface {
	testing.TB
	Run(name string, f func(T)) bool
}](t T, engines []Engine, test func(t T, e Engine)) {
	t.Helper()
	for _, e := range engines {
		t.Run(e.Name, func(t T) { test(t, e) })
	}
}
