//go:build linux

package faultbench

import (
	"strings"
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

// engine is what the servers of a run use as their database.
type engine struct {
	servers int      // reference servers
	nodes   []node   // database servers
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
		server := enginetest.StartPostgreSQL(tb)
		address := server.URL("lectern")
		return engine{servers: 2, nodes: []node{server}, urls: []string{address, address}}
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
