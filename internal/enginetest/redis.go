package enginetest

import (
	"bufio"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// RedisPassword is the password of every [Redis].
const RedisPassword = "redis-s3cret"

// Redis is a Redis server for one test, which may stop and start it again. It stores nothing on a
// disk, so that a server that has started again is empty. Its methods end the test if they fail:
// call them from the test's goroutine.
type Redis struct {
	tb      testing.TB
	line    []string // the command of the server, with its flags
	address string
	process *process // nil after Kill
}

// StartRedis starts a server for one test. It ends when the test ends. StartRedis works without
// Main.
func StartRedis(tb testing.TB) *Redis {
	tb.Helper()
	server, err := lookUp("redis-server")
	Need(tb, "redis", err)
	port, err := freePort()
	if err != nil {
		tb.Fatal(err)
	}
	r := &Redis{tb: tb, address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	r.line = []string{server, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir",
		tb.TempDir(), "--save", "", "--appendonly", "no", "--requirepass", RedisPassword}
	r.Start()
	tb.Cleanup(func() {
		if r.process != nil { // the test has not killed it
			r.Kill()
		}
	})
	return r
}

// URL returns redis://:PASSWORD@127.0.0.1:PORT/0.
func (r *Redis) URL() string { return fmt.Sprintf("redis://:%s@%s/0", RedisPassword, r.address) }

// Start starts the server and returns when it answers.
func (r *Redis) Start() {
	r.tb.Helper()
	p, err := spawn(r.line, program{}, nil) // with the environment of this process, no output
	if err != nil {
		r.tb.Fatalf("start a Redis: %v", err)
	}
	r.process = p
	for end := time.Now().Add(startTimeout); !r.answers(); time.Sleep(pollInterval) {
		select {
		case <-p.ended:
			r.tb.Fatalf("start a Redis: it ended: %v", p.err)
		default:
		}
		if time.Now().After(end) {
			r.tb.Fatal("start a Redis: it does not answer")
		}
	}
}

// answers reports whether the server accepts the password. An error only means that it does not
// answer yet.
func (r *Redis) answers() bool {
	conn, err := net.DialTimeout("tcp", r.address, statementTimeout)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(statementTimeout))
	_, _ = fmt.Fprintf(conn, "AUTH %s\r\n", RedisPassword)
	line, _ := bufio.NewReader(conn).ReadString('\n')
	return strings.HasPrefix(line, "+OK")
}

// Kill ends the server at once, and returns after it has ended.
func (r *Redis) Kill() {
	r.tb.Helper()
	r.process.signal(syscall.SIGKILL)
	select {
	case <-r.process.ended:
		r.process = nil
	case <-time.After(stopTimeout):
		r.tb.Fatal("the Redis still runs after SIGKILL")
	}
}

// Freeze stops the server's process as it is: it keeps its connections, accepts new ones and
// answers nothing until Thaw.
func (r *Redis) Freeze() {
	r.process.signal(syscall.SIGSTOP)
	// Wait, because the system stops the threads of the process some time after the signal.
	for pid := r.process.command.Process.Pid; !isStopped(pid); {
		runtime.Gosched()
	}
}

// Thaw lets a frozen server continue.
func (r *Redis) Thaw() { r.process.signal(syscall.SIGCONT) }
