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
	// Reused returns the URL of a database without rows, which has the tables of the last test that
	// used it, or none. It saves the time of creating them. It is for tests that change no table
	// otherwise than by the migrations of the store.
	Reused func(tb testing.TB) string
}

var (
	// Dialects are one engine for each dialect of SQL that the store speaks.
	Dialects = []Engine{{Name: "SQLite", URL: SQLite, Reused: SQLite},
		{Name: "MariaDB", URL: MariaDB, Reused: sharedMariaDB.reuse}}
	// Repeated are Dialects for tests that run an operation again and again, such as once for each
	// of its steps. That takes long on a server, so `make test` leaves it to `make verify`: it lists
	// "repeated" in LEARNING_TEST_LEAVE_OUT.
	Repeated = []Engine{{Name: "SQLite", URL: SQLite, Reused: SQLite},
		{Name: "MariaDB", URL: repeated(MariaDB), Reused: repeated(sharedMariaDB.reuse)}}
	// Servers are the engines that are servers.
	Servers = []Engine{{Name: "MariaDB", URL: MariaDB, Reused: sharedMariaDB.reuse},
		{Name: "MySQL", URL: MySQL, Reused: sharedMySQL.reuse}}
	// All are all engines.
	All = []Engine{{Name: "SQLite", URL: SQLite, Reused: SQLite},
		{Name: "MariaDB", URL: MariaDB, Reused: sharedMariaDB.reuse},
		{Name: "MySQL", URL: MySQL, Reused: sharedMySQL.reuse}}
	// Cluster is the engine that has several servers. Its URLs are those of the first one. Tests on
	// it are left out unless LEARNING_TEST_REQUIRE lists galera.
	Cluster = Engine{Name: "Galera", URL: sharedGalera.database, Reused: sharedGalera.reuse}
)

// repeated returns url for tests that take long: it skips a test on a server if
// LEARNING_TEST_LEAVE_OUT lists "repeated".
func repeated(url func(testing.TB) string) func(testing.TB) string {
	return func(tb testing.TB) string {
		tb.Helper()
		Need(tb, "repeated", nil)
		return url(tb)
	}
}

// SQLite returns the URL, sqlite:PATH, of a database whose file does not exist yet, in a temporary
// folder of the test. It works without Main.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "learning.db")
}

// Each runs a test or a benchmark on each of some engines, as a subtest with the name of the
// engine.
func Each[T interface {
	testing.TB
	Run(name string, f func(T)) bool
}](t T, engines []Engine, test func(t T, e Engine)) {
	t.Helper()
	for _, e := range engines {
		t.Run(e.Name, func(t T) { test(t, e) })
	}
}
