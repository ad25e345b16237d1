package enginetest

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Pooler is a pgbouncer for one test, which may kill and start it again: it restarts on the same
// port. Its methods end the test if they fail: call them from the test's goroutine.
type Pooler struct {
	URL string // of the database, through the pooler

	tb      testing.TB
	file    string // its settings
	log     string
	process *process // nil while it is down
}

// PgBouncer starts a pgbouncer in transaction mode, with few connections to the server, in front of
// the PostgreSQL of a URL, and returns the URL through it. It ends with the test.
func PgBouncer(tb testing.TB, database string) string {
	tb.Helper()
	return StartPgBouncer(tb, database).URL
}

// NeedPgBouncer is [Need] for pgbouncer, for tests that begin with other work.
func NeedPgBouncer(tb testing.TB) {
	tb.Helper()
	_, missing := lookUp("pgbouncer")
	Need(tb, "pgbouncer", missing)
}

// StartPgBouncer is PgBouncer for tests that stop the pgbouncer.
func StartPgBouncer(tb testing.TB, database string) *Pooler {
	tb.Helper()
	NeedPgBouncer(tb)
	u, err := url.Parse(database)
	if err != nil {
		tb.Fatal(err)
	}
	dir, err := servers.newFolder()
	if err != nil {
		tb.Fatal(err)
	}
	address := FreeAddress(tb)
	host, port, _ := net.SplitHostPort(address)
	p := &Pooler{tb: tb, file: filepath.Join(dir, "pgbouncer.ini"), log: filepath.Join(dir, "log")}
	settings := fmt.Sprintf(`[databases]
* = host=%s port=%s user=postgres
[pgbouncer]
listen_addr = %s
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 500
server_login_retry = 1
logfile = %s
`, u.Hostname(), u.Port(), host, port, p.log)
	if err := os.WriteFile(p.file, []byte(settings), 0o644); err != nil {
		tb.Fatal(err)
	}
	if os.Getuid() == 0 { // whom pgbouncer refuses
		if err := giveToNobody(dir); err != nil {
			tb.Fatal(err)
		}
	}
	u.Host = address
	p.URL = u.String()
	tb.Cleanup(p.end)
	p.Start()
	return p
}

// Start starts the pgbouncer, unless it runs, and returns when the database answers through it.
func (p *Pooler) Start() {
	p.tb.Helper()
	if p.process != nil {
		return
	}
	program, _ := lookUp("pgbouncer") // StartPgBouncer has found it
	process, err := spawn([]string{program, p.file}, asNobody(), nil)
	if err != nil {
		p.tb.Fatal(err)
	}
	p.process = process
	awaitAnswer(p.tb, p.URL, p.log)
}

// ofPgBouncer is in the log of a pgbouncer that has ended by an error of its own: 1.18 takes some
// requests to cancel a statement for a client in an impossible state.
const ofPgBouncer = "in function disconnect_client(): bad client state"

// Kill ends the pgbouncer at once, and returns after it has ended. The test fails if it has ended
// by itself, unless by an error of its own.
func (p *Pooler) Kill() {
	p.tb.Helper()
	select {
	case <-p.process.ended:
		text, _ := os.ReadFile(p.log) // more for the message, if it is there
		report := p.tb.Errorf
		if bytes.Contains(text, []byte(ofPgBouncer)) {
			report = p.tb.Logf
		}
		report("the pgbouncer ended by itself: %v\n%s", p.process.err, text)
	default:
	}
	p.process.signal(syscall.SIGKILL)
	<-p.process.ended
	p.process = nil
}

// end ends the pgbouncer at the end of the test, unless it is down.
func (p *Pooler) end() {
	if p.process != nil {
		p.Kill()
	}
}

// asNobody is how a program runs that refuses to run as root.
func asNobody() program { return program{asNobody: os.Getuid() == 0} }

// awaitAnswer waits until a database answers. If it does not, the test fails with the text of a
// log.
func awaitAnswer(tb testing.TB, database, log string) {
	tb.Helper()
	db, err := OpenSQL(database)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	for end := time.Now().Add(startTimeout); ; time.Sleep(pollInterval) {
		err := db.PingContext(tb.Context())
		if err == nil {
			return
		}
		if time.Now().After(end) {
			text, _ := os.ReadFile(log) // more for the message, if it is there
			tb.Fatalf("%v\n%s", err, text)
		}
	}
}
