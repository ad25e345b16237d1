package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// recovering is middleware that recovers from every panic, as that of gin does.
func recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { _ = recover() }()
		next.ServeHTTP(w, r)
	})
}

func TestPanic_BreaksTheConnectionAlsoIfMiddlewareRecovers(t *testing.T) {
	s, _ := panicSite(t)
	for _, http2 := range []bool{false, true} {
		server := httptest.NewUnstartedServer(recovering(s.handler))
		server.EnableHTTP2 = http2
		server.StartTLS()
		t.Cleanup(server.Close)
		for path, want := range map[string]string{"/begins": "half of ", "/aborts": ""} {
			answer, err := server.Client().Get(server.URL + path)
			if err != nil {
				continue // the connection broke before the header
			}
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if err == nil || string(body) != want {
				t.Errorf("HTTP/2 %v: %s answers %d %q and the error %v, as if it were complete",
					http2, path, answer.StatusCode, body, err)
			}
		}
	}
}

// presetWriter has another default status than 200, as the writer of gin has for its handler
// of unknown routes.
type presetWriter struct {
	http.ResponseWriter
	status int
	begun  bool
}

func (p *presetWriter) WriteHeader(status int) { p.status = status }

func (p *presetWriter) Write(b []byte) (int, error) {
	if !p.begun {
		p.begun = true
		p.ResponseWriter.WriteHeader(p.status)
	}
	return p.ResponseWriter.Write(b)
}

func TestAnswers_SayTheirStatusToTheWriterOfARouter(t *testing.T) {
	s := fixtureSite(t)
	for _, path := range []string{"/", "/docs", "/api/course/all"} {
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(&presetWriter{ResponseWriter: w, status: http.StatusNotFound},
			httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK {
			t.Errorf("%s answers %d", path, w.Code)
		}
	}
}

// opaqueWriter hides the server's writer, so that there are no deadlines and no flushing.
type opaqueWriter struct{ http.ResponseWriter }

func TestAnswers_WithoutDeadlinesAndFlushingOfTheWriter(t *testing.T) {
	s := fixtureSite(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handler.ServeHTTP(opaqueWriter{w}, r)
	}))
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		server.URL+"/api/user/ai-chat", strings.NewReader(`{"content":"Hello"}`))
	check(t, err)
	r.Header = http.Header{"Authorization": {"Bearer " + s.Token(t, "student")},
		"Accept": {"text/event-stream"}, "Content-Type": {"application/json"}}
	answer, err := http.DefaultClient.Do(r)
	check(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if check(t, err); !strings.Contains(string(body), "event: done") {
		t.Errorf("the answer is %d %s", answer.StatusCode, body)
	}
}
