package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/httpapi/swaggerui"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// site is a handler with its own platform, called without a network.
type site struct {
	*learningtest.Kit
	tb      testing.TB
	handler http.Handler
}

func newSite(tb testing.TB, kit *learningtest.Kit, opts ...httpapi.Option) *site {
	tb.Helper()
	opts = append([]httpapi.Option{httpapi.WithDocs(swaggerui.Files())}, opts...)
	h, err := httpapi.New(kit.Platform, opts...)
	check(tb, err)
	return &site{Kit: kit, tb: tb, handler: h}
}

// fixtureSite returns a site whose database has the rows of the fixture.
func fixtureSite(tb testing.TB, opts ...httpapi.Option) *site {
	tb.Helper()
	return fixtureSiteOf(tb, learningtest.New(tb), opts...)
}

// fixtureSiteOf returns a site of kit, whose database gets the rows of the fixture.
func fixtureSiteOf(tb testing.TB, kit *learningtest.Kit, opts ...httpapi.Option) *site {
	tb.Helper()
	contracttest.Fill(tb, kit.Store)
	for _, u := range contracttest.FixtureUsers {
		check(tb, kit.Sandbox.Identity().PutUserQuietly(u))
	}
	return newSite(tb, kit, opts...)
}

// of returns the site for another test, such as one run of a fuzz target.
func (s *site) of(tb testing.TB) *site {
	other := *s
	other.tb = tb
	return &other
}

// do sends a request; headers are name, value, name, value.
func (s *site) do(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.tb.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

// as returns the header of a signed-in user.
func (s *site) as(person string) []string {
	s.tb.Helper()
	// which is signed much faster than RS256
	token, err := s.Sandbox.Identity().Token(person, sandbox.WithAlg("ES256"))
	check(s.tb, err)
	return []string{"Authorization", "Bearer " + token}
}

// get sends a GET without a token.
func (s *site) get(path string) *httptest.ResponseRecorder {
	s.tb.Helper()
	return s.do(http.MethodGet, path, "")
}

// route returns a public route as a host adds it.
func route(method, path string, h http.HandlerFunc) httpapi.Route {
	return httpapi.Route{ID: method + path, Method: method, Path: path, Access: httpapi.Public,
		Do: httpapi.Handle(h)}
}

// wrapped returns a kit whose store is wrapped.
func wrapped(tb testing.TB, wrap func(learning.Store) learning.Store) *learningtest.Kit {
	tb.Helper()
	return learningtest.New(tb, learningtest.WithStore(wrap))
}

// requestLine waits for the log line of the only request and returns it.
func (s *site) requestLine(t *testing.T) string {
	t.Helper()
	for deadline := time.Now().Add(answerTime); time.Now().Before(deadline); time.Sleep(
		time.Millisecond) {
		for line := range strings.Lines(s.Log.String()) {
			if strings.Contains(line, "msg=request") {
				return line
			}
		}
	}
	t.Fatalf("the request is not in the log:\n%s", s.Log.String())
	return ""
}
