package enginetest

import (
	"hash/fnv"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/internal/testrun"
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
	Dialects = []Engine{besideServers, onMariaDB, onPostgreSQL}
	// Repeated are Dialects for tests that run an operation again and again, such as once for each
	// of its steps. That takes long on a server, so `make test` leaves it to `make verify`: it
	// lists "repeated" in LEARNING_TEST_LEAVE_OUT.
	Repeated = []Engine{besideServers, repeated(onMariaDB), repeated(onPostgreSQL)}
	// AllRepeated are All for such tests.
	AllRepeated = []Engine{besideServers, repeated(onMariaDB), repeated(onMySQL),
		repeated(onPostgreSQL)}
	// Servers are the engines that are servers.
	Servers = []Engine{onMariaDB, onMySQL, onPostgreSQL}
	// MySQLServers are those of Servers with the protocol of MySQL.
	MySQLServers = []Engine{onMariaDB, onMySQL}
	// All are all engines.
	All = []Engine{besideServers, onMariaDB, onMySQL, onPostgreSQL}
	// Cluster is the engine that has several servers. Its URLs are those of the first one.
	Cluster = Engine{Name: "Galera", URL: sharedGalera.database, Reused: sharedGalera.reuse}
)

var (
	onSQLite     = Engine{Name: "SQLite", URL: SQLite, Reused: SQLite}
	onMariaDB    = Engine{Name: "MariaDB", URL: MariaDB, Reused: sharedMariaDB.reuse}
	onMySQL      = Engine{Name: "MySQL", URL: MySQL, Reused: sharedMySQL.reuse}
	onPostgreSQL = Engine{Name: "PostgreSQL", URL: PostgreSQL, Reused: sharedPostgreSQL.reuse}

	// besideServers is SQLite of tests that also run on a server. The race detector leaves it out:
	// it makes SQLite, which is in Go, several times slower, and its transactions wait for each
	// other.
	besideServers = unlessLeftOut("sqlite", onSQLite)
)

// Shared returns Dialects for a test of rules. They are the same on every engine, because the
// suites of the store run on each; so `make test` runs a test on SQLite and on one of the servers,
// by the name of the test, and leaves the other to `make verify`, as with Repeated. There the race
// detector runs on that other one only: it lists "everyday" and "sqlite" in
// LEARNING_TEST_LEAVE_OUT.
func Shared(test string) []Engine {
	name := fnv.New32a()
	_, _ = name.Write([]byte(test))
	if name.Sum32()%2 == 0 {
		return []Engine{besideServers, unlessLeftOut("everyday", onMariaDB), repeated(onPostgreSQL)}
	}
	return []Engine{besideServers, repeated(onMariaDB), unlessLeftOut("everyday", onPostgreSQL)}
}

// unlessLeftOut returns e for tests that are skipped if LEARNING_TEST_LEAVE_OUT lists the name.
func unlessLeftOut(name string, e Engine) Engine {
	ask := func(url func(testing.TB) string) func(testing.TB) string {
		return func(tb testing.TB) string {
			tb.Helper()
			testrun.LeaveOut(tb, name)
			return url(tb)
		}
	}
	return Engine{Name: e.Name, URL: ask(e.URL), Reused: ask(e.Reused)}
}

// repeated returns e for tests that take long: a database of it skips the test unless "repeated" is
// required.
func repeated(e Engine) Engine {
	return Engine{Name: e.Name, URL: ifRepeated(e.URL), Reused: ifRepeated(e.Reused)}
}

func ifRepeated(url func(testing.TB) string) func(testing.TB) string {
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
