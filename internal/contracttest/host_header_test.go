package contracttest

import (
	"strings"
	"testing"
)

// TestHostHeaders_OnlyTheHostsMayDiffer compares answers of a host with that of a case.
func TestHostHeaders_OnlyTheHostsMayDiffer(t *testing.T) {
	t.Parallel()
	const want = "HTTP/1.1 200 OK\n" +
		"Access-Control-Allow-Origin: https://learn.example.org\n" +
		"Cache-Control: private, no-store\n" +
		"Content-Length: <length>\n" +
		"Content-Type: application/json; charset=utf-8\n" +
		"ETag: \"<hash>\"\n" +
		"RateLimit-Remaining: 9\n" +
		"Vary: Authorization\n" +
		"Vary: Origin\n" +
		"X-Frame-Options: SAMEORIGIN\n\n" +
		"{\"success\":true}\n"
	const hash = "0123456789abcdef0123456789abcdef"
	answer := strings.NewReplacer("<length>", "16", "<hash>", hash).Replace(want)
	h := host{changesHeaders: true}
	for _, tc := range []struct {
		what, old, new string
		isRefused      bool
	}{
		{what: "nothing"},
		{what: "a header of its own", old: "Vary: Auth", new: "Server-Timing: a;dur=1\nVary: Auth"},
		{what: "a line of Vary", old: "Vary: Origin", new: "Vary: Cookie\nVary: Origin"},
		{what: "Vary in one line", old: "Vary: Authorization\nVary: Origin",
			new: "Vary: origin, Cookie, authorization"},
		{what: "Vary of everything", old: "Vary: Authorization\nVary: Origin", new: "Vary: *"},
		{what: "a stricter header", old: "SAMEORIGIN", new: "DENY"},
		{what: "a weak ETag", old: "ETag: ", new: "ETag: W/"},
		{what: "no length", old: "Content-Length: 16\n"},
		{what: "no caching", old: "private, no-store", new: "no-store, max-age=0"},

		{what: "a name of Vary is missing", old: "Vary: Authorization\n", isRefused: true},
		{what: "public caching", old: "private, no-store", new: "public, max-age=60",
			isRefused: true},
		{what: "another ETag", old: hash, new: "1", isRefused: true},
		{what: "another length", old: "Content-Length: 16", new: "Content-Length: x",
			isRefused: true},
		{what: "another type", old: "application/json", new: "text/plain", isRefused: true},
		{what: "another limit", old: "RateLimit-Remaining: 9\n", isRefused: true},
		{what: "another reader", old: "learn.example.org", new: "other.example.org",
			isRefused: true},
		{what: "two readers", old: "Cache-Control",
			new: "Access-Control-Allow-Origin: *\nCache-Control", isRefused: true},
		{what: "another status", old: "200 OK", new: "201 Created", isRefused: true},
		{what: "another body", old: "true", new: "false", isRefused: true},
	} {
		got, compared := h.comparable(strings.Replace(answer, tc.old, tc.new, 1), want)
		if Matches(got, compared) == tc.isRefused {
			t.Errorf("%s: refused %v, want %v:\n%s", tc.what, !tc.isRefused, tc.isRefused, got)
		}
	}
}
