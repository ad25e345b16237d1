package web_test

import (
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/internal/web"
)

func TestWantsProblem(t *testing.T) {
	for _, test := range []struct {
		accept []string
		want   bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"*/*"}, false},
		{[]string{"application/*"}, false},
		{[]string{"application/json"}, false},
		{[]string{"application/problem+json"}, true},
		{[]string{"Application/Problem+JSON;charset=utf-8"}, true},
		{[]string{"application/json, application/problem+json;q=0.1"}, true},
		{[]string{"application/json", "application/problem+json"}, true},
		{[]string{"application/problem+json;q=0"}, false},
		{[]string{"application/problem+json;q=0, */*"}, false},
		{[]string{"application/problem+jsonx"}, false},
	} {
		r := &http.Request{Header: http.Header{"Accept": test.accept}}
		if got := web.WantsProblem(r); got != test.want {
			t.Errorf("%q: %v, want %v", test.accept, got, test.want)
		}
	}
}
