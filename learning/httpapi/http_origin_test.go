package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
)

func TestOrigin_TwoHeadersAreRefused(t *testing.T) {
	s := fixtureSite(t)
	const frontEnd, foreign = "http://localhost:5173", "https://elsewhere.example.org"
	for _, origins := range [][]string{{frontEnd, foreign}, {foreign, frontEnd},
		{frontEnd, frontEnd}, {"", foreign}} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["Origin"] = origins
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, r)
		if allowed := w.Header().Values("Access-Control-Allow-Origin"); w.Code !=
			http.StatusForbidden || len(allowed) > 0 {
			t.Errorf("%q: status %d, allowed %q", origins, w.Code, allowed)
		}
	}
}

// Only the routes that verifiers of credentials need allow every origin, and never with cookies
// or tokens.
func TestAnyOrigin_OnlyCredentialRoutes(t *testing.T) {
	s, open := fixtureSite(t),
		map[string]bool{"credential.get": true, "credential.key": true, "credential.keys": true,
			"credential.status": true}
	for _, row := range httpapi.Table() {
		path := strings.NewReplacer(":certificateId", "x", ":list", "0", ":keyId", "x", ":",
			"").Replace(row.Path)
		for _, method := range []string{row.Method, http.MethodOptions} {
			r := httptest.NewRequest(method, path, nil)
			r.Header.Set("Origin", "https://verifier.example.org")
			if method == http.MethodOptions {
				r.Header.Set("Access-Control-Request-Method", row.Method)
			}
			w := httptest.NewRecorder()
			s.handler.ServeHTTP(w, r)
			want := ""
			if open[row.ID] {
				want = "*"
			}
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != want ||
				(w.Code != http.StatusForbidden) != open[row.ID] {
				t.Errorf("%s of %s: status %d, allowed %q", method, row.ID, w.Code, got)
			}
			if w.Header().Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s of %s: credentials are allowed", method, row.ID)
			}
		}
	}
}
