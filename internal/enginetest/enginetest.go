package enginetest

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"

	"github.com/openlectern/openlectern/internal/testrun"
)

var (
	sharedMariaDB    = shared{engine: mariaDB}
	sharedMySQL      = shared{engine: mySQL}
	sharedPostgreSQL = shared{engine: postgreSQL}
	sharedGalera     = shared{engine: galera}
)

// Main runs the tests of a package, stops every server that they started, removes its data, and
// exits. Call it from TestMain:
//
//	func TestMain(m *testing.M) { enginetest.Main(m) }
//
// If TMPDIR is not set, Main puts the temporary files of the tests into memory, where the system
// has a folder for that. Unless the flag -parallel is given, Main runs two tests for each processor
// at the same time, and unless GOGC is set, it makes the garbage collector run less often.
func Main(m *testing.M, opts ...Option) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	sharedMariaDB.logs = o.lockFirst // isMet reads the log after the tests

	// Stop the servers also if the user interrupts the tests.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		servers.close()
		os.Exit(1)
	}()

	// Prepare the process, and allow tests to start servers. servers.close must follow, because
	// os.Exit runs no deferred function.
	useMemory()
	runMoreInParallel()
	collectLess()
	servers.open()
	code := m.Run()
	if !o.isMet() {
		code = 1
	}
	servers.close()
	os.Exit(code)
}

// Option is what [Main] checks beside the tests.
type Option func(*options)

type options struct {
	lockFirst bool              // whether LockFirst is given
	excused   map[string]string // its argument
}

// isMet reports whether everything that the options ask for holds: with LockFirst, no transaction
// breaks its rule. It prints what does not hold.
func (o options) isMet() bool {
	if !o.lockFirst || sharedMariaDB.server == nil { // no test has started the server
		return true
	}
	lines, err := checkLockFirst(sharedMariaDB.server, o.excused)
	if err != nil {
		lines = append(lines, err.Error())
	}
	for _, line := range lines {
		fmt.Println("--- FAIL: a transaction " + line +
			"\nLock first, then read: see lockUser in package learning.")
	}
	return len(lines) == 0
}

// MariaDB returns the URL, mysql://root@127.0.0.1:PORT/NAME, of a fresh and empty database on the
// MariaDB of this test process. The database is dropped when the test ends, which fails if a
// transaction is still open in it.
func MariaDB(tb testing.TB) string {
	tb.Helper()
	return sharedMariaDB.database(tb)
}

// MySQL is like MariaDB, on genuine MySQL, which must be unpacked in the folder that the
// environment variable LEARNING_TEST_MYSQL_ROOT names, by default .cache/mysql of the module.
func MySQL(tb testing.TB) string {
	tb.Helper()
	return sharedMySQL.database(tb)
}

// idleAdmins is the number of idle connections of the administrator. For each new one, PostgreSQL
// starts a process.
const idleAdmins = 4

// shared is the one server of an engine that all tests of a process use.
type shared struct {
	engine engine
	logs   bool // whether the server writes a log of all statements
	once   sync.Once
	server *instance // nil until a test has started it
	err    error     // of the start

	reused reused
}

// database creates a database on the shared server, and returns its URL. It starts the server if it
// does not run. The database is dropped when the test ends. Dropping fails while a transaction is
// open, because it waits for the locks of the transaction.
func (s *shared) database(tb testing.TB) string {
	tb.Helper()
	s.start(tb)
	name := s.server.nextName()
	if err := s.server.create(name); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.server.drop(name); err != nil {
			tb.Errorf("%v (is a transaction still open in it?)", err)
		}
	})
	return s.server.url(name)
}

// start starts the server if it does not run. If the engine is not installed, or the server does
// not start, it ends the test.
func (s *shared) start(tb testing.TB) {
	tb.Helper()
	program := s.engine.need(tb)
	s.once.Do(func() {
		s.server, s.err = s.engine.start(program)
		if s.err != nil {
			return
		}
		// No test stops this server, so that its connections stay usable. Those to a node of a
		// cluster are new each time, because tests set global variables, such as whether reads wait
		// for the changes of the other nodes, and only new connections have these.
		if s.server.cluster == nil {
			s.server.admin.SetMaxIdleConns(idleAdmins)
		}
		if s.logs {
			s.err = s.server.logStatements()
		}
	})
	if s.err != nil {
		tb.Fatalf("start the %s of the tests: %v", s.engine.name, s.err)
	}
}

// need returns the engine's program. It skips the test unless the engine is required, and fails it
// if the engine is not installed.
func (e engine) need(tb testing.TB) program {
	tb.Helper()
	if !servers.isOpen() {
		tb.Fatal(
			"enginetest: this package has no func TestMain(m *testing.M) { enginetest.Main(m) }")
	}
	program, err := e.find()
	testrun.NeedEngine(tb, e.name, err)
	return program
}
