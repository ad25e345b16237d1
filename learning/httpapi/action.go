package httpapi

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

// Action is what a route does. Hosts make one with [Handle] or [HandleFunc].
type Action struct {
	in     reflect.Type // of the JSON body; nil when none is read
	form   reflect.Type // of the courseData part of a multipart body; nil when none is read
	out    reflect.Type // of the JSON answer; nil when the action writes its own
	limit  int64        // of the JSON body in bytes; 0 for maxJSON
	events string       // describes the server-sent events that it answers; "" for none
	event  reflect.Type // of the JSON body of a webhook

	contents    map[string]reflect.Type // of other answers by media type; nil for text
	revalidates bool                    // whether it answers 304 to If-None-Match
	searches    bool                    // whether it may take a slot for searches

	status    int      // of a success; 0 for 200
	headers   []string // names of headers of a success, which are in headers
	takesFile bool     // whether its body has the type offsetType

	// judgesBody is whether the action gets a body that is no valid JSON too, as call.bodyErr,
	// because it depends on the state whether the body counts.
	judgesBody bool

	run func(a *api, w http.ResponseWriter, c *call) error
}

// none is the type of a request or an answer without fields.
type none struct{}

// do returns an action that calls fn. The JSON body is checked against the schema of In and
// decoded before. The answer is written with success: true. If fn returns an error, its answer is
// ignored.
func do[In, Out any](fn func(*api, *call, In) (Out, error)) Action {
	action := Action{in: reflect.TypeFor[In](), out: reflect.TypeFor[Out]()}
	if action.in == reflect.TypeFor[none]() { // it takes no body, and reads none
		action.in = nil
	}
	action.run = func(a *api, w http.ResponseWriter, c *call) error {
		var in In
		if err := c.fillRequest(&in); err != nil {
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
	return Action{out: reflect.TypeFor[Out](),
		run: func(a *api, w http.ResponseWriter, c *call) error {
			// MakeLarge waits for one of a few slots, and encodes what fn returns.
			body, err := c.MakeLarge(func() (any, error) { return fn(a, c, none{}) })
			if err != nil {
				return err
			}
			return c.WriteBody(w, body)
		}}
}

// upTo sets the largest JSON body of an action, in bytes.
func (action Action) upTo(limit int64) Action {
	action.limit = limit
	return action
}

// judging lets an action decide on a body that is not valid: it then gets the zero request, and
// call.bodyErr, which it must return unless the content of the body does not count.
func (action Action) judging() Action {
	action.judgesBody = true
	return action
}

// raw returns an action of a function that reads the request and writes the answer itself:
// webhooks, uploads, streams. An error of fn is written as the answer, so fn must not return
// one after it has begun to answer.
func raw(fn func(*api, http.ResponseWriter, *call) error) Action { return Action{run: fn} }

// doRaw returns an action as raw does, for a function with a JSON request that is checked and
// decoded as in do.
func doRaw[In any](fn func(*api, http.ResponseWriter, *call, In) error) Action {
	return Action{in: reflect.TypeFor[In](),
		run: func(a *api, w http.ResponseWriter, c *call) error {
			var in In
			if err := c.fillRequest(&in); err != nil {
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

// writing declares, for the API document, that a raw action answers another media type. value
// has the type of the JSON, and is nil for text.
func (action Action) writing(kind string, value any) Action {
	action.contents = maps.Clone(action.contents)
	if action.contents == nil {
		action.contents = map[string]reflect.Type{}
	}
	action.contents[kind] = reflect.TypeOf(value)
	return action
}

// resuming declares, for the API document, that a raw action takes a part of a file as its body,
// and the status of its success.
func (action Action) resuming(status int) Action {
	action.takesFile, action.status = true, status
	return action
}

// emptily declares, for the API document, the status of the success of a raw action that answers no
// body.
func (action Action) emptily(status int) Action {
	action.status = status
	return action
}

// heading declares, for the API document, headers of a success.
func (action Action) heading(names ...string) Action {
	action.headers = names
	return action
}

// receiving declares, for the API document, the JSON that a webhook reads.
func (action Action) receiving(event any) Action {
	action.event = reflect.TypeOf(event)
	return action
}

// searching declares, for the API document, that a raw action searches by call.MakeSearch.
func (action Action) searching() Action {
	action.searches = true
	return action
}

// revalidating declares, for the API document, that a raw action answers 304 to If-None-Match.
func (action Action) revalidating() Action {
	action.revalidates = true
	return action
}

// Handle returns an action that calls a handler of the host, for [WithRoutes]. The handler is
// called after the route's limit and access rule have passed. [ActorFrom] returns the caller,
// and [http.Request.PathValue] returns the parameters of the path: for a path that ends in
// *name the rest of the path, without a slash before it. [New] refuses a route whose h is nil.
func Handle(h http.Handler) Action {
	if nilarg.Is(h) {
		return Action{}
	}
	return raw(func(_ *api, w http.ResponseWriter, c *call) error {
		h.ServeHTTP(w, c.requestOfHost())
		return nil
	})
}

// HandleFunc returns an action as [Handle] does, of a function that may return an error. The error
// is answered and logged as those of all routes are: a [core.Error], also one of the host, has the
// status of its kind and its message, a body that [http.MaxBytesReader] has cut off is a 413, and
// every other error is a 500 with a fixed text, whose cause only the log has. fn must not return an
// error after it has begun to answer. [New] refuses a route whose fn is nil.
func HandleFunc(fn func(w http.ResponseWriter, r *http.Request) error) Action {
	if fn == nil {
		return Action{}
	}
	return raw(func(_ *api, w http.ResponseWriter, c *call) error {
		err := fn(w, c.requestOfHost())
		return cmp.Or(web.BodyFailure(err), err)
	})
}

// requestOfHost returns the request as a handler of the host gets it: with the actor and the
// parameters of the path.
func (c *call) requestOfHost() *http.Request {
	r := c.WithContext(context.WithValue(c.Context(), actorKey{}, c.actor))
	for _, p := range c.Params {
		r.SetPathValue(p.Key, strings.TrimPrefix(p.Value, "/"))
	}
	return r
}

type actorKey struct{}

// ActorFrom returns the caller of a route of the host; ctx is that of the request. It is the
// zero Actor if the route's access rule is [Public], [AnyToken] or [Signature], or if the
// caller of an [OptionalAuth] route is not signed in.
func ActorFrom(ctx context.Context) core.Actor {
	actor, _ := ctx.Value(actorKey{}).(core.Actor)
	return actor
}
