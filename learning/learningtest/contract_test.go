package learningtest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// newSchool returns the handler of a host: the platform below a prefix, inside middleware that does
// what the middleware of hosts does to headers.
func newSchool(platform *learning.Platform, options ...httpapi.Option) (http.Handler, error) {
	api, err := httpapi.New(platform, options...)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/school/", http.StripPrefix("/school", api))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-School", "Open Lectern")
		w.Header().Add("Vary", "Cookie") // as docs/mounting.md prescribes
		w.Header().Add("Set-Cookie", "seen=1")
		mux.ServeHTTP(&schoolWriter{ResponseWriter: w}, r)
	}), nil
}

// schoolWriter changes the headers of an answer when it begins.
type schoolWriter struct{ http.ResponseWriter }

func (w *schoolWriter) WriteHeader(status int) {
	h := w.Header()
	h.Set("X-Request-Id", "school-7")                       // of the tracing of the host
	h.Add("Server-Timing", "school;dur=1")                  // of its measurements
	h.Set("Content-Security-Policy", "default-src 'none'")  // of its policy
	h.Set("X-Frame-Options", "DENY")                        //
	h.Set("Vary", strings.Join(h.Values("Vary"), ", ")+",") // in one line, as some proxies do
	h.Set("Cache-Control", "no-store")
	h.Del("Content-Length")
	if tag := h.Get("ETag"); tag != "" {
		h.Set("ETag", "W/"+tag)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *schoolWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// TestContract_HandlerBelowAPrefixInsideMiddleware takes a case of each noun. examples/mount runs
// all.
func TestContract_HandlerBelowAPrefixInsideMiddleware(t *testing.T) {
	cases := contracttest.FirstOfEachNoun(contracttest.LoadCases(t))
	contracttest.Run(t, cases, newSchool, "/school")
}
