package enginetest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// PgBouncer starts a pgbouncer in transaction mode, with few connections to the server, in front of
// the PostgreSQL of a URL, and returns the URL through it. It ends with the test.
func PgBouncer(tb testing.TB, database string) string {
	tb.Helper()
	program, missing := lookUp("pgbouncer")
	Need(tb, "pgbouncer", missing)
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
	log := filepath.Join(dir, "log")
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
logfile = %s
`, u.Hostname(), u.Port(), host, port, log)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		tb.Fatal(err)
	}
	if os.Getuid() == 0 { // whom pgbouncer refuses
		if err := giveToNobody(dir); err != nil {
			tb.Fatal(err)
		}
	}
	p, err := spawn([]string{program, file}, asNobody(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.ended
		if text, _ := os.ReadFile(log); strings.Contains(string(text), "FATAL") {
			tb.Errorf("the pgbouncer ended by itself:\n%s", text)
		}
	})
	u.Host = address
	awaitAnswer(tb, u.String(), log)
	return u.String()
}

// asNobody is how a program runs that refuses to run as root.
func asNobody() program { return program{asNobody: os.Getuid() == 0} }

// awaitAnswer waits until a database answers. If it does not, the test fails with the text of a log.
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
