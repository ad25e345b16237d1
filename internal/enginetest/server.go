package enginetest

import (
	"database/sql"
	"os"
	"runtime"
	"syscall"
	"testing"
)

// Server is a server for one test, which may stop and start it again: it restarts on the same port
// with the same data. Its methods end the test if they fail: call them from the test's goroutine.
type Server struct {
	tb       testing.TB
	instance *instance
	reused   reused
}

// StartMariaDB starts a server for one test. The server and its data are removed when the test
// ends.
func StartMariaDB(tb testing.TB) *Server {
	tb.Helper()
	return startServer(tb, mariaDB)
}

// StartPostgreSQL is StartMariaDB for PostgreSQL.
func StartPostgreSQL(tb testing.TB) *Server {
	tb.Helper()
	return startServer(tb, postgreSQL)
}

func startServer(tb testing.TB, e engine) *Server {
	tb.Helper()
	instance, err := startNew(e.need(tb))
	if err != nil {
		tb.Fatalf("start a %s: %v", e.name, err)
	}
	removeWithTest(tb, instance)
	return &Server{tb: tb, instance: instance}
}

// removeWithTest ends a server, which may be frozen, and removes its data when the test ends.
func removeWithTest(tb testing.TB, s *instance) {
	tb.Cleanup(func() {
		s.resume()
		if err := s.kill(); err != nil {
			tb.Error(err)
		}
		if err := os.RemoveAll(s.dir); err != nil {
			tb.Error(err)
		}
	})
}

// URL creates the database unless it exists and returns its URL, mysql://root@127.0.0.1:PORT/NAME.
// The name consists of letters, digits and underscores. The server must be running.
func (s *Server) URL(name string) string {
	s.tb.Helper()
	if err := s.instance.create(name); err != nil {
		s.tb.Fatal(err)
	}
	return s.instance.url(name)
}

// Reused returns the URL of a database without rows for the test of tb. It has the tables of the
// last test that used it, or none.
func (s *Server) Reused(tb testing.TB) string {
	tb.Helper()
	s.instance.admin.SetMaxIdleConns(idleAdmins)
	return s.reused.take(tb, s.instance)
}

// Stop shuts the server down in order, which takes a second or two, and returns after it has ended.
func (s *Server) Stop() {
	s.tb.Helper()
	s.end(s.instance.program.family.stop)
}

// Kill ends the server at once, like a power failure, and returns after it has ended.
func (s *Server) Kill() {
	s.tb.Helper()
	s.end(s.instance.program.family.kill)
}

// KillAll sends SIGKILL to each process of the server, and returns after it has ended. For engines
// of one process it is Kill. A PostgreSQL leaves behind what only an orderly end removes.
func (s *Server) KillAll() {
	s.tb.Helper()
	s.end(syscall.SIGKILL)
}

// Await returns when the server answers, such as after one of its processes was killed.
func (s *Server) Await() {
	s.tb.Helper()
	if err := s.instance.awaitReady(); err != nil {
		s.tb.Fatal(err)
	}
}

// Admin returns the pool for statements of the administrator. It keeps no idle connections.
func (s *Server) Admin() *sql.DB { return s.instance.admin }

// Freeze stops the server's process as it is: it keeps its connections, accepts new ones and
// answers nothing until Thaw.
func (s *Server) Freeze() {
	s.tb.Helper()
	s.signal(syscall.SIGSTOP)
	// A PostgreSQL has a process for each connection, and starts no more now. Wait for each,
	// because the system stops the threads of a process some time after the signal.
	pid := s.instance.process.command.Process.Pid
	for _, pid := range append(descendants(pid), pid) {
		_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
		for !isStopped(pid) {
			runtime.Gosched()
		}
	}
}

// Thaw lets a frozen server continue.
func (s *Server) Thaw() {
	s.tb.Helper()
	if !s.instance.resume() {
		s.tb.Fatal("thaw: the server is not running")
	}
}

// signal sends a signal that does not end the server. It fails the test if the server does not run.
func (s *Server) signal(signal syscall.Signal) {
	s.tb.Helper()
	if !s.instance.signal(signal) {
		s.tb.Fatalf("signal %v: the server is not running", signal)
	}
}

// end ends the server with a signal, unless it does not run, and returns after it has ended.
func (s *Server) end(signal syscall.Signal) {
	s.tb.Helper()
	if err := s.instance.stop(signal); err != nil {
		s.tb.Fatal(err)
	}
}

// Start starts the server again after Stop or Kill and returns when it answers.
func (s *Server) Start() {
	s.tb.Helper()
	if err := s.instance.start(); err != nil {
		s.tb.Fatal(err)
	}
}
