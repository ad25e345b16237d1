package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/julienschmidt/httprouter"
)

// routed serves a request whose route is known.
type routed func(w http.ResponseWriter, c *call)

// router hides that httprouter cannot hold a literal and a parameter in one
// place (/api/course/all beside /api/course/:id). It keeps as many trees as that
// takes, the more literal routes in the earlier ones: a request is served by the
// first tree that knows it. Redirects for slashes and case are off.
type router struct {
	ids     map[string]bool
	rows    []placed
	methods []string
	trees   []*httprouter.Router
	refuse  func(w http.ResponseWriter, r *http.Request, err error)
}

type placed struct {
	method, path string
	anyOrigin    bool
	serve        routed
	tree         int
}

// probe takes the place of the ResponseWriter where only the route of a request is
// asked for.
type probe struct {
	http.ResponseWriter
	anyOrigin bool
}

func newRouter(refuse func(http.ResponseWriter, *http.Request, error)) *router {
	return &router{ids: map[string]bool{}, refuse: refuse}
}

// add takes a row; a second one of the same id, or of the same method and shape,
// is an error.
func (m *router) add(row Route, h routed) error {
	shape := literalFirst(row.Path)
	if m.ids[row.ID] {
		return errors.New("the table has another route of the same id")
	}
	m.ids[row.ID] = true
	for _, p := range m.rows {
		if p.method == row.Method && literalFirst(p.path) == shape {
			return errors.New("the table has another route of the same method and path")
		}
	}
	m.rows = append(m.rows, placed{method: row.Method, path: row.Path, anyOrigin: row.AnyOrigin, serve: h})
	if row.Method == http.MethodGet { // a HEAD is answered as a GET
		m.rows = append(m.rows, placed{method: http.MethodHead, path: row.Path, anyOrigin: row.AnyOrigin, serve: h})
	}
	return nil
}

// build puts each route into the first tree behind all of its more literal
// rivals.
func (m *router) build() *router {
	slices.SortStableFunc(m.rows, func(a, b placed) int { return cmp.Compare(literalFirst(a.path), literalFirst(b.path)) })
	for i := range m.rows {
		row := &m.rows[i]
		for _, earlier := range m.rows[:i] {
			if earlier.method == row.method && rivals(earlier.path, row.path) {
				row.tree = max(row.tree, earlier.tree+1)
			}
		}
		m.plant(*row)
	}
	return m
}

func (m *router) plant(row placed) {
	for len(m.trees) <= row.tree {
		t := httprouter.New()
		t.RedirectTrailingSlash, t.RedirectFixedPath = false, false
		t.HandleMethodNotAllowed, t.HandleOPTIONS = false, false
		m.trees = append(m.trees, t)
	}
	m.trees[row.tree].Handle(row.method, row.path, func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
		if asked, ok := w.(*probe); ok {
			asked.anyOrigin = row.anyOrigin
			return
		}
		row.serve(w, &call{Request: r, params: ps})
	})
	if !slices.Contains(m.methods, row.method) {
		m.methods = append(m.methods, row.method)
		slices.Sort(m.methods)
	}
}

// ServeHTTP serves the first route that fits, or refuses: 404 for a path that no
// method knows, 405 with Allow for one that another method knows.
func (m *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Databases refuse text that is no UTF-8, and no id of ours has a zero byte.
	if !utf8.ValidString(r.URL.Path) || strings.Contains(r.URL.Path, "\x00") {
		m.refuse(w, r, errRouteNotFound)
		return
	}
	if h, ps := m.find(r.Method, r.URL.Path); h != nil {
		h(w, r, ps)
		return
	}
	allowed := m.allowed(r.URL.Path)
	if len(allowed) == 0 {
		m.refuse(w, r, errRouteNotFound)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	m.refuse(w, r, errMethodNotAllowed)
}

// find looks a path up. An empty parameter, which httprouter takes in the middle of
// a path, is none.
func (m *router) find(method, path string) (httprouter.Handle, httprouter.Params) {
	for _, t := range m.trees {
		h, ps, _ := t.Lookup(method, path)
		if h != nil && !slices.ContainsFunc(ps, func(p httprouter.Param) bool { return p.Value == "" }) {
			return h, ps
		}
	}
	return nil, nil
}

// servesAnyOrigin reports whether the route of a request, or the route that a preflight
// asks for, may be read from every origin.
func (m *router) servesAnyOrigin(r *http.Request) bool {
	method := r.Method
	if method == http.MethodOptions {
		method = r.Header.Get("Access-Control-Request-Method")
	}
	h, _ := m.find(method, r.URL.Path)
	if h == nil {
		return false
	}
	var p probe
	h(&p, nil, nil)
	return p.anyOrigin
}

// allowed lists the methods that know a path.
func (m *router) allowed(path string) []string {
	var methods []string
	for _, method := range m.methods {
		if h, _ := m.find(method, path); h != nil {
			methods = append(methods, method)
		}
	}
	if len(methods) > 0 {
		methods = append(methods, http.MethodOptions)
		slices.Sort(methods)
	}
	return methods
}

// literalFirst is a path under which literal segments sort before parameters,
// and parameters before the rest of a path, whatever their names.
func literalFirst(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		switch {
		case strings.HasPrefix(s, ":"):
			segments[i] = "\xfe"
		case strings.HasPrefix(s, "*"):
			segments[i] = "\xff"
		}
	}
	return strings.Join(segments, "/")
}

// rivals tells whether httprouter would refuse both in one tree: the first
// segment in which they differ is no literal in one of them.
func rivals(a, b string) bool {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for i := range min(len(as), len(bs)) {
		if as[i] != bs[i] {
			return isParameter(as[i]) || isParameter(bs[i])
		}
	}
	return false
}

func isParameter(segment string) bool {
	return strings.HasPrefix(segment, ":") || strings.HasPrefix(segment, "*")
}

// String lists the trees, for the message of a failing test.
func (m *router) String() string {
	var b strings.Builder
	for _, row := range m.rows {
		fmt.Fprintf(&b, "%d %s %s\n", row.tree, row.method, row.path)
	}
	return b.String()
}
