//go:build linux

package faultbench

import (
	"strings"
	"syscall"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// node is a database server that faults happen to. Its methods end the test if they fail, so they
// are called from the goroutine of the test.
type node interface {
	Freeze() // keeps its connections, and answers nothing until Thaw
	Thaw()
	Kill()
	Start() // returns when the server answers again
}

// processNode is a node that has a process for each connection.
type processNode interface {
	node
	EndSessions() // half of them, chosen at random, as an administrator does
	KillProcess() // with kill -9, that of a random connection
	Await()       // returns when the server answers again
}

// postgresNode is a PostgreSQL. Its Kill leaves none of its processes the time to end in order.
type postgresNode struct{ *enginetest.Server }

// Kill implements [node].
func (n postgresNode) Kill() { n.KillAll() }

// sessions are the connections to the database of the servers.
const sessions = " FROM pg_stat_activity WHERE datname = 'lectern'"

// EndSessions implements [processNode]. It ignores an error, because the server may be starting.
func (n postgresNode) EndSessions() {
	_, _ = n.Admin().Exec("SELECT pg_terminate_backend(pid)" + sessions + " AND random() < 0.5")
}

// KillProcess implements [processNode]. The server then ends all connections, and recovers as after
// a crash. It kills none if there is no connection, or if the server does not answer.
func (n postgresNode) KillProcess() {
	var pid int
	err := n.Admin().QueryRow("SELECT pid" + sessions + " ORDER BY random() LIMIT 1").Scan(&pid)
	if err == nil {
		_ = syscall.Kill(pid, syscall.SIGKILL) // the connection may have been closed
	}
}

// pooler is a proxy of the database with connections of its own, to which faults happen.
type pooler interface {
	Kill()
	Start()
}

// engine is what the servers of a run use as their database.
type engine struct {
	servers int      // reference servers
	nodes   []node   // database servers
	poolers []pooler // between reference servers and the database
	urls    []string // of the database: that of each reference server, and perhaps of more nodes
}

// engines open the engines of a run, by name. A new one needs a line here.
var engines = map[string]func(tb testing.TB) engine{
	"sqlite": func(tb testing.TB) engine {
		return engine{servers: 1, urls: []string{enginetest.SQLite(tb)}}
	},
	"mariadb": func(tb testing.TB) engine {
		server := enginetest.StartMariaDB(tb)
		address := server.URL("lectern")
		return engine{servers: 2, nodes: []node{server}, urls: []string{address, address}}
	},
	"postgres": func(tb testing.TB) engine {
		// The second server reaches the database through a pgbouncer.
		server := enginetest.StartPostgreSQL(tb)
		address := server.URL("lectern")
		bouncer := enginetest.StartPgBouncer(tb, address)
		return engine{servers: 2, nodes: []node{postgresNode{server}}, poolers: []pooler{bouncer},
			urls: []string{address, bouncer.URL}}
	},
	"galera": func(tb testing.TB) engine {
		// Other nodes exclude one that is frozen after five seconds, and not after the minute that
		// other tests use on a busy machine.
		cluster := enginetest.StartGalera(tb, "evs.suspect_timeout=PT5S")
		e := engine{servers: 2, urls: cluster.URLs("lectern")}
		for _, server := range cluster {
			e.nodes = append(e.nodes, server)
		}
		return e
	},
}

// isSQLite reports whether the database is a file.
func (e engine) isSQLite() bool { return strings.HasPrefix(e.urls[0], "sqlite:") }
