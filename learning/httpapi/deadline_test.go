package httpapi_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// onHTTP serves a site with one more route, /extra, by both versions of HTTP.
func onHTTP(t *testing.T, limits httpapi.Option, extra http.HandlerFunc,
	test func(t *testing.T, server *httptest.Server)) {
	t.Helper()
	t.Parallel()
	for _, name := range []string{"HTTP1", "HTTP2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, learningtest.New(t), limits,
				httpapi.WithRoutes(route(http.MethodGet, "/extra", extra)))
			server := httptest.NewUnstartedServer(s.handler)
			server.Listener = smallBuffers{server.Listener}
			if server.EnableHTTP2 = name == "HTTP2"; server.EnableHTTP2 {
				server.StartTLS()
			} else {
				server.Start()
			}
			t.Cleanup(server.Close)
			test(t, server)
		})
	}
}

// large is an answer that fits into no socket buffer and no HTTP/2 window.
var large = make([]byte, 32<<20)

func TestAnswer_ClientReadsNothing(t *testing.T) {
	written := make(chan error, 2)
	stall := func(w http.ResponseWriter, _ *http.Request) {
		_, err := w.Write(large)
		written <- err
	}
	onHTTP(t, httpapi.WithDeadlines(100*time.Millisecond, time.Minute, time.Minute), stall,
		func(t *testing.T, server *httptest.Server) {
			answer, err := server.Client().Get(server.URL + "/extra")
			check(t, err)
			defer answer.Body.Close()
			select {
			case err := <-written:
				if err == nil {
					t.Error("all of the answer was written")
				}
			case <-time.After(answerTime):
				t.Error("the handler still writes")
			}
		})
}

// The client takes several times as long for the answer as the deadline of a piece.
func TestAnswer_SlowClientGetsAllOfIt(t *testing.T) {
	const limit, pause, piece = 3 * time.Second, 160 * time.Millisecond, 64 << 10
	body := large[:5<<19]
	oneWrite := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }
	onHTTP(t, httpapi.WithDeadlines(limit, time.Minute, time.Minute), oneWrite,
		func(t *testing.T, server *httptest.Server) {
			answer, err := server.Client().Get(server.URL + "/extra")
			check(t, err)
			defer answer.Body.Close()
			begun, tick := time.Now(), time.NewTicker(pause)
			defer tick.Stop()
			n := 0
			for err == nil && n < len(body) {
				<-tick.C
				var got int64
				got, err = io.CopyN(io.Discard, answer.Body, piece)
				n += int(got)
			}
			if took := time.Since(begun); err != nil || took < 2*limit {
				t.Errorf("after %v and %d bytes of %d the error is %v", took, n, len(body), err)
			}
		})
}

// The deadline does not run while the handler writes nothing.
func TestAnswer_HandlerPausesLongerThanTheDeadline(t *testing.T) {
	const limit = time.Second
	pause := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "one ")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(limit * 3 / 2):
			_, _ = io.WriteString(w, "two")
		case <-r.Context().Done():
		}
	}
	onHTTP(t, httpapi.WithDeadlines(limit, limit, limit), pause,
		func(t *testing.T, server *httptest.Server) {
			answer, err := server.Client().Get(server.URL + "/extra")
			check(t, err)
			defer answer.Body.Close()
			if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "one two" {
				t.Errorf("%q, %v", body, err)
			}
		})
}

// sendPart sends a POST with a part of its body and returns the connection. request is the path
// and, after a line end, one header.
func sendPart(t *testing.T, server *httptest.Server, request string, length int,
	part string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	path, header, _ := strings.Cut(request, "\n")
	_, err = fmt.Fprintf(conn,
		"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n%s\r\n\r\n%s", path, length,
		header, part)
	check(t, err)
	return conn
}

// wantAnswer reads the answer from a connection.
func wantAnswer(t *testing.T, conn net.Conn, status int) *http.Response {
	t.Helper()
	check(t, conn.SetReadDeadline(time.Now().Add(answerTime)))
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	check(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check(t, err)
	if answer.StatusCode != status {
		t.Errorf("%s %s, want %d", answer.Status, body, status)
	}
	return answer
}

const (
	toGateway  = "/gateway\nx-gateway-signature: none"
	toIdentity = "/idp\nhook-signature: none"
	toPurchase = "/api/user/purchase\nContent-Type: application/json"
)

func serveSite(t *testing.T, opts ...httpapi.Option) (*site, *httptest.Server) {
	t.Helper()
	s := fixtureSite(t, opts...)
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	return s, server
}

func TestBody_DoesNotArrive(t *testing.T) {
	_, server := serveSite(t, httpapi.WithDeadlines(time.Minute, 50*time.Millisecond, time.Minute))
	for _, request := range []string{toGateway, toIdentity, toPurchase} {
		conn := sendPart(t, server, request, 1000, `{"half":`)
		answer := wantAnswer(t, conn, http.StatusRequestTimeout)
		if _, err := io.Copy(io.Discard, conn); err != nil || !answer.Close {
			t.Errorf("%s: the connection stays open: %v", request, err)
		}
	}
}

func TestBody_ArrivesTooSlowly(t *testing.T) {
	_, server := serveSite(t, httpapi.WithDeadlines(time.Minute, time.Minute, 100*time.Millisecond))
	conn := sendPart(t, server, toPurchase, 1000, "{")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // a byte every few milliseconds is progress, and still too slow
		defer close(stopped)
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-tick.C:
				_, _ = conn.Write([]byte(" "))
			case <-stop:
				tick.Stop()
				return
			}
		}
	}()
	wantAnswer(t, conn, http.StatusRequestTimeout)
	close(stop)
	<-stopped
}

// If the headers decide the answer, the server answers before it reads the body.
func TestBody_IsNotReadIfTheHeadersDecide(t *testing.T) {
	_, server := serveSite(t)
	for _, test := range []struct {
		request string
		length  int
		status  int
	}{
		{"/gateway\nX-Other: none", 1 << 20, http.StatusBadRequest},
		{"/idp\nX-Other: none", 1 << 20, http.StatusInternalServerError},
		{toGateway, 1<<20 + 1, http.StatusRequestEntityTooLarge},
		{toPurchase, 1 << 20, http.StatusRequestEntityTooLarge},
		{"/api/educator/add-course\nContent-Type: multipart/form-data; boundary=x", 1 << 20,
			http.StatusUnauthorized},
	} {
		wantAnswer(t, sendPart(t, server, test.request, test.length, ""), test.status)
	}
}

func TestBody_LargeBodiesAreBounded(t *testing.T) {
	s, server := serveSite(t, httpapi.WithBodyBudget(64<<10, 64<<10),
		httpapi.WithLimiters(unlimited))
	part := strings.Repeat(" ", 96<<10)
	// It uses the whole budget of callers without a token.
	hold := func() net.Conn { return sendPart(t, server, toGateway, 1<<20, part) }
	refused := func(token string) bool {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			server.URL+"/api/user/purchase", bytes.NewReader([]byte(part)))
		check(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := server.Client().Do(r)
		check(t, err)
		defer answer.Body.Close()
		if busy := answer.StatusCode == http.StatusServiceUnavailable; busy &&
			answer.Header.Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
		return answer.StatusCode == http.StatusServiceUnavailable
	}
	holding := hold()
	// this body was read before the other
	for deadline := time.Now().Add(answerTime); !refused("none"); holding = hold() {
		check(t, holding.Close())
		if time.Now().After(deadline) {
			t.Fatal("a second large body is read")
		}
	}
	if refused(s.Token(t, "student")) {
		t.Error(
			"a student's large body is refused when callers without a token use up their budget")
	}
	answer, err := server.Client().Post(server.URL+"/gateway", "application/json",
		strings.NewReader("{}"))
	check(t, err)
	answer.Body.Close()
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("a small webhook: %s", answer.Status)
	}
	check(t, holding.Close())
	for deadline := time.Now().Add(answerTime); refused("none"); {
		if time.Now().After(deadline) {
			t.Fatal("the budget of a closed connection is not returned")
		}
	}
}
