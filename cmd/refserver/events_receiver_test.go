package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	newEventSecret = "whsec_dGhlIG5ldyBzZWNyZXQgb2YgdGhlIHdlYmhvb2sh"
	oldEventSecret = "whsec_dGhlIG9sZCBzZWNyZXQgb2YgdGhlIHdlYmhvb2sh"
)

// eventReceiver receives the webhooks of the program and can fail in every way. It knows one of
// the two secrets that sign them.
type eventReceiver struct {
	*httptest.Server
	hook    *webhooks.Webhook
	release chan struct{} // closed at the end, so that no request hangs any more

	mu       sync.Mutex
	t        testing.TB
	fault    func(r *http.Request) string // of the next request; "" for none
	arrivals []arrival
	faults   map[string]int // by kind
}

// arrival is a webhook that has arrived.
type arrival struct {
	id, kind, subject string
	handled           bool // the receiver has stored it; the answer may have been lost
}

func newEventReceiver(t testing.TB) *eventReceiver {
	t.Helper()
	hook, err := webhooks.NewWebhook(oldEventSecret)
	if err != nil {
		t.Fatal(err)
	}
	r := &eventReceiver{hook: hook, t: t, release: make(chan struct{}), faults: map[string]int{},
		fault: func(*http.Request) string { return "" }}
	r.Server = httptest.NewServer(r)
	t.Cleanup(func() { close(r.release); r.Close() })
	return r
}

// settings are those of a program that sends its events to a path of the receiver.
func (e *eventReceiver) settings(path string) environment {
	return environment{"LEARNING_EVENTS_URL": e.URL + path,
		"LEARNING_EVENTS_SECRET": newEventSecret + "," + oldEventSecret}
}

// setFault sets the function that decides on the fault of each request.
func (e *eventReceiver) setFault(fault func(r *http.Request) string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fault = fault
}

// inRotation returns a function that decides on one fault after the other.
func inRotation(kinds ...string) func(*http.Request) string {
	n := 0
	return func(*http.Request) string {
		n++
		return kinds[n%len(kinds)]
	}
}

// ServeHTTP receives a webhook.
func (e *eventReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = e.hook.Verify(body, r.Header)
	}
	var got struct{ ID, Type, Subject string }
	if err == nil {
		err = json.Unmarshal(body, &got)
	}
	if err != nil || got.ID != r.Header.Get("webhook-id") ||
		strings.HasPrefix(r.URL.Path, "/elsewhere") {
		e.t.Errorf("%s received %s: %v", r.URL.Path, body, err)
	}
	e.mu.Lock()
	fault := e.fault(r)
	e.faults[fault]++
	e.arrivals = append(e.arrivals,
		arrival{id: got.ID, kind: got.Type, subject: got.Subject,
			handled: fault == "" || fault == "answer lost"})
	e.mu.Unlock()
	e.answer(w, r, fault)
}

func (e *eventReceiver) answer(w http.ResponseWriter, r *http.Request, fault string) {
	switch fault {
	case "500":
		http.Error(w, "not now", http.StatusInternalServerError)
	case "redirect":
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	case "reset":
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}
	case "hang", "answer lost":
		select {
		case <-r.Context().Done():
		case <-e.release:
		}
		panic(http.ErrAbortHandler)
	}
}

// count returns the number of requests with a fault, or of those without one if fault is "".
func (e *eventReceiver) count(fault string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.faults[fault]
}

// received returns the arrivals so far.
func (e *eventReceiver) received() []arrival {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]arrival(nil), e.arrivals...)
}
