package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// follow opens a stream of notifications.
func follow(tb testing.TB, ctx context.Context, url, token string) *http.Response {
	tb.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		url+"/api/user/notifications/stream", nil)
	check(tb, err)
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	check(tb, err)
	return answer
}

// A stream outlives the time-out for reading its request, the fifth is refused, and all end with
// their token: on connections of their own, and on those of a server that keeps them.
func TestNotificationStream_IsBoundedAndEndsWithTheToken(t *testing.T) {
	defer httpapi.SetRecheckEvery(50 * time.Millisecond)() // not parallel: it is global
	t.Run("detached", func(t *testing.T) {
		testBoundedStreams(t, func(h http.Handler) http.Handler { return h })
	})
	t.Run("kept", func(t *testing.T) {
		testBoundedStreams(t, func(h http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.ServeHTTP(keptWriter{w, http.NewResponseController(w)}, r)
			})
		})
	})
}

// keptWriter is a writer of a middleware that does not give up its connection.
type keptWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (w keptWriter) FlushError() error                   { return w.control.Flush() }
func (w keptWriter) SetReadDeadline(at time.Time) error  { return w.control.SetReadDeadline(at) }
func (w keptWriter) SetWriteDeadline(at time.Time) error { return w.control.SetWriteDeadline(at) }

func testBoundedStreams(t *testing.T, wrap func(http.Handler) http.Handler) {
	kit := learningtest.New(t)
	kit.Person(t, "ada", core.Student)
	server := httptest.NewUnstartedServer(wrap(newSite(t, kit).handler))
	server.Config.ReadTimeout = 200 * time.Millisecond
	server.Start()
	defer server.Close()
	token := kit.Token(t, "ada")
	bodies := make([]*bufio.Scanner, inbox.MaxStreams)
	for i := range bodies {
		answer := follow(t, t.Context(), server.URL, token)
		defer answer.Body.Close()
		bodies[i] = bufio.NewScanner(answer.Body)
	}
	fifth := follow(t, t.Context(), server.URL, token)
	defer fifth.Body.Close()
	if fifth.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the fifth stream is answered with %d", fifth.StatusCode)
	}
	time.Sleep(2 * server.Config.ReadTimeout)
	kit.Clock.Advance(24 * time.Hour)
	began := time.Now()
	for _, body := range bodies {
		var lines []string
		for body.Scan() {
			lines = append(lines, body.Text())
		}
		if got := strings.Join(lines, "|"); got != `event: unread|data: {"unread":0}|` ||
			body.Err() != nil {
			t.Errorf("the stream has %s (%v)", got, body.Err())
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the streams end %v after their token", took)
	}
}

// A client that leaves makes place for another stream before the next event.
func TestNotificationStream_EndsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	kit := learningtest.New(t)
	kit.Person(t, "ada", core.Student)
	server := httptest.NewServer(newSite(t, kit).handler)
	defer server.Close()
	token := kit.Token(t, "ada")
	for range 3 * inbox.MaxStreams {
		for {
			answer := follow(t, t.Context(), server.URL, token)
			if answer.StatusCode == http.StatusOK {
				first, err := bufio.NewReader(answer.Body).ReadString('\n')
				if first != "event: unread\n" || err != nil {
					t.Errorf("%q, %v", first, err)
				}
				answer.Body.Close()
				break
			}
			answer.Body.Close() // the server has not seen yet that the client left
		}
	}
}

// BenchmarkNotificationStreams measures the memory of open streams of many users on one server. The
// clients are connections without buffers and goroutines.
func BenchmarkNotificationStreams(b *testing.B) {
	const streams = 5000
	kit := learningtest.New(b)
	server := httptest.NewServer(newSite(b, kit).handler)
	requests := make([]string, streams)
	for i := range requests {
		id := fmt.Sprint("user-", i)
		kit.Person(b, id, core.Student)
		requests[i] = "GET /api/user/notifications/stream HTTP/1.1\r\nHost: school\r\n" +
			"Authorization: Bearer " + kit.Token(b, id) + "\r\n\r\n"
	}
	conns := make([]net.Conn, streams)
	answer := make([]byte, 4<<10)
	before := memoryInUse()
	for b.Loop() {
		for i, request := range requests {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			check(b, err)
			conns[i] = conn
			_, err = conn.Write([]byte(request))
			check(b, err)
			for got := ""; !strings.Contains(got, `{"unread":0}`); {
				n, err := conn.Read(answer)
				check(b, err)
				got += string(answer[:n])
			}
		}
		for range 3 { // the stacks of handlers shrink by half with each collection
			memoryInUse()
		}
		b.ReportMetric(float64(memoryInUse()-before)/(1<<20), "MB")
		for _, conn := range conns {
			conn.Close()
		}
	}
	server.CloseClientConnections()
	server.Close()
}
