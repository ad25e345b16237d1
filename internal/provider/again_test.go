package provider_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/provider"
)

// breaking is a server whose connections break: after the request was read and a text was sent, the
// first times.
type breaking struct {
	times int    // how many requests are not answered
	sent  string // before the connection is closed
	reset bool   // whether it is reset, and not closed

	mu     sync.Mutex
	bodies []string // of all requests
}

func (b *breaking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	b.bodies = append(b.bodies, r.Header.Get("X-Key")+" "+string(body))
	breaks := len(b.bodies) <= b.times
	b.mu.Unlock()
	if !breaks {
		_, _ = io.WriteString(w, "done")
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, b.sent)
	if tcp, ok := conn.(*net.TCPConn); ok && b.reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// A connection that breaks before any byte of an answer came is tried once more, with the same
// request, and no other failure is.
func TestDoAgain_ConnectionBreaks(t *testing.T) {
	for name, test := range map[string]struct {
		server   *breaking
		requests int
		succeeds bool
	}{
		"closed once":          {&breaking{times: 1}, 2, true},
		"reset once":           {&breaking{times: 1, reset: true}, 2, true},
		"closed twice":         {&breaking{times: 2}, 2, false},
		"after a byte":         {&breaking{times: 1, sent: "H"}, 1, false},
		"in the head":          {&breaking{times: 1, sent: "HTTP/1.1 200 OK\r\nContent-Le"}, 1, false},
		"in the body":          {&breaking{times: 1, sent: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nd"}, 1, false},
		"answered by an error": {&breaking{times: 1, sent: "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := test.server
			u := serve(t, server.ServeHTTP)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u,
				strings.NewReader("an order"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Key", "refund_1")
			client := provider.NewClient(&http.Transport{DisableKeepAlives: true},
				provider.DefaultTimeout)
			got, err := provider.DoAgain(client, r, limit)
			if (err == nil && string(got) == "done") != test.succeeds {
				t.Errorf("got %q and %v", got, err)
			}
			if len(server.bodies) != test.requests {
				t.Errorf("%d requests, want %d", len(server.bodies), test.requests)
			}
			for _, body := range server.bodies {
				if body != "refund_1 an order" {
					t.Errorf("a request was %q", body)
				}
			}
		})
	}
}

// The time-out is that of both requests together, and a time-out is not repeated. On a busy machine
// the time may be over before the server has seen the first one.
func TestDoAgain_TimeOut_IsNotRepeated(t *testing.T) {
	var requests breaking
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.mu.Lock()
		requests.bodies = append(requests.bodies, "")
		requests.mu.Unlock()
		<-r.Context().Done()
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := provider.NewClient(nil, 50*time.Millisecond)
	if _, err := provider.DoAgain(client, r, limit); err == nil {
		t.Error("no error")
	}
	requests.mu.Lock()
	defer requests.mu.Unlock()
	if len(requests.bodies) > 1 {
		t.Errorf("%d requests", len(requests.bodies))
	}
}

// An idle connection that the server has closed is no failure, however many there are.
func TestDoAgain_IdleConnectionsWereClosed(t *testing.T) {
	var server breaking
	u := serve(t, server.ServeHTTP)
	client := provider.NewClient(provider.NewTransport(10), provider.DefaultTimeout)
	ask := func() error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u,
			strings.NewReader("an order"))
		if err != nil {
			return err
		}
		_, err = provider.DoAgain(client, r, limit)
		return err
	}
	for range 3 {
		var all sync.WaitGroup
		for range 5 { // opens several connections
			all.Go(func() {
				if err := ask(); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		server.mu.Lock()
		server.times = len(server.bodies) + 1 // the next request breaks
		server.mu.Unlock()
		if err := ask(); err != nil {
			t.Error(err)
		}
	}
}

func TestAskAgain_ReturnsTheBodyOfAFailure(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			w.WriteHeader(http.StatusPaymentRequired)
		}
		_, _ = io.WriteString(w, "why")
	}))
	t.Cleanup(s.Close)
	ask := func(path string, limit int64) (string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := provider.AskAgain(provider.NewClient(nil, time.Minute), r, limit)
		return string(body), err
	}
	if body, err := ask("/", 3); body != "why" || err != nil {
		t.Errorf("got %q, %v", body, err)
	}
	body, err := ask("/refused", 3)
	if status, ok := errors.AsType[*provider.StatusError](err); !ok || status.Status !=
		http.StatusPaymentRequired || body != "why" {
		t.Errorf("a failure: %q, %v", body, err)
	}
	if body, err := ask("/refused", 2); body != "" || err == nil {
		t.Errorf("a body that is too long: %q, %v", body, err)
	}
}
