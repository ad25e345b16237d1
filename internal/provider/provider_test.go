package provider_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/provider"
)

const limit = 100

// ask sends one GET with a secret in its address and in a header.
func ask(t *testing.T, address string, timeout time.Duration) ([]byte, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"?key=sesame", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth("key", "sesame")
	body, err := provider.Do(provider.NewClient(nil, timeout), r, limit)
	if err != nil && strings.Contains(err.Error(), "sesame") {
		t.Errorf("the error repeats a secret: %v", err)
	}
	return body, err
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestDo_LargestAnswer(t *testing.T) {
	want := bytes.Repeat([]byte("x"), limit)
	u := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(want) })
	got, err := ask(t, u, provider.DefaultTimeout)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes and %v", len(got), err)
	}
}

func TestDo_LargerAnswer_ReturnsError(t *testing.T) {
	u := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, limit+1)) })
	if _, err := ask(t, u, provider.DefaultTimeout); err == nil ||
		!strings.Contains(err.Error(), "longer than 100 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestDo_OtherStatus_ErrorWithoutTheBody(t *testing.T) {
	for _, status := range []int{302, 400, 401, 404, 429, 500, 503} {
		u := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			io.WriteString(w, "sesame")
		})
		_, err := ask(t, u, provider.DefaultTimeout)
		if got, ok := errors.AsType[*provider.StatusError](err); !ok || got.Status != status {
			t.Errorf("status %d: got %v", status, err)
		}
	}
}

func TestDo_Redirect_IsNotFollowed(t *testing.T) {
	elsewhere := serve(t,
		func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	u := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
	})
	if _, err := ask(t, u, provider.DefaultTimeout); err == nil {
		t.Error("no error")
	}
}

func TestDo_NoAnswer_TimesOut(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	trickle := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	for name, h := range map[string]http.HandlerFunc{"before the status": hang,
		"within the body": trickle} {
		_, err := ask(t, serve(t, h), 50*time.Millisecond)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDo_ContextDone_EndsTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	u := serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = provider.Do(provider.NewClient(nil, provider.DefaultTimeout), r,
		limit); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestDo_TruncatedAnswer_ReturnsError(t *testing.T) {
	u := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "50")
		io.WriteString(w, "half")
	})
	if _, err := ask(t, u, provider.DefaultTimeout); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

func TestDo_ConnectionRefused(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	if _, err := ask(t, s.URL, provider.DefaultTimeout); err == nil ||
		!strings.Contains(err.Error(), "connection refused") {
		t.Errorf("got %v", err)
	}
}

// The errors of net/http quote an answer that is not HTTP. The errors of Do must not.
func TestDo_AnswerIsNotHTTP_ErrorWithoutTheAnswer(t *testing.T) {
	for _, answer := range []string{"sesame\r\n\r\n", "HTTP/1.1 sesame OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nsesame\r\n\r\n", ""} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				conn.Read(make([]byte, 4096))
				io.WriteString(conn, answer)
				conn.Close()
			}
		}()
		if _, err := ask(t, "http://"+l.Addr().String(), provider.DefaultTimeout); err == nil {
			t.Errorf("%q: no error", answer)
		}
	}
}

func TestDo_UntrustedCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // the failed handshake is expected
	s.StartTLS()
	t.Cleanup(s.Close)
	if _, err := ask(t, s.URL, provider.DefaultTimeout); err == nil ||
		!strings.Contains(err.Error(), "certificate") {
		t.Errorf("got %v", err)
	}
}

func TestURL_AbsoluteHTTPOnly(t *testing.T) {
	for _, good := range []string{"http://localhost:3001",
		"https://id.example.com/base/?tenant=1"} {
		if u, err := provider.URL(good); err != nil || u.String() != good {
			t.Errorf("%s: got %v, %v", good, u, err)
		}
	}
	for _, bad := range []string{"", "localhost:3001", "/v1", "ftp://id.example.com", "https://",
		"https://id.example.com/#top", "http://a b", "file:///etc/passwd"} {
		if u, err := provider.URL(bad); err == nil {
			t.Errorf("%s: taken as %v", bad, u)
		}
	}
}

func ExampleDo() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, `{"ok":true}`)
	}))
	defer s.Close()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := provider.Do(provider.NewClient(nil, provider.DefaultTimeout), r, 1<<20)
	fmt.Println(string(body), err)
	// Output: {"ok":true} <nil>
}

func TestStatus_RetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "-7": 0, "soon": 0, "7.5": 0,
		"99999999999999999999": 0,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): 0,
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat):  time.Hour,
	} {
		u := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		_, err := ask(t, u, provider.DefaultTimeout)
		status, ok := errors.AsType[*provider.StatusError](err)
		if !ok || status.Status != 429 || status.RetryAfter > want ||
			status.RetryAfter < want-10*time.Second {
			t.Errorf("%q: %v, %+v", header, err, status)
		}
	}
}
