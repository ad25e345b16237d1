package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// standby is PostgreSQL with a second server that streams the changes of the first.
var standby = engine{name: "standby", find: findPostgres, start: startNew}

// Pair is a PostgreSQL and its synchronous standby, of one test, which may end and freeze both and
// promote the standby. The primary answers a COMMIT after both servers have it on disk. It does not
// answer while it has no standby.
type Pair struct{ Primary, Standby *Server }

// StartPair starts a primary and its standby for one test. They are removed when the test ends.
func StartPair(tb testing.TB) Pair {
	tb.Helper()
	primary := startServer(tb, standby)
	second, err := newInstance(primary.instance.program)
	if err == nil {
		removeWithTest(tb, second)
		err = follow(second, primary.instance)
	}
	if err == nil {
		err = second.start()
	}
	if err == nil {
		err = primary.instance.awaitStandby()
	}
	if err != nil {
		tb.Fatalf("start a standby: %v", err)
	}

	// The primary waits for a standby only now, because it has one.
	primary.Configure("synchronous_standby_names", "*")
	return Pair{Primary: primary, Standby: &Server{tb: tb, instance: second}}
}

// follow gives a new server a copy of the data of a running one, and makes it a standby of that.
func follow(second, first *instance) error {
	second.program.install = []string{
		filepath.Join(filepath.Dir(first.program.serve[0]), "pg_basebackup"),
		"--host=127.0.0.1", "--port=" + strconv.Itoa(first.port), "--username=postgres",
		"--checkpoint=fast", "--no-sync", "--write-recovery-conf",
	}
	return second.runInstaller()
}

// awaitStandby waits until a standby receives the changes of a server.
func (s *instance) awaitStandby() error {
	for end := time.Now().Add(startTimeout); ; time.Sleep(pollInterval) {
		var streaming bool
		err := s.admin.QueryRow(
			"SELECT EXISTS (SELECT 1 FROM pg_stat_replication WHERE state = 'streaming')").
			Scan(&streaming)
		if streaming {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("no standby streams: %v", err)
		}
	}
}

// URL creates a database on the primary, and so on the standby, unless it exists. It returns its
// URL with both hosts.
func (p Pair) URL(name string) string {
	p.Primary.tb.Helper()
	first := p.Primary.URL(name)
	port := strconv.Itoa(p.Primary.instance.port)
	return strings.Replace(first, ":"+port+"/",
		":"+port+",127.0.0.1:"+strconv.Itoa(p.Standby.instance.port)+"/", 1)
}

// Promote makes a standby accept writes, and returns when it does. It does not end the server that
// was the primary.
func (s *Server) Promote() {
	s.tb.Helper()
	var done bool
	if err := s.instance.admin.QueryRow("SELECT pg_promote()").Scan(&done); err != nil || !done {
		s.tb.Fatalf("promote: %v (%v)", done, err)
	}
}

// Configure changes a setting of a PostgreSQL that takes effect without a restart. The server keeps
// it when it restarts. The setting has taken effect when Configure returns.
func (s *Server) Configure(name, value string) {
	s.tb.Helper()
	for _, statement := range []string{
		fmt.Sprintf("ALTER SYSTEM SET %s = '%s'", name, value),
		"SELECT pg_reload_conf()",
	} {
		if err := s.instance.exec(statement); err != nil {
			s.tb.Fatal(err)
		}
	}
	for end := time.Now().Add(statementTimeout); ; time.Sleep(pollInterval) {
		var got string
		err := s.instance.admin.QueryRow("SHOW " + name).Scan(&got) // on a new connection
		if err == nil && got == value {
			return
		}
		if time.Now().After(end) {
			s.tb.Fatalf("%s is %q, want %q: %v", name, got, value, err)
		}
	}
}

// LogStatements makes a PostgreSQL log each statement that it receives, as lines of JSON, and
// returns the file.
func (s *Server) LogStatements() (file string) {
	s.tb.Helper()
	s.Configure("log_destination", "jsonlog")
	s.Configure("log_statement", "all")
	return strings.TrimSuffix(s.instance.errorLog(), ".log") + ".json"
}

// Crash ends all processes of a PostgreSQL at once with SIGKILL, which tells its clients nothing.
// It returns after they have ended. It also removes the System V segment that the server leaves.
func (s *Server) Crash() {
	s.tb.Helper()
	s.Freeze() // so that no process starts another one
	segment := sharedSegment(s.instance.data())
	s.end(syscall.SIGKILL)
	removeSegment(segment)
}

// sharedSegment returns the id of the System V segment of a PostgreSQL, from the last line but one
// of its pid file, or -1.
func sharedSegment(data string) int {
	text, _ := os.ReadFile(filepath.Join(data, "postmaster.pid")) // "" has no such line
	lines := strings.Split(string(text), "\n")
	const line = 6 // the key and the id of the segment
	if len(lines) <= line {
		return -1
	}
	fields := strings.Fields(lines[line])
	if len(fields) != 2 {
		return -1
	}
	id, err := strconv.Atoi(fields[1])
	if err != nil {
		return -1
	}
	return id
}
