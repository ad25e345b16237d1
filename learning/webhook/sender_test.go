package webhook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/webhook"
)

const (
	secret    = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"
	oldSecret = "whsec_YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAx"
)

var event = learning.Event{
	ID: "019bb5a1-7c00-7a3e-9f21-5d8c0e6b4a17", Type: people.EventUserDeleted,
	Subject:   "user:ada",
	CreatedAt: time.Date(2026, 1, 31, 10, 30, 0, 123_456_000, time.FixedZone("", 3600)),
	Data:      core.EventData{UserID: "ada"},
}

// delivery is a request that a receiver got.
type delivery struct {
	header http.Header
	body   []byte
}

// receive returns the URL of a receiver that answers with answer after it has sent the request to
// got.
func receive(t *testing.T, answer http.HandlerFunc) (url string, got chan delivery) {
	t.Helper()
	got = make(chan delivery, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			t.Errorf("%s: %v", r.Method, err)
		}
		got <- delivery{r.Header, body}
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/hooks?token=sesame", got
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func newSender(t *testing.T, url string, opts ...webhook.Option) *webhook.Sender {
	t.Helper()
	s, err := webhook.NewSender(url, []string{secret, oldSecret}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHandleEvent_BodyAndHeaders(t *testing.T) {
	url, got := receive(t, status(http.StatusNoContent))
	begin := time.Now().Unix()
	if err := newSender(t, url).HandleEvent(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	d := <-got
	const want = `{"id":"019bb5a1-7c00-7a3e-9f21-5d8c0e6b4a17","type":"user.deleted","createdAt":"2026-01-31T09:30:00.123Z","subject":"user:ada","data":{"userId":"ada"}}`
	if diff := cmp.Diff(want, string(d.body)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if id, kind := d.header.Get("webhook-id"),
		d.header.Get("Content-Type"); id != event.ID || kind != "application/json" {
		t.Errorf("id %q, content type %q", id, kind)
	}
	if at, err := strconv.ParseInt(d.header.Get("webhook-timestamp"), 10, 64); err != nil ||
		at < begin || at > time.Now().Unix() {
		t.Errorf("timestamp %q: %v", d.header.Get("webhook-timestamp"), err)
	}
}

// Each secret of the sender verifies alone, and the second delivery has the id of the first.
func TestHandleEvent_EverySecretVerifies(t *testing.T) {
	url, got := receive(t, status(http.StatusOK))
	s := newSender(t, url)
	for range 2 {
		if err := s.HandleEvent(t.Context(), event); err != nil {
			t.Fatal(err)
		}
		d := <-got
		if n := len(strings.Fields(d.header.Get("webhook-signature"))); n != 2 {
			t.Errorf("%d signatures", n)
		}
		for secret, want := range map[string]bool{secret: true, oldSecret: true,
			"whsec_YW5vdGhlciBzZWNyZXQgb2YgMjQgYnl0ZXM=": false} {
			hook, err := webhooks.NewWebhook(secret)
			if err != nil {
				t.Fatal(err)
			}
			if err := hook.Verify(d.body, d.header); (err == nil) != want {
				t.Errorf("%s: %v", secret, err)
			}
			if hook.Verify(append(bytes.Clone(d.body), ' '), d.header) == nil {
				t.Error("another body is accepted")
			}
		}
		if d.header.Get("webhook-id") != event.ID {
			t.Errorf("id %q", d.header.Get("webhook-id"))
		}
	}
}

func TestHandleEvent_StatusDecides(t *testing.T) {
	for code, delivered := range map[int]bool{200: true, 202: true, 204: true, 299: true,
		300: false, 304: false, 400: false, 410: false, 429: false, 500: false, 503: false} {
		url, _ := receive(t, status(code))
		err := newSender(t, url).HandleEvent(t.Context(), event)
		answer, ok := errors.AsType[*provider.StatusError](err)
		if (err == nil) != delivered || !delivered && (!ok || answer.Status != code) {
			t.Errorf("%d: %v", code, err)
		}
	}
}

func TestHandleEvent_RedirectIsNotFollowed(t *testing.T) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		other, followed := receive(t, status(http.StatusOK))
		url, _ := receive(t,
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, code) })
		if err := newSender(t, url).HandleEvent(t.Context(), event); err == nil ||
			!strings.Contains(err.Error(), strconv.Itoa(code)) {
			t.Errorf("%d: %v", code, err)
		}
		if len(followed) > 0 {
			t.Errorf("%d is followed", code)
		}
	}
}

// The status arrives and the body has no end: the event was delivered, and the sender reads a part
// only.
func TestHandleEvent_EndlessBody(t *testing.T) {
	url, _ := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = w.Write(make([]byte, 1<<10))
		}
	})
	if err := newSender(t, url).HandleEvent(t.Context(), event); err != nil {
		t.Error(err)
	}
}

func TestHandleEvent_NoAnswerInTime(t *testing.T) {
	release := make(chan struct{})
	url, _ := receive(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	err := newSender(t, url, webhook.WithTimeout(100*time.Millisecond)).HandleEvent(t.Context(),
		event)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("time-out: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := newSender(t, url).HandleEvent(ctx, event); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestHandleEvent_BrokenConnection(t *testing.T) {
	url, _ := receive(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if err := newSender(t, url).HandleEvent(t.Context(), event); err == nil {
		t.Error("a dropped connection counts as delivered")
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if err := newSender(t, "http://"+closed.Addr().String()).HandleEvent(t.Context(), event); err ==
		nil {
		t.Error("a refused connection counts as delivered")
	}
	notHTTP := rawServer(t, "sesame of the receiver\r\n\r\n")
	if err := newSender(t, notHTTP).HandleEvent(t.Context(), event); err == nil ||
		strings.Contains(err.Error(), "sesame") {
		t.Errorf("not HTTP: %v", err)
	}
}

// rawServer returns the URL of a server that answers every connection with a text.
func rawServer(t *testing.T, text string) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1<<10))
			_, _ = io.WriteString(conn, text)
			conn.Close()
		}
	}()
	return "http://" + listener.Addr().String()
}

// A receiver that closes idle connections gets the event in a new connection, at the first try.
func TestHandleEvent_IdleConnectionWasClosed(t *testing.T) {
	server := httptest.NewServer(status(http.StatusOK))
	defer server.Close()
	s := newSender(t, server.URL, webhook.WithTransport(&http.Transport{}))
	for range 20 {
		if err := s.HandleEvent(t.Context(), event); err != nil {
			t.Fatal(err)
		}
		server.CloseClientConnections()
	}
}

func TestHandleEvent_ErrorsAreShortAndHideSecrets(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a body with text": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "ada@example.com", http.StatusInternalServerError)
		},
		"a location": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/?sesame",
				http.StatusFound)
		},
		"a drop": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		url, _ := receive(t, answer)
		err := newSender(t, url).HandleEvent(t.Context(), event)
		for _, hidden := range []string{"sesame", "ada@", secret[6:], "v1,"} {
			if err == nil || strings.Contains(err.Error(), hidden) || len(err.Error()) > 200 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestNewSender_InvalidArguments(t *testing.T) {
	const url = "https://hooks.example.com"
	for name, c := range map[string]struct {
		url     string
		secrets []string
	}{
		"no scheme":          {"hooks.example.com", []string{secret}},
		"no secret":          {url, nil},
		"an empty secret":    {url, []string{secret, ""}},
		"not base64":         {url, []string{"sesame!"}},
		"a secret too short": {url, []string{"whsec_c2VzYW1l"}},
	} {
		if _, err := webhook.NewSender(c.url, c.secrets); err == nil ||
			strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "c2Vz") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestFormat_HidesSecrets(t *testing.T) {
	s := newSender(t, "https://hooks.example.com/?token=sesame")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(verb, s); got != "webhook.Sender" {
			t.Errorf("%s shows %s", verb, got)
		}
	}
}
