package enginetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Time limits that only a broken server or an overloaded machine exceeds.
const (
	startTimeout     = 2 * time.Minute
	stopTimeout      = time.Minute
	statementTimeout = 2 * time.Minute
	pollInterval     = 5 * time.Millisecond
)

// instance is one server process and its data. The data are kept when it stops.
type instance struct {
	program program
	dir     string
	port    int
	id      uint32       // distinguishes it from another server on the same port
	admin   *sql.DB      // connects as root, to no database
	names   atomic.Int64 // how many names nextName has returned
	pools   sync.Map     // the pools of kept, by database
	cluster []*instance  // the nodes of its cluster, this one first; nil without a cluster

	mu      sync.Mutex
	process *process // nil while the server is down
}

// startNew creates the data of a new server and starts it. It returns when the server answers.
func startNew(p program) (*instance, error) {
	s, err := newInstance(p)
	if err != nil {
		return nil, err
	}
	if err := s.install(); err != nil {
		return nil, err
	}
	return s, s.start()
}

// newInstance returns a server that has no data and does not run. Main kills it when the tests have
// ended.
func newInstance(p program) (*instance, error) {
	dir, err := servers.newFolder()
	if err != nil {
		return nil, err
	}
	if p.asNobody {
		if err := giveToNobody(dir); err != nil {
			return nil, err
		}
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &instance{program: p, dir: dir, port: port, id: rand.Uint32N(1<<31) + 1}
	if s.admin, err = s.open(""); err != nil {
		return nil, err
	}
	servers.add(s)
	return s, nil
}

// The ports of servers are below those that the system hands out to clients: a client that
// reconnects to a stopped server must not get the port of the server as its own.
const (
	firstPort     = 10_000
	portBlocks    = 200
	portsPerBlock = 100
)

// ports are those that no other test process uses. A process claims a block of ports by listening
// on the first one of them until it ends, because a server listens on its port some time after
// freePort, and meanwhile other servers start.
var ports struct {
	mu        sync.Mutex
	next, end int            // of the latest block
	claims    []net.Listener // one for each block
}

// freePort returns a port that it has not returned before, in this process or in another one that
// runs.
func freePort() (int, error) {
	ports.mu.Lock()
	defer ports.mu.Unlock()
	for range portBlocks {
		for ports.next < ports.end {
			port := ports.next
			ports.next++
			if l, err := listenOn(port); err == nil {
				return port, l.Close()
			}
		}
		block := firstPort + portsPerBlock*rand.IntN(portBlocks)
		if claim, err := listenOn(block); err == nil {
			ports.claims = append(ports.claims, claim)
			ports.next, ports.end = block+1, block+portsPerBlock
		}
	}
	return 0, errors.New("no free port between 10000 and 30000 on 127.0.0.1")
}

func listenOn(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// FreeAddress returns an address of this machine on which a program that the test starts can
// listen. No other test gets it meanwhile, nor does a server that listens on port 0.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	port, err := freePort()
	if err != nil {
		tb.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

func (s *instance) data() string     { return filepath.Join(s.dir, "data") }
func (s *instance) errorLog() string { return filepath.Join(s.dir, "error.log") }

// runInstaller creates the data folder with the installer of the engine, whose output is in its
// error.
func (s *instance) runInstaller() error {
	var output bytes.Buffer
	p, err := spawn(slices.Concat(s.program.install, s.program.family.installFlags(s)),
		program{asNobody: s.program.asNobody}, &output)
	if err != nil {
		return fmt.Errorf("install: %w", err)
	}
	select {
	case <-p.ended:
	case <-time.After(startTimeout):
		p.signal(syscall.SIGKILL)
		return errors.New("install: not done in time")
	}
	if p.err != nil {
		return fmt.Errorf("install: %w\n%s", p.err, output.Bytes())
	}
	return nil
}

// start starts the server and waits until it is ready. It does nothing if the server runs already.
// If the server does not become ready, start kills it and returns an error with its log.
func (s *instance) start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		return nil
	}
	flags := s.program.family.flags(s)
	if s.program.restart != nil {
		more, err := s.program.restart(s)
		if err != nil {
			return fmt.Errorf("start: %w", err)
		}
		flags = append(flags, more...)
	}
	p, err := spawn(slices.Concat(s.program.serve, flags), s.program, nil)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	s.process = p
	if err := s.awaitReady(); err != nil {
		log, _ := os.ReadFile(s.errorLog()) // more for the message, if it is there
		s.end(syscall.SIGKILL)              // its error is less important than err
		return fmt.Errorf("start: %w\n%s", err, log)
	}
	return nil
}

// logStatements makes the server write all statements to the file statementLog in its folder.
func (s *instance) logStatements() error {
	for _, set := range []string{
		"SET GLOBAL general_log_file = '" + filepath.Join(s.dir, statementLog) + "'",
		"SET GLOBAL general_log = ON",
	} {
		if _, err := s.admin.Exec(set); err != nil {
			return fmt.Errorf("log statements: %w", err)
		}
	}
	return nil
}

// awaitReady waits until the server is ready. It returns an error if the server ends or is not
// ready in time. s.process must not be nil.
func (s *instance) awaitReady() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		isReady, err := s.isReady(ctx)
		if isReady {
			return nil
		}
		select {
		case <-s.process.ended:
			return fmt.Errorf("the server ended: %v", s.process.err)
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready: %v", err)
		case <-tick.C:
		}
	}
}

// isReady reports whether this server, and not another one on the same port, is ready. If it does
// not answer, or answers with an error, isReady returns false and the error.
func (s *instance) isReady(ctx context.Context) (bool, error) {
	var id uint32
	err := s.admin.QueryRowContext(ctx, s.program.family.idQuery).Scan(&id)
	if err != nil || id != s.id {
		return false, err
	}
	if s.program.ready == "" {
		return true, nil
	}
	// The query has no row until the server is ready.
	err = s.admin.QueryRowContext(ctx, s.program.ready).Scan(new(string))
	return err == nil, err
}

// kill ends the server at once.
func (s *instance) kill() error { return s.stop(s.program.family.kill) }

// stop ends the server with a signal and waits until it has ended. It does nothing if the server
// does not run.
func (s *instance) stop(signal syscall.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end(signal)
}

// signal sends a signal that does not end the server; it reports whether the server runs.
func (s *instance) signal(signal syscall.Signal) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return false
	}
	s.process.signal(signal)
	return true
}

// resume lets all processes of the server continue, if they are stopped. It reports whether the
// server runs.
func (s *instance) resume() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return false
	}
	for _, pid := range descendants(s.process.command.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGCONT) // it may have ended
	}
	s.process.signal(syscall.SIGCONT)
	return true
}

// end is stop for callers that hold s.mu.
func (s *instance) end(signal syscall.Signal) error {
	if s.process == nil {
		return nil
	}

	// What a server that is killed has started would go on: a script that copies data to another
	// node waits for the server for ever. A process that is stopped starts no more.
	if signal == syscall.SIGKILL {
		s.process.signal(syscall.SIGSTOP)
		for _, pid := range descendants(s.process.command.Process.Pid) {
			_ = syscall.Kill(pid, signal) // it may have ended
		}
	}
	s.process.signal(signal)
	select {
	case <-s.process.ended:
		s.process = nil
		return nil
	case <-time.After(stopTimeout):
		return fmt.Errorf("the server still runs after signal %v", signal)
	}
}

// open returns a pool for statements of the administrator, in a database or, if that is "", in
// none of the tests. It does not connect yet. The pool keeps no idle connections, because they do
// not survive a stop of the server.
func (s *instance) open(database string) (*sql.DB, error) {
	connector, err := s.program.family.connector(s.port, database)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(-1)
	return db, nil
}

// kept returns a pool like that of open, which keeps a connection to the database until this
// process ends. It is for a database that no two goroutines clear at the same time.
func (s *instance) kept(database string) (*sql.DB, error) {
	if db, isOpen := s.pools.Load(database); isOpen {
		return db.(*sql.DB), nil
	}
	db, err := s.open(database)
	if err != nil {
		return nil, err
	}
	db.SetMaxIdleConns(1)
	s.pools.Store(database, db)
	return db, nil
}

// nextName returns a name for a database that it has not returned before.
func (s *instance) nextName() string { return fmt.Sprintf("test_%d", s.names.Add(1)) }

// create creates a database, unless it exists.
func (s *instance) create(name string) error { return s.program.family.create(s, name) }

func (s *instance) drop(name string) error { return s.program.family.drop(s, name) }

// url returns the URL of a database of this server.
func (s *instance) url(name string) string { return s.program.family.url(s.port, name) }

// exec runs a statement as root, for at most statementTimeout. Its error begins with the statement.
func (s *instance) exec(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), statementTimeout)
	defer cancel()
	if _, err := s.admin.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}
