package httpapi_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// hostRoutes are routes that a host could add to the table.
var hostRoutes = []string{"GET /handbook", "GET /media/*name", "GET /readyz"}

// pattern is the method and the path of a route.
type pattern struct {
	method   string
	segments []string
	ofHost   bool // whether it is one of hostRoutes
}

func parsePattern(line string) pattern {
	method, path, _ := strings.Cut(line, " ")
	return pattern{method: method, segments: strings.Split(path, "/")}
}

func (p pattern) path() string   { return strings.Join(p.segments, "/") }
func (p pattern) String() string { return p.method + " " + p.path() }

// wholeTable returns a site with the routes of the table and hostRoutes. Those of the host answer
// with their own names.
func wholeTable(t testing.TB) (*site, []pattern) {
	t.Helper()
	var all []pattern
	for _, row := range httpapi.Table() {
		all = append(all, parsePattern(row.Method+" "+row.Path))
		if row.Alias != "" {
			all = append(all, parsePattern(row.Method+" "+row.Alias))
		}
	}
	var rows []httpapi.Route
	for _, line := range hostRoutes {
		p := parsePattern(line)
		p.ofHost = true
		all = append(all, p)
		rows = append(rows, route(p.method, p.path(), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Route", p.String())
			_, _ = io.WriteString(w, p.String())
		}))
	}
	return newSite(t, learningtest.New(t), httpapi.WithRoutes(rows...)), all
}

func (p *pattern) matches(path []string) bool {
	for i, s := range p.segments {
		if strings.HasPrefix(s, "*") {
			return i < len(path)
		}
		if i >= len(path) || s != path[i] && (!strings.HasPrefix(s, ":") || path[i] == "") {
			return false
		}
	}
	return len(p.segments) == len(path)
}

// best returns the route of a path: of those that match, the one with a literal where they first
// differ.
func best(all []pattern, method string, path []string) *pattern {
	var found *pattern
	for i := range all { // without a copy, because the loop runs a million times
		p := &all[i]
		if p.method == method && p.matches(path) && (found == nil || moreLiteral(*p, *found)) {
			found = p
		}
	}
	return found
}

func moreLiteral(a, b pattern) bool {
	for i := range min(len(a.segments), len(b.segments)) {
		if rankA, rankB := rank(a.segments[i]), rank(b.segments[i]); rankA != rankB {
			return rankA < rankB
		}
	}
	return false
}

func rank(segment string) int {
	if segment == "" {
		return 0
	}
	return max(0, strings.IndexByte(":*", segment[0])+1)
}

// methodsOf returns the methods that Allow must have for a path.
func methodsOf(all []pattern, path []string) []string {
	var methods []string
	for _, method := range []string{"DELETE", "GET", "PATCH", "POST", "PUT"} {
		if best(all, method, path) != nil {
			if methods = append(methods, method); method == "GET" {
				methods = append(methods, "HEAD")
			}
		}
	}
	if len(methods) > 0 {
		methods = append(methods, "OPTIONS")
		slices.Sort(methods)
	}
	return methods
}

func TestRouter_ReachesEveryRoute(t *testing.T) {
	t.Parallel()
	s, all := wholeTable(t)
	for _, p := range all {
		path := slices.Clone(p.segments)
		for i, segment := range path {
			if rank(segment) > 0 {
				path[i] = "some-id"
			}
		}
		checkRouted(t, s, all, p.method, strings.Join(path, "/"))
	}
}

// TestRouter_PrefersLiterals compares the router with best on random paths made of the segments of
// the table.
func TestRouter_PrefersLiterals(t *testing.T) {
	t.Parallel()
	s, all := wholeTable(t)
	segments := []string{"", "x", "verify"}
	for _, p := range all {
		segments = append(segments, p.segments...)
	}
	slices.Sort(segments)
	segments = slices.Compact(segments)
	random := rand.New(rand.NewPCG(1, 2))
	methods := []string{"GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"}
	seen := map[string]bool{}
	for range 30_000 {
		p := all[random.IntN(len(all))]
		path := slices.Clone(p.segments)
		for i := 1; i < len(path); i++ {
			if rank(path[i]) > 0 || random.IntN(8) == 0 {
				path[i] = strings.TrimLeft(segments[random.IntN(len(segments))], ":*")
			}
		}
		if random.IntN(20) == 0 {
			path = append(path, segments[random.IntN(len(segments))])
		}
		method, address := methods[random.IntN(len(methods))], strings.Join(path, "/")
		if !seen[method+address] {
			seen[method+address] = true
			checkRouted(t, s, all, method, address)
		}
	}
}

// checkRouted checks that the right route answers a request.
func checkRouted(t *testing.T, s *site, all []pattern, method, path string) {
	t.Helper()
	got := s.do(method, path, "")
	segments := strings.Split(path, "/")
	allow := methodsOf(all, segments)
	lookup := method
	if method == http.MethodHead {
		lookup = http.MethodGet
	}
	want := best(all, lookup, segments)
	switch {
	case want != nil:
		// Only routes of the host answer with their names.
		name := got.Header().Get("X-Route")
		if want.ofHost != (name != "") || want.ofHost && name != want.String() ||
			got.Header().Get("Allow") != "" || got.Code == http.StatusNotFound &&
			strings.Contains(got.Body.String(), "Route not found") {
			t.Errorf("%s %s: %d by %q, want %s", method, path, got.Code, name, want)
		}
	case len(allow) == 0:
		if got.Code != http.StatusNotFound || got.Header().Get("Allow") != "" {
			t.Errorf("%s %s: %d, Allow %q; want 404", method, path, got.Code,
				got.Header().Get("Allow"))
		}
	default:
		status := http.StatusMethodNotAllowed
		if method == http.MethodOptions {
			status = http.StatusNoContent
		}
		if got.Code != status || got.Header().Get("Allow") != strings.Join(allow, ", ") {
			t.Errorf("%s %s: %d, Allow %q; want %d, %q", method, path, got.Code,
				got.Header().Get("Allow"), status, strings.Join(allow, ", "))
		}
	}
}
