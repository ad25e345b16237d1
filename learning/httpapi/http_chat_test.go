package httpapi_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/providertest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// chatServer serves the tutor over HTTP.
type chatServer struct {
	*site
	url    string
	client *http.Client
}

func newChatServer(t *testing.T, opts ...learningtest.Option) chatServer {
	t.Helper()
	kit := learningtest.New(t, opts...)
	kit.Person(t, "ada", core.Student)
	s := newSite(t, kit, httpapi.WithLimiters(unlimited))
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	return chatServer{site: s, url: server.URL, client: server.Client()}
}

const (
	asEvents = "text/event-stream"
	asJSON   = "application/json"
)

// asks sends a question and returns the answer. The caller must close its body.
func (c chatServer) asks(ctx context.Context, accept string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/api/user/ai-chat",
		strings.NewReader(`{"content":"Why?"}`))
	check(c.tb, err)
	r.Header.Set("Authorization", "Bearer "+c.Token(c.tb, "ada"))
	r.Header.Set("Accept", accept)
	return c.client.Do(r)
}

// chats returns the chats of a user.
func (c chatServer) chats() string {
	c.tb.Helper()
	return c.do(http.MethodPost, "/api/user/previous-chats", "", c.as("ada")...).Body.String()
}

const noChats = `{"success":true,"chats":[]}`

// wantEvent reads one event and checks it.
func wantEvent(t *testing.T, from *bufio.Reader, name string) (data string) {
	t.Helper()
	for _, prefix := range []string{"event: ", "data: ", ""} {
		line, err := from.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, prefix) ||
			(prefix == "event: " && line != "event: "+name+"\n") || (prefix == "" && line != "\n") {
			t.Fatalf("want the event %s, got the line %q (%v)", name, line, err)
		}
		if prefix == "data: " {
			data = strings.TrimSuffix(strings.TrimPrefix(line, prefix), "\n")
		}
	}
	return data
}

func TestChat_FirstEventIsSentBeforeTheAnswerEnds(t *testing.T) {
	for version, major := range map[string]int{"HTTP/1": 1, "HTTP/2": 2} {
		t.Run(version, func(t *testing.T) {
			c := newChatServer(t)
			if major == 2 {
				c = c.overHTTP2(t)
			}
			release := make(chan struct{})
			c.Sandbox.AI().Faults().Next(1,
				sandbox.Fault{Kind: sandbox.FaultStall, Release: release})
			ctx, cancel := context.WithTimeout(t.Context(), answerTime)
			defer cancel()
			answer, err := c.asks(ctx, asEvents)
			check(t, err)
			defer answer.Body.Close()
			for name, want := range map[string]string{"Content-Type": "text/event-stream",
				"Cache-Control": "private, no-store", "X-Accel-Buffering": "no",
				"Content-Length": "", "Content-Encoding": ""} {
				if got := answer.Header.Get(name); got != want || answer.ProtoMajor != major {
					t.Errorf("%s is %q, want %q, over %s", name, got, want, answer.Proto)
				}
			}
			body := bufio.NewReader(answer.Body)
			if data := wantEvent(t, body, "delta"); data != `{"content":"[Sandbox] "}` {
				t.Errorf("the first event is %s", data)
			}
			close(release) // lets the provider finish its answer
			rest, err := io.ReadAll(body)
			if !strings.Contains(string(rest), "event: done\n") || err != nil {
				t.Errorf("it ends with %s, %v", rest, err)
			}
		})
	}
}

// overHTTP2 serves the same handler over HTTP/2.
func (c chatServer) overHTTP2(t *testing.T) chatServer {
	t.Helper()
	server := httptest.NewUnstartedServer(c.handler)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	c.url, c.client = server.URL, server.Client()
	return c
}

func (c chatServer) request(accept string) *http.Request {
	c.tb.Helper()
	r := httptest.NewRequest(http.MethodPost, "/api/user/ai-chat",
		strings.NewReader(`{"content":"Why?"}`))
	r.Header.Set("Authorization", "Bearer "+c.Token(c.tb, "ada"))
	r.Header.Set("Accept", accept)
	return r
}

func TestChat_EventsAreFlushedAndTheTurnIsStoredBeforeTheLast(t *testing.T) {
	c := newChatServer(t)
	began, events := time.Now(), 0
	w := &signal{ResponseWriter: httptest.NewRecorder()}
	w.written = func(text string) {
		if !strings.HasPrefix(text, "event: ") { // a long event is written in pieces
			return
		}
		events++
		if w.flushed != events-1 || len(w.until) == 0 ||
			w.until[len(w.until)-1].Before(began.Add(10*time.Second)) {
			t.Errorf("event %d comes after %d flushes, and the deadlines are %v", events, w.flushed,
				w.until)
		}
		stored := strings.Contains(c.chats(), "Why?")
		if last := strings.HasPrefix(text, "event: done\n"); last != stored {
			t.Errorf("the turn is stored: %v, at %s", stored, text)
		}
	}
	r := c.request(asEvents)
	r.ProtoMajor = 2 // in HTTP/2 a stream must have no deadline between two events
	c.handler.ServeHTTP(w, r)
	if events < 5 || w.flushed != events {
		t.Errorf("%d flushes of %d events", w.flushed, events)
	}
	for i, until := range w.until { // of a write or a flush, and then of the pause after it
		if until.IsZero() != (i%2 == 1) {
			t.Errorf("deadline %d is %v", i, until)
		}
	}
}

func TestChat_WriterThatCannotFlush(t *testing.T) {
	c, w := newChatServer(t), &plain{header: http.Header{}}
	c.handler.ServeHTTP(w, c.request(asEvents))
	if body := w.body.String(); !strings.HasPrefix(body, "event: delta\n") ||
		!strings.Contains(body, "\n\nevent: done\ndata: {\"success\":true,") {
		t.Errorf("the answer is %s", body)
	}
}

func TestChat_FailedWriteStoresNoTurnUnlessItIsTheLastEvent(t *testing.T) {
	c := newChatServer(t)
	for left := range 4 {
		before := c.Sandbox.AI().Cancelled()
		c.Sandbox.AI().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultStall})
		w := &gone{httptest.NewRecorder(), left}
		c.handler.ServeHTTP(w, c.request(asEvents))
		ctx, cancel := context.WithTimeout(t.Context(), answerTime)
		check(t, c.Sandbox.AI().WaitCancelled(ctx, before+1))
		cancel()
		if n := strings.Count(w.Body.String(), "event: "); n != left || c.chats() != noChats {
			t.Errorf("after %d events: %s", n, c.chats())
		}
	}
	if log := c.Log.String(); strings.Contains(log, "level=ERROR") ||
		strings.Count(log, "broken pipe") != 4 {
		t.Errorf("the log says: %s", log)
	}
}

// A caller that closes the connection ends the provider's call, at every point and with every
// form of answer, and nothing is stored.
func TestChat_ClosedConnectionEndsTheProvidersCall(t *testing.T) {
	for name, fault := range map[string]sandbox.FaultKind{
		"before the first delta": sandbox.FaultHang, "in the middle": sandbox.FaultStall} {
		for _, accept := range []string{asEvents, asJSON} {
			t.Run(name+" of "+accept, func(t *testing.T) {
				c := newChatServer(t)
				before, box := runtime.NumGoroutine(), c.Sandbox.AI()
				box.Faults().Next(1, sandbox.Fault{Kind: fault})
				ctx, leave := context.WithCancel(t.Context())
				begun := make(chan error, 1)
				go func() {
					answer, err := c.asks(ctx, accept)
					if err == nil {
						_, err = io.ReadFull(answer.Body, make([]byte, 1))
						begun <- err
						_, _ = io.Copy(io.Discard, answer.Body)
						_ = answer.Body.Close()
					}
				}()
				wait, cancel := context.WithTimeout(t.Context(), answerTime)
				defer cancel()
				if fault == sandbox.FaultStall && accept == asEvents {
					select {
					case err := <-begun:
						check(t, err)
					case <-wait.Done():
						t.Fatal("the answer does not begin")
					}
				}
				check(t, box.WaitCalls(wait, 1))
				at := time.Now()
				leave()
				check(t, box.WaitCancelled(wait, 1))
				if took := time.Since(at); took > answerTime/3 {
					t.Errorf("the provider's call ended after %v", took)
				}
				if line := c.requestLine(t); !strings.Contains(line, "route=chat.ask") ||
					strings.Contains(line, "level=ERROR") {
					t.Errorf("the log says: %s", line)
				}
				c.client.CloseIdleConnections()
				wantNoMoreGoroutines(t, before)
				if got := c.chats(); got != noChats {
					t.Errorf("something is stored: %s", got)
				}
			})
		}
	}
}

// wantNoMoreGoroutines waits until no more goroutines run than before, except those of idle
// connections.
func wantNoMoreGoroutines(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(answerTime); runtime.NumGoroutine() > before+4; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before,
				stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestChat_BrokenAnswerEndsWithAnErrorEvent(t *testing.T) {
	for _, kind := range []sandbox.FaultKind{sandbox.FaultBreak, sandbox.FaultCut,
		sandbox.FaultStall} {
		t.Run(string(kind), func(t *testing.T) {
			var begun atomic.Int64
			late := &providertest.Late{Effects: func() int { return int(begun.Load()) }}
			box := learningtest.New(t).Sandbox
			c := newChatServer(t, learningtest.WithSandbox(box),
				learningtest.WithPlatform(contracttest.LateProviders(t, late, box)...))
			box.AI().Faults().Next(1, sandbox.Fault{Kind: kind})
			if kind == sandbox.FaultStall {
				late.Next(1)
			}
			answer, err := c.asks(t.Context(), asEvents)
			check(t, err)
			defer answer.Body.Close()
			_, err = io.ReadFull(answer.Body, make([]byte, 1))
			check(t, err)
			begun.Add(1)
			body, err := io.ReadAll(answer.Body)
			const end = "\n\nevent: error\ndata: {\"success\":false,\"message\":\"An unexpected " +
				"error occurred\"}\n\n"
			if err != nil || answer.StatusCode != http.StatusOK ||
				!strings.HasSuffix(string(body), end) ||
				strings.Contains(string(body), "event: done") {
				t.Errorf("%s %v: %s", answer.Status, err, body)
			}
			if got := c.chats(); got != noChats {
				t.Errorf("something is stored: %s", got)
			}
			if line := c.requestLine(t); !strings.Contains(line, "level=ERROR") ||
				!strings.Contains(line, "error=") {
				t.Errorf("the log says: %s", line)
			}
		})
	}
}

// A public failure has its own message, also if it happens at the end.
func TestChat_UserDeletedDuringTheAnswer(t *testing.T) {
	c := newChatServer(t)
	release := make(chan struct{})
	c.Sandbox.AI().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultStall, Release: release})
	ctx, cancel := context.WithTimeout(t.Context(), answerTime)
	defer cancel()
	answer, err := c.asks(ctx, asEvents)
	check(t, err)
	defer answer.Body.Close()
	body := bufio.NewReader(answer.Body)
	wantEvent(t, body, "delta")
	check(t, c.Platform.System().ApplyIdentityEvent(t.Context(),
		people.IdentityEvent{SentAt: c.Clock.Now(), Type: people.UserDeleted,
			User: people.IdentityUser{ID: "ada"}}))
	close(release)
	rest, err := io.ReadAll(body)
	if want := "event: error\ndata: {\"success\":false,\"message\":\"Unauthorized Access\"}\n\n"; err != nil || !strings.HasSuffix(string(rest), want) {
		t.Errorf("it ends with %s, %v", rest, err)
	}
	if line := c.requestLine(t); !strings.Contains(line, "level=INFO") {
		t.Errorf("the log says: %s", line)
	}
}
