package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestTwoOriginsAreNotAllowed(t *testing.T) {
	s := worldSite(t)
	const frontEnd, foreign = "http://localhost:5173", "https://elsewhere.example.org"
	for _, origins := range [][]string{{frontEnd, foreign}, {foreign, frontEnd}, {frontEnd, frontEnd}, {"", foreign}} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["Origin"] = origins
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if allowed := w.Header().Values("Access-Control-Allow-Origin"); w.Code != http.StatusForbidden || len(allowed) > 0 {
			t.Errorf("%q: status %d, allowed %q", origins, w.Code, allowed)
		}
	}
}
