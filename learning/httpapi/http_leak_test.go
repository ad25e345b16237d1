package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// TestEveryRoute_HidesTheCauseOfAStoreFailure sends each route the request of its success while the
// store says, at each turn, what no caller may read.
func TestEveryRoute_HidesTheCauseOfAStoreFailure(t *testing.T) {
	w := newWorld(t)
	for name, wrap := range map[string]func(learning.Store) learning.Store{
		"everything fails":         func(st learning.Store) learning.Store { return broken{st} },
		"all but the caller fails": func(st learning.Store) learning.Store { return knowing{broken{st}} },
		"writing fails":            func(st learning.Store) learning.Store { return readOnly{st} },
	} {
		for _, c := range loadCases(t) {
			if c.name != "success" {
				continue
			}
			t.Run(name+"/"+c.route, func(t *testing.T) {
				t.Parallel()
				srv := w.onSQLite(t, &setup{store: wrap})
				fixed := `{"success":false,"message":"An unexpected error occurred"}`
				if c.route == "gateway.webhook" {
					fixed = `{"error":"An unexpected error occurred"}`
				}
				checkNoLeak(t, send(t, srv.addr, srv.expander(t).build(c.request)), fixed)
			})
		}
	}
}

func checkNoLeak(t *testing.T, got *response, fixed string) {
	t.Helper()
	if got.StatusCode == http.StatusOK {
		return // it did not ask for what is broken
	}
	if got.StatusCode != http.StatusInternalServerError || string(got.body) != fixed {
		t.Errorf("the answer is %s %s", got.Status, got.body)
	}
	got.checkCommon(t)
	text := got.text(true)
	for _, trace := range traces {
		if strings.Contains(text, trace) {
			t.Errorf("%q is in the answer:\n%s", trace, text)
		}
	}
}
