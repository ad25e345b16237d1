package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestTokenFromCookie_IsTheTokenUnlessThereIsAnother(t *testing.T) {
	kit := learningtest.New(t)
	kit.Person(t, "ada", core.Student)
	api, err := httpapi.New(kit.Platform)
	check(t, err)
	handler := httpapi.TokenFromCookie("session", api)
	token := kit.Token(t, "ada")
	for name, c := range map[string]struct {
		cookie, authorization string
		want                  int
	}{
		"no cookie":      {"", "", http.StatusUnauthorized},
		"a cookie":       {"session=" + token, "", http.StatusOK},
		"another cookie": {"theme=" + token, "", http.StatusUnauthorized},
		"an empty one":   {"session=", "", http.StatusUnauthorized},
		"a token too":    {"session=x", "Bearer " + token, http.StatusOK},
	} {
		r := httptest.NewRequest(http.MethodGet, "/api/user/data", nil)
		r.Header.Set("Cookie", c.cookie)
		if c.authorization != "" {
			r.Header.Set("Authorization", c.authorization)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != c.want || !slices.Contains(w.Header().Values("Vary"), "Cookie") {
			t.Errorf("%s: %d, Vary %q; want %d", name, w.Code, w.Header().Values("Vary"), c.want)
		}
	}
}
