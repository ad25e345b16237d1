package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/learning"
)

// Route is one row of the route table.
type Route struct {
	ID     string // stable: names the route in logs, tests and the API document
	Method string
	Path   string // with :name for a parameter, *name for the rest
	Access Access
	Limit  *LimitClass // nil: not limited
	// OnDemand means that the action itself takes a token of the limit, by call.takeLimit, if
	// the request turns out to need one.
	OnDemand bool
	// AnyOrigin lets the pages of every origin read the answers, without credentials. It is
	// allowed for public GET routes only.
	AnyOrigin bool
	Summary   string
	Errors    []error // the failures it may answer, in addition to those of every route
	Do        Action
}

// Access is the rule that says who may call a route. [New] refuses a route with the zero
// Access.
type Access uint8

// The access rules (docs/api.md §1). The platform decides what depends on the object, such as
// its owner.
const (
	noRule       Access = iota
	Public              // every caller; an invalid token is ignored
	OptionalAuth        // every caller; the answer says more to a signed-in one
	AnyToken            // a caller with a valid token, also a deleted user
	SignedIn            // a user
	Educators           // a user with the role educator
	Admins              // a user with the role admin
	Signature           // a provider; the handler verifies the signature itself
)

// needsToken reports whether the rule refuses every caller without a valid token.
func (rule Access) needsToken() bool { return rule >= AnyToken && rule <= Admins }

// Action is what a route does. Hosts make one with [Handle].
type Action struct {
	in     reflect.Type // of the JSON body; nil when none is read
	form   reflect.Type // of the courseData part of a multipart body; nil when none is read
	out    reflect.Type // of the JSON answer; nil when the action writes its own
	events string       // what an answer in server-sent events is made of; "" for none
	run    func(a *api, w http.ResponseWriter, c *call) error
}

// none is the type of a request or an answer without fields.
type none struct{}

// do returns an action that calls fn. The JSON body is checked against the schema of In and
// decoded before. The answer is written with success: true.
func do[In, Out any](fn func(*api, *call, In) (Out, error)) Action {
	action := Action{in: reflect.TypeFor[In](), out: reflect.TypeFor[Out]()}
	if action.in == reflect.TypeFor[none]() {
		action.in = nil
	}
	action.run = func(a *api, w http.ResponseWriter, c *call) error {
		var in In
		if err := c.decode(&in); err != nil {
			return err
		}
		out, err := fn(a, c, in)
		if err != nil {
			return err
		}
		return c.writeSuccess(w, out)
	}
	return action
}

// doLarge returns an action as do does, for an answer that may be large and is made in one
// piece. Only a few of them are made at the same time.
func doLarge[Out any](fn func(*api, *call, none) (Out, error)) Action {
	return Action{out: reflect.TypeFor[Out](), run: func(a *api, w http.ResponseWriter, c *call) error {
		body, err := c.makeLarge(func() (any, error) { return fn(a, c, none{}) })
		if err != nil {
			return err
		}
		return c.writeBody(w, body)
	}}
}

// makeLarge waits for a slot, then makes and encodes an answer.
func (c *call) makeLarge(answer func() (any, error)) ([]byte, error) {
	memory := c.api.memory
	release, err := memory.whole.take(c.Context(), memory.wait)
	if err != nil {
		return nil, err
	}
	defer release()
	out, err := answer()
	if err != nil {
		return nil, err
	}
	return success(out)
}

// raw returns an action of a function that reads the request and writes the answer itself:
// webhooks, uploads, streams. An error of fn is written as the answer, so fn must not return
// one after it has begun to answer.
func raw(fn func(*api, http.ResponseWriter, *call) error) Action { return Action{run: fn} }

// doRaw returns an action as raw does, for a function with a JSON request that is checked and
// decoded as in do.
func doRaw[In any](fn func(*api, http.ResponseWriter, *call, In) error) Action {
	return Action{in: reflect.TypeFor[In](), run: func(a *api, w http.ResponseWriter, c *call) error {
		var in In
		if err := c.decode(&in); err != nil {
			return err
		}
		return fn(a, w, c, in)
	}}
}

// answering declares, for the API document, what a raw action answers.
func (action Action) answering(answer any) Action {
	action.out = reflect.TypeOf(answer)
	return action
}

// taking declares, for the API document, the JSON of the courseData part that a raw
// action reads from a multipart form.
func (action Action) taking(courseData any) Action {
	action.form = reflect.TypeOf(courseData)
	return action
}

// streaming declares, for the API document, which server-sent events a raw action answers.
func (action Action) streaming(events string) Action {
	action.events = events
	return action
}

// Handle returns an action that calls a handler of the host, for [WithRoutes].
func Handle(h http.Handler) Action {
	return raw(func(_ *api, w http.ResponseWriter, c *call) error {
		h.ServeHTTP(w, c.Request)
		return nil
	})
}

// check returns an error for an invalid row.
func (row Route) check() error {
	switch {
	case row.ID == "":
		return errors.New("it has no id")
	case row.Access == noRule || row.Access > Signature:
		return errors.New("it has no access rule")
	case row.Do.run == nil:
		return errors.New("it does nothing")
	case row.OnDemand && row.Limit == nil:
		return errors.New("it has no limit to take on demand")
	case row.AnyOrigin && (row.Access != Public || row.Method != http.MethodGet):
		return errors.New("only a public GET route may be read from every origin")
	case row.Method == "":
		return errors.New("it has no method")
	case !strings.HasPrefix(row.Path, "/"):
		return errors.New("its path does not begin with /")
	}
	return checkParameters(strings.Split(row.Path, "/"))
}

// checkParameters returns an error for a path at which the router would panic, and for a name
// that is used twice.
func checkParameters(segments []string) error {
	names := map[string]bool{}
	for i, s := range segments {
		if !strings.ContainsAny(s, ":*") {
			continue
		}
		name := s[1:]
		switch {
		case !isParameter(s) || name == "" || strings.ContainsAny(name, ":*"):
			return fmt.Errorf("%q is no parameter: that is : or * and a name", s)
		case names[name]:
			return fmt.Errorf("it has the parameter %q twice", name)
		case s[0] == '*' && i < len(segments)-1:
			return fmt.Errorf("the parameter %q takes the rest of the path, and something follows it", s)
		}
		names[name] = true
	}
	return nil
}

// failures returns all failures that a row may answer: those that it declares, and those that
// follow from its access rule, its limit and its body.
func (row Route) failures() []error {
	all := slices.Clone(row.Errors)
	if row.Access.needsToken() {
		all = append(all, learning.ErrUnauthenticated, learning.ErrIdentityUnavailable, learning.ErrIdentityNotConfigured)
	}
	if row.Access == Educators || row.Access == Admins {
		all = append(all, learning.ErrForbidden)
	}
	if row.Limit != nil {
		all = append(all, row.Limit.refusal())
	}
	if row.Do.in != nil {
		all = append(all, learning.ErrInvalidRequest, errBodyTooLarge, errNotJSON)
	}
	if !row.AnyOrigin {
		all = append(all, errOriginNotAllowed)
	}
	return append(all, errUnexpected)
}

// handler returns what serves the requests of a row, in the order of docs/api.md §2: identity,
// limiter, JSON size and syntax, access rule, schema, action. The token is verified when the
// first of these steps needs it.
func (a *api) handler(row Route, limiters map[*LimitClass]*classLimiter) (routed, error) {
	if err := row.check(); err != nil {
		return nil, err
	}
	limit, known := limiters[row.Limit]
	if row.Limit != nil && !known {
		return nil, fmt.Errorf("limit class %q is not declared", row.Limit.Name)
	}
	schema, err := schemaFor(row.Do.in)
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, c *call) {
		c.api, infoOf(c.Request).route = a, row.ID
		defer c.end()
		if row.AnyOrigin {
			w.Header()["Access-Control-Allow-Origin"] = anyOrigin
		}
		if err := c.serve(w, row, limit, schema); err != nil {
			a.fail(w, c.Request, err)
		}
	}, nil
}

func (c *call) serve(w http.ResponseWriter, row Route, limit *classLimiter, schema *schema) error {
	if limit != nil {
		c.takeLimit = func() error { return limit.take(w, c) }
	}
	if limit != nil && !row.OnDemand {
		if err := c.takeLimit(); err != nil {
			return err
		}
	}
	tree, err := c.readJSON(w, schema)
	if err != nil {
		return err
	}
	if err := c.authorize(w, row.Access); err != nil {
		return err
	}
	if c.body, err = schema.normal(tree); err != nil {
		return err
	}
	return c.run(w, row.Do)
}

// authorize applies the access rule of a route and sets the actor.
func (c *call) authorize(w http.ResponseWriter, rule Access) (err error) {
	switch rule {
	case Public, Signature:
		return nil
	case OptionalAuth:
		return c.identifyOptional(w)
	}
	w.Header()["Cache-Control"] = privateAnswer
	claims, err := c.claims()
	if err != nil {
		return err
	}
	if claims.UserID == "" {
		return learning.ErrUnauthenticated
	}
	if rule == AnyToken {
		return nil
	}
	if c.actor, err = c.api.platform.Identify(c.Context(), claims); err != nil {
		return err
	}
	switch rule {
	case Educators:
		return c.actor.RequireRole(learning.Educator)
	case Admins:
		return c.actor.RequireRole(learning.Admin)
	default:
		return c.actor.Require()
	}
}

// identifyOptional sets the actor of a route with optional authentication. A caller whose
// token is missing, invalid or cannot be verified now stays anonymous.
func (c *call) identifyOptional(w http.ResponseWriter) (err error) {
	w.Header().Add("Vary", "Authorization")
	claims, err := c.claims()
	if err != nil || claims.UserID == "" {
		return nil
	}
	if c.actor, err = c.api.platform.Identify(c.Context(), claims); c.actor.SignedIn() {
		w.Header()["Cache-Control"] = privateAnswer
	}
	return err
}

// privateAnswer is the Cache-Control of answers for one user only.
var privateAnswer = []string{"private, no-store"}
