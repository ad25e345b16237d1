package web

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/julienschmidt/httprouter"
)

// Route is one route of a [Router].
type Route struct {
	ID     string
	Method string
	Path   string // with :name for a parameter, *name for the rest
	Alias  string // a second path with the same parameters; "" for none
	// AnyOrigin lets the pages of every origin read the answers, without credentials.
	AnyOrigin bool
	// Webhook means that a provider sends webhooks to the route.
	Webhook bool
	// Options are headers of the answer to OPTIONS of the path; nil for none.
	Options http.Header
	Serve   func(w http.ResponseWriter, r *http.Request, params httprouter.Params)
}

// Router serves routes. One httprouter tree cannot hold a literal and a
// parameter in the same segment, such as /api/course/all and /api/course/:id, so Router has
// several trees. More literal routes are in earlier trees, and the first tree that knows a
// path serves it. Redirects for slashes and case are off.
type Router struct {
	ids     map[string]bool
	entries []entry
	methods []string
	trees   []*httprouter.Router
	refuse  func(w http.ResponseWriter, r *http.Request, err error)
}

// entry is a path of a route with one of its methods.
type entry struct {
	method, path string
	segments     []string // of path
	order        string   // literalFirst of path
	anyOrigin    bool
	webhook      bool
	options      http.Header
	serve        httprouter.Handle
	tree         int // its index in the trees of the router
}

// probe is passed to a route in place of a ResponseWriter to learn what the entry of the route
// says.
type probe struct {
	http.ResponseWriter
	entry entry
}

// NewRouter returns a router without routes. refuse answers a request that has none.
func NewRouter(refuse func(http.ResponseWriter, *http.Request, error)) *Router {
	return &Router{ids: map[string]bool{}, refuse: refuse}
}

// Add adds a route. It returns an error if its path is invalid, and if the router has another route
// with the same id, or with the same method and path. It does not check the syntax of the alias.
func (m *Router) Add(route Route) error {
	if err := checkPath(route.Path); err != nil {
		return err
	}
	if m.ids[route.ID] {
		return errors.New("the table has another route of the same id")
	}
	m.ids[route.ID] = true
	if route.Alias != "" {
		if err := m.addPath(route.Alias, route); err != nil {
			return err
		}
	}
	return m.addPath(route.Path, route)
}

// addPath adds the entries of a route for one of its paths: two for a GET route, which also answers
// HEAD.
func (m *Router) addPath(path string, route Route) error {
	segments := strings.Split(path, "/")
	// Two paths that differ only in the names of their parameters have the same order.
	order := literalFirst(segments)
	for _, known := range m.entries {
		if known.method == route.Method && known.order == order {
			return errors.New("the table has another route of the same method and path")
		}
	}
	e := entry{method: route.Method, path: path, segments: segments, order: order,
		anyOrigin: route.AnyOrigin, webhook: route.Webhook, options: route.Options,
		serve: route.Serve}
	m.entries = append(m.entries, e)
	if route.Method == http.MethodGet { // the handler of a GET answers its HEAD
		e.method = http.MethodHead
		m.entries = append(m.entries, e)
	}
	return nil
}

// Build makes the trees, after the last Add and before the first request, and returns m. Each route
// is added to the first tree that comes after those of all more literal routes with which it
// conflicts.
func (m *Router) Build() *Router {
	// Literal segments sort first, so that each entry comes after those that it must not hide.
	slices.SortStableFunc(m.entries, func(a, b entry) int { return cmp.Compare(a.order, b.order) })
	for i := range m.entries {
		e := &m.entries[i]
		for _, earlier := range m.entries[:i] {
			if earlier.method == e.method && conflicts(earlier.segments, e.segments) {
				e.tree = max(e.tree, earlier.tree+1)
			}
		}
		m.addToTree(*e)
	}
	return m
}

// addToTree makes the entry's tree answer its method and path.
func (m *Router) addToTree(e entry) {
	for len(m.trees) <= e.tree {
		t := httprouter.New()
		// ServeHTTP answers unknown paths, other methods and OPTIONS itself, because a tree does
		// not know the routes of the others.
		t.RedirectTrailingSlash, t.RedirectFixedPath = false, false
		t.HandleMethodNotAllowed, t.HandleOPTIONS = false, false
		m.trees = append(m.trees, t)
	}
	m.trees[e.tree].Handle(e.method, e.path,
		func(w http.ResponseWriter, r *http.Request, ps httprouter.Params) {
			// A probe asks about the route without serving it.
			if asked, ok := w.(*probe); ok {
				asked.entry = e
				return
			}
			// Each answer of the route has this header. SameOrigin alone would not set it for a
			// request without Origin, and would name the front end in an answer to the front end.
			if e.anyOrigin {
				w.Header().Set("Access-Control-Allow-Origin", anyOrigin)
			}
			e.serve(w, r, ps)
		})
	if !slices.Contains(m.methods, e.method) {
		m.methods = append(m.methods, e.method)
		slices.Sort(m.methods)
	}
}

// ServeHTTP serves the first matching route. It answers 404 for an unknown path, 405 with Allow for
// a path that has routes of other methods only, and 204 with Allow for OPTIONS of a known path.
func (m *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Databases refuse text that is not UTF-8, and ids never contain a zero byte.
	if !utf8.ValidString(r.URL.Path) || strings.Contains(r.URL.Path, "\x00") {
		m.refuse(w, r, ErrRouteNotFound)
		return
	}
	// A route of this method and path.
	if h, ps := m.find(r.Method, r.URL.Path); h != nil {
		h(w, r, ps)
		return
	}
	// None: the path is unknown, or known with other methods.
	allowed := m.allowed(r.URL.Path)
	if len(allowed) == 0 {
		m.refuse(w, r, ErrRouteNotFound)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	if r.Method == http.MethodOptions {
		for _, method := range allowed {
			if h, _ := m.find(method, r.URL.Path); h != nil {
				maps.Copy(w.Header(), entryOf(h).options)
			}
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	m.refuse(w, r, ErrMethodNotAllowed)
}

// find returns the handler of a path in the first tree that has one, or nil. A path with an empty
// parameter, which httprouter accepts in the middle of a path, has none.
func (m *Router) find(method, path string) (httprouter.Handle, httprouter.Params) {
	for _, t := range m.trees {
		h, ps, _ := t.Lookup(method, path)
		if h != nil && !slices.ContainsFunc(ps,
			func(p httprouter.Param) bool { return p.Value == "" }) {
			return h, ps
		}
	}
	return nil, nil
}

// servesAnyOrigin reports whether the route of a request, or the route that a preflight
// asks for, may be read from every origin.
func (m *Router) servesAnyOrigin(r *http.Request) bool {
	method := r.Method
	if method == http.MethodOptions {
		method = r.Header.Get("Access-Control-Request-Method")
	}
	h, _ := m.find(method, r.URL.Path)
	return h != nil && entryOf(h).anyOrigin
}

// IsWebhook reports whether the route of a request has [Route.Webhook], or, if its path has routes
// of other methods only, whether one of them has.
func (m *Router) IsWebhook(r *http.Request) bool {
	if h, _ := m.find(r.Method, r.URL.Path); h != nil {
		return entryOf(h).webhook
	}
	return slices.ContainsFunc(m.methods, func(method string) bool {
		h, _ := m.find(method, r.URL.Path)
		return h != nil && entryOf(h).webhook
	})
}

// entryOf returns the entry of a handler that find has returned. The handlers of addToTree answer a
// probe without reading the request.
func entryOf(h httprouter.Handle) entry {
	var p probe
	h(&p, nil, nil)
	return p.entry
}

// allowed returns the methods of a path in alphabetical order, with OPTIONS, or none if no route
// has the path.
func (m *Router) allowed(path string) []string {
	var methods []string
	for _, method := range m.methods {
		if h, _ := m.find(method, path); h != nil { // a route of this method has the path
			methods = append(methods, method)
		}
	}
	if len(methods) > 0 {
		methods = append(methods, http.MethodOptions)
		slices.Sort(methods)
	}
	return methods
}

// literalFirst returns a sort key for the segments of a path: literal segments sort before
// parameters, and parameters before a rest parameter. Names of parameters do not matter.
func literalFirst(segments []string) string {
	keys := slices.Clone(segments)
	// The bytes fe and ff do not occur in UTF-8, and sort after all bytes that do.
	for i, s := range keys {
		switch {
		case strings.HasPrefix(s, ":"):
			keys[i] = "\xfe"
		case strings.HasPrefix(s, "*"):
			keys[i] = "\xff"
		}
	}
	return strings.Join(keys, "/")
}

// conflicts reports whether httprouter would refuse two paths, given as segments, in one
// tree: in the first segment that differs, one of them has a parameter.
func conflicts(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return IsParameter(a[i]) || IsParameter(b[i])
		}
	}
	return false
}

// IsParameter reports whether a segment of a path is a parameter.
func IsParameter(segment string) bool {
	return strings.HasPrefix(segment, ":") || strings.HasPrefix(segment, "*")
}

// String lists the trees for the messages of failing tests.
func (m *Router) String() string {
	var b strings.Builder
	for _, e := range m.entries {
		fmt.Fprintf(&b, "%d %s %s\n", e.tree, e.method, e.path)
	}
	return b.String()
}

// checkPath returns an error for a path at which httprouter would panic, and for a name that is
// used twice.
func checkPath(path string) error {
	if !strings.HasPrefix(path, "/") {
		return errors.New("its path does not begin with /: the method is a field of its own")
	}
	names, segments := map[string]bool{}, strings.Split(path, "/")
	for i, s := range segments {
		// The patterns of net/http have braces, which here would be a literal that nothing
		// requests.
		if strings.ContainsAny(s, "{}") {
			return fmt.Errorf("%q is no parameter: write :name, or *name for the rest of the path", s)
		}
		if !strings.ContainsAny(s, ":*") { // a literal
			continue
		}
		name := s[1:]
		switch {
		case !IsParameter(s) || name == "" || strings.ContainsAny(name, ":*"):
			return fmt.Errorf("%q is no parameter: that is : or * and a name", s)
		case names[name]:
			return fmt.Errorf("it has the parameter %q twice", name)
		case s[0] == '*' && i < len(segments)-1:
			return fmt.Errorf(
				"the parameter %q takes the rest of the path, and something follows it", s)
		}
		names[name] = true
	}
	return nil
}

// PathTemplate converts a path such as /api/course/:id to /api/course/{id}.
func PathTemplate(path string) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if IsParameter(s) {
			segments[i] = "{" + s[1:] + "}"
		}
	}
	return strings.Join(segments, "/")
}
