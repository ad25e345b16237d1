package httpapi

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"github.com/julienschmidt/httprouter"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// Route is one row of the route table.
type Route struct {
	ID     string // stable: names the route in logs, tests and the API document
	Method string
	Path   string // with :name for a parameter, *name for the rest
	Access Access
	// Limit is the name of the rate limit, a built-in one or one of [WithLimits]; "" for none.
	Limit string
	// onDemand means that the action itself takes a token of the limit, by call.admit, if
	// the request turns out to need one.
	onDemand bool
	// AnyOrigin lets the pages of every origin read the answers, without credentials. It is
	// allowed for public GET routes only.
	AnyOrigin bool
	Summary   string
	// Description says in the API document what Summary has no room for.
	Description string
	// Errors are the failures that the route may answer, without those that follow from Access,
	// such as [core.ErrForbidden], from Limit and from the body.
	Errors []error
	Do     Action

	// alias is a second path of the route, with the same parameters. The API document does not
	// have it, because it is ambiguous beside the path of another route.
	alias        string
	query        []parameter // all are optional
	undocumented bool        // the API document does not have the route
	agents       agentRule   // which agents get it as a tool
	limit        *rateLimit  // set by [New]
}

// check returns an error for an invalid row.
func (row Route) check() error {
	switch {
	case row.ID == "":
		return errors.New("it has no id")
	case row.Access == noRule || row.Access > Signature:
		return errors.New("it has no access rule")
	case row.Do.run == nil:
		return errors.New("it does nothing: set Do to the Handle of a handler that is not nil, or to a HandleFunc")
	case row.onDemand && row.Limit == "":
		return errors.New("it has no limit to take on demand")
	case row.AnyOrigin && (row.Access != Public || row.Method != http.MethodGet):
		return errors.New("only a public GET route may be read from every origin")
	case row.Method == "":
		return errors.New("it has no method")
	}
	return nil
}

// failures returns all failures that a row may answer: those that it declares, and those that
// follow from its access rule, its limit and its body.
func (row Route) failures() []error {
	all := slices.Clone(row.Errors)
	if row.Access.needsToken() {
		all = append(all, core.ErrUnauthenticated, people.ErrIdentityUnavailable,
			people.ErrIdentityNotConfigured)
	}
	if row.Access >= Educators && row.Access <= Admins { // the rules that need a role
		all = append(all, core.ErrForbidden)
	}
	if row.limit != nil {
		all = append(all, row.limit.refusal())
	}
	if row.Do.in != nil {
		all = append(all, core.ErrInvalidRequest, web.ErrBodyTooLarge, errNotJSON, errMalformedJSON)
	}
	if row.Do.form != nil {
		all = append(all, errBodyEnded)
	}
	if row.Do.form == courseForm {
		all = append(all, errMalformedJSON)
	}
	if !row.AnyOrigin {
		all = append(all, web.ErrOriginNotAllowed)
	}
	if row.Path != identityPath { // its webhook answers 500 in place of ErrBusy
		all = append(all, core.ErrBusy)
	}
	return append(all, web.ErrUnexpected)
}

// route returns the route of a row. It serves a request in the order of docs/api.md §2: limiter,
// JSON size and syntax, access rule, schema, action. The identity, which docs/api.md names first,
// is no step of its own: the token is verified when the first of these steps asks who calls.
func (a *api) route(row Route) (web.Route, error) {
	if err := row.check(); err != nil {
		return web.Route{}, err
	}
	schema, err := schemaFor(row.Do.in)
	if err != nil {
		return web.Route{}, err
	}
	// A call holds memory for its body until End, and tells package web by Caller who calls.
	serve := func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		web.InfoOf(r).Route = row.ID
		c := &call{Call: web.Call{Request: r, Server: &a.server, Params: params}, api: a,
			limit: row.limit}
		c.Caller = c
		defer c.End()
		if err := c.serve(w, row, schema); err != nil {
			a.server.Fail(w, c.Request, err) // writes the answer to the error
		}
	}
	made := web.Route{
		ID: row.ID, Method: row.Method, Path: row.Path, Alias: row.alias,
		AnyOrigin: row.AnyOrigin, Webhook: row.Access == Signature, Serve: serve,
	}
	if row.Do.takesFile {
		made.Options = a.tusOptions()
	}
	return made, nil
}

// readClass returns the class of the reads of a call. Callers without a valid token have a class of
// their own, so that they cannot take the connections of signed-in users. Webhooks and payments are
// urgent, so that other reads do not keep them waiting.
func (c *call) readClass(row Route) core.ReadClass {
	switch {
	case row.Access == Signature || row.Limit == PaymentLimit: // a webhook, or a payment
		return core.UrgentReads
	// A route that needs a token reads nothing for callers without one.
	case row.Access.needsToken() || c.IsKnown():
		return core.OrdinaryReads
	default:
		return core.AnonymousReads
	}
}

// serve answers a call in the order of [api.route]: limiter, JSON size and syntax, access rule,
// schema, action. schema is nil for an action without a JSON body. If serve returns an error, it
// has written no body, and the caller answers the error.
func (c *call) serve(w http.ResponseWriter, row Route, schema *schema) error {
	// The limiter comes first, so that refused requests cost neither a body nor a query.
	if row.limit != nil && !row.onDemand {
		err := c.admit(c.Context())
		c.writeQuota(w)
		if err != nil {
			return err
		}
	}
	// The size and the syntax of the body; the schema comes after the access rule.
	tree, bodyErr := c.readJSON(w, row.Do, schema)
	if bodyErr != nil && !(row.Do.judgesBody && isMalformed(bodyErr)) {
		return bodyErr
	}
	// The class decides which connections of the database the request may use. Ordinary is the
	// default.
	if class := c.readClass(row); class != core.OrdinaryReads {
		c.Request = c.WithContext(core.WithReadClass(c.Context(), class))
	}
	if err := c.authorize(w, row.Access); err != nil {
		return cmp.Or(bodyErr, err) // in the order of the steps
	}
	// The schema is checked last, so that only callers with access learn its rules.
	if bodyErr == nil {
		c.body, bodyErr = schema.normal(tree)
	}
	if bodyErr != nil && !row.Do.judgesBody {
		return bodyErr
	}
	c.bodyErr = bodyErr
	// Run releases the memory of the answer at the end. If no memory is free for it, the action
	// has written nothing: Run waits, and runs it again.
	return c.Run(func() error { return row.Do.run(c.api, w, c) })
}
