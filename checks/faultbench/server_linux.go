package faultbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
)

const (
	// within which a server must answer, also if it had to be started several times
	startTime = 3 * time.Minute
	stopTime  = time.Minute // within which a server must end after SIGTERM
	pollTime  = 50 * time.Millisecond
)

// server is a reference server that is started again and again.
type server struct {
	name    string
	program string
	env     map[string]string
	url     string
	metrics string // URL of the metrics and profiles
	clock   string // file that says how far its clock is moved
	journal *journal
	log     *serverLog

	mu      sync.Mutex
	process *process // nil while the server is down
}

// newServer returns a server that does not run, with a clock that is right. env holds its settings,
// and is not changed.
func newServer(i int, program, dir string, env map[string]string, j *journal) (*server, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	metrics, err := freeAddr()
	if err != nil {
		return nil, err
	}
	s := &server{name: numbered(targetServer, i), program: program, env: maps.Clone(env),
		url: "http://" + addr, metrics: "http://" + metrics, journal: j,
		clock: filepath.Join(dir, fmt.Sprintf("clock-%d", i))}
	s.log = &serverLog{server: s.name, journal: j}
	// The bench decides the addresses and the clock.
	s.env["LEARNING_ADDR"] = addr
	s.env["LEARNING_METRICS_ADDR"] = metrics
	s.env["FAULTBENCH_CLOCK"] = s.clock
	return s, s.moveClock(0)
}

// freeAddr returns an address on which nothing listens. Its port is below those that the system
// gives to clients, so that no client gets the port while the server is down.
func freeAddr() (string, error) {
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		if l, err := net.Listen("tcp", addr); err == nil {
			return addr, l.Close()
		}
	}
	return "", errors.New("no free port between 10000 and 30000 on 127.0.0.1")
}

// moveClock sets how far the clock differs from that of the system. The file is replaced in one
// step.
func (s *server) moveClock(by time.Duration) error {
	next := s.clock + ".next"
	if err := os.WriteFile(next, []byte(by.String()), 0o600); err != nil {
		return fmt.Errorf("move the clock of %s: %w", s.name, err)
	}
	return os.Rename(next, s.clock)
}

// environment returns the environment of a process: the settings of the server, and of that of the
// bench only what a program needs.
func (s *server) environment() []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
		"HOME=" + os.Getenv("HOME")}
	for _, name := range []string{"LEARNING_TEST_MARK"} { // identifies processes of a test
		env = append(env, name+"="+os.Getenv(name))
	}
	for _, name := range slices.Sorted(maps.Keys(s.env)) {
		env = append(env, name+"="+s.env[name])
	}
	return env
}

// start starts the server and waits until it answers. A server that ends at its start, because it
// does not reach its providers, is started again, as a supervisor does.
func (s *server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		// Each attempt is a new process.
		p, err := startProcess(s.program, nil, s.environment(), s.log)
		if err != nil {
			return fmt.Errorf("start %s: %w", s.name, err)
		}
		s.set(p)
		if s.awaitAnswer(ctx, p) {
			go s.watch(p) // only now, because a process that ends before is no problem
			return nil
		}
		if backoff.Sleep(ctx, 10*pollTime) != nil {
			return fmt.Errorf("%s does not answer after %v: %s", s.name, startTime, s.log.last())
		}
	}
}

// awaitAnswer waits until the server answers. It returns false if the process ends or ctx is done
// before.
func (s *server) awaitAnswer(ctx context.Context, p *process) bool {
	for backoff.Sleep(ctx, pollTime) == nil {
		select {
		case <-p.ended:
			return false
		default:
		}
		// One probe may hang as long as a provider does.
		probe, cancel := context.WithTimeout(ctx, 5*time.Second)
		status, _ := get(probe, s.url+"/")
		cancel()
		if status == http.StatusOK {
			return true
		}
	}
	return false
}

// get sends a request and returns the status and the body of the answer, or the status 0 if there
// is no answer. If the body breaks off, it returns what came of it.
func get(ctx context.Context, url string) (status int, body []byte) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	body, _ = io.ReadAll(res.Body)
	return res.StatusCode, body
}

// watch waits for the end of a process, and records a problem unless kill or stop has ended it:
// these call take first.
func (s *server) watch(p *process) {
	<-p.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == p {
		s.journal.problem("%s ended by itself (%s): %s", s.name, p.state(), s.log.last())
	}
}

// set makes p the process of the server.
func (s *server) set(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = p
}

// current returns the process, or nil while the server is down.
func (s *server) current() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// take returns the process, or nil, and marks the server as down, so that watch does not take the
// end of the process for a problem.
func (s *server) take() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.process
	s.process = nil
	return p
}

// kill ends the server at once, and returns when it has ended. It does nothing if the server is
// down.
func (s *server) kill() {
	if p := s.take(); p != nil {
		p.signal(syscall.SIGCONT) // it may be frozen
		p.signal(syscall.SIGKILL)
		<-p.ended
	}
}

// stop ends the server in order, and returns when it has ended. A server that takes too long or
// does not exit with 0 is a problem of the run. stop does nothing if the server is down.
func (s *server) stop() {
	p := s.take()
	if p == nil {
		return
	}
	// Ask it to end, and kill it if it does not.
	p.signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(stopTime):
		s.journal.problem("%s still runs %v after SIGTERM", s.name, stopTime)
		p.signal(syscall.SIGKILL)
		<-p.ended
		return
	}
	if !p.command.ProcessState.Success() {
		s.journal.problem("%s ended after SIGTERM with %s: %s", s.name, p.state(), s.log.last())
	}
}

// signal sends a signal to the server, unless it is down.
func (s *server) signal(number syscall.Signal) {
	if p := s.current(); p != nil {
		p.signal(number)
	}
}

// fillDisk makes every write that lets a file grow fail, or, if full is false, ends that. A process
// that is started later has no limit.
func (s *server) fillDisk(full bool) {
	size := uint64(math.MaxUint64) // no limit
	if full {
		size = 1 // no file may grow beyond its first byte
	}
	if p := s.current(); p != nil {
		if err := p.limitFiles(size); err != nil {
			s.journal.problem("%s: %v", s.name, err)
		}
	}
}

// usage returns what the process uses, with its goroutines. It is zero if the server is down.
func (s *server) usage(ctx context.Context) (u usage) {
	p := s.current()
	if p == nil {
		return u
	}
	u = p.usage()
	_, profile := get(ctx, s.metrics+"/debug/pprof/goroutine?debug=1")
	_, err := fmt.Sscanf(string(profile), "goroutine profile: total %d", &u.Goroutines)
	if err != nil {
		s.journal.problem("%s has no profile of its goroutines: %v", s.name, err)
	}
	return u
}

// run runs a command of the program with the settings of the server, which may run beside it. It
// returns what the command prints, and an error if the command fails.
func (s *server) run(args ...string) (string, error) {
	var out strings.Builder
	p, err := startProcess(s.program, args, s.environment(), &out)
	if err != nil {
		return "", err
	}
	<-p.ended
	if !p.command.ProcessState.Success() {
		return out.String(), fmt.Errorf("%v: %s: %s", args, p.state(), out.String())
	}
	return out.String(), nil
}
