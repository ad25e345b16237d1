package redislimit

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// fakeRedis returns the address of a server that answers each command, and each line of another
// protocol, with an answer.
func fakeRedis(tb testing.TB, answer string) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answerAll(conn, answer)
		}
	}()
	return listener.Addr().String()
}

func answerAll(conn net.Conn, answer string) {
	defer conn.Close()
	for lines := bufio.NewReader(conn); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if strings.HasPrefix(line, "*") {
			_, _ = io.WriteString(conn, answer)
		}
	}
}

func TestTake_NonsenseIsAnswered_CountsInMemory(t *testing.T) {
	for name, answer := range map[string]string{
		"text":           "+OK\r\n",
		"nothing":        "$-1\r\n",
		"no_list":        "*-1\r\n",
		"short_list":     "*1\r\n:1\r\n",
		"texts":          "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n",
		"another_server": "HTTP/1.1 400 Bad Request\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			l, log := opened(t, "redis://"+fakeRedis(t, answer)+patient)
			counter := limiterOf(t, l, twice)
			for i, want := range []bool{true, true, false} {
				if got := take(t, counter, "user:a"); got.ok != want {
					t.Errorf("request %d: %+v", i, got)
				}
			}
			if log.Count(warning) != 1 {
				t.Errorf("the log:\n%s", log)
			}
		})
	}
}

// The handshake is part of the time in which Redis must answer.
func TestTake_TLSHandshakeIsNotAnswered_WaitsForTheTimeout(t *testing.T) {
	t.Parallel()
	log := &learningtest.Log{}
	l := &Limits{timeout: defaultTimeout, log: log.Logger(), failed: make(chan struct{}, 1),
		pool: newPool("rediss://" + fakeRedis(t, ""))}
	l.shared.Store(true)
	began := time.Now()
	take(t, limiterOf(t, l, twice), "user:a")
	// the client's own time-out is 10 s
	if took := time.Since(began); took > 5*time.Second || log.Count(warning) != 1 {
		t.Errorf("a request waited for %v; the log:\n%s", took, log)
	}
}

// A Redis that fails for some requests only is not tried again at once.
func TestTake_RedisFailsForOneCaller_WarnsOnceInAPause(t *testing.T) {
	t.Parallel()
	l, log := opened(t, enginetest.StartRedis(t).URL()+patient)
	do(t, l, "SET", fmt.Sprintf("%suser:a:%d", prefix, twice.Window.Microseconds()), "no hash")
	counter, began := limiterOf(t, l, twice), time.Now()
	for time.Since(began) < probePause/4 {
		take(t, counter, "user:a")
	}
	if most := 1 + int(time.Since(began)/probePause); log.Count(warning) < 1 ||
		log.Count(warning) > most {
		t.Errorf("%d warnings in %v", log.Count(warning), time.Since(began))
	}
}
