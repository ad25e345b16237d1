package web_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/web"
)

func TestAcceptsGzip(t *testing.T) {
	for _, test := range []struct {
		headers []string
		want    bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"gzip"}, true},
		{[]string{"GZip;Q=0.5"}, true},
		{[]string{"deflate, gzip;q=1.0, *;q=0.5"}, true},
		{[]string{"*"}, true},
		{[]string{"*;q=0"}, false},
		{[]string{"*;q=0, gzip"}, true}, // the exact name has precedence, in any position
		{[]string{"gzip, *;q=0"}, true},
		{[]string{"*, gzip;q=0"}, false},
		{[]string{"gzip;q=0, *"}, false},
		{[]string{"gzip;q=0.000"}, false},
		{[]string{"gzip;x=y;q=0"}, false},
		{[]string{"gzip;q=none"}, false},
		{[]string{"identity", "gzip"}, true},
		{[]string{"x-gzip-like"}, false},
	} {
		if got := web.AcceptsGzip(test.headers); got != test.want {
			t.Errorf("%q: %v, want %v", test.headers, got, test.want)
		}
	}
}
