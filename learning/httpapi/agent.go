package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

// Tool is a route of the table as an agent calls it: see [WithAgents].
type Tool struct {
	Name        string // the id of the route, with _ in place of each dot
	Title       string // what it does, in a few words
	Description string
	Arguments   json.RawMessage // the JSON Schema of the object of its arguments
	ReadsOnly   bool            // whether it changes nothing
	Overwrites  bool            // whether it removes or replaces something

	row    Route
	places map[string]place // where each argument goes, by its name
}

// AgentProtocol is a protocol by which agents call tools. Package mcpserver has one.
type AgentProtocol interface {
	// Handler returns the handler of the requests of agents that may use the tools. It calls call
	// for each call of a tool. It must be safe for concurrent use.
	Handler(tools []Tool, call CallTool) http.Handler
}

// CallTool calls a tool for the agent that has sent the request r, which is that of the handler of
// an [AgentProtocol]. arguments are a JSON object, or empty. The answer is JSON: that of the route,
// or if failed is true a problem of RFC 9457.
type CallTool func(r *http.Request, tool Tool, arguments []byte) (answer string, failed bool)

// AgentTools says which tools agents get.
type AgentTools int

const (
	// OrdinaryTools are those that move no money and end no access.
	OrdinaryTools AgentTools = iota
	// AllTools are also those that buy, refund, grant and delete. An agent reads what students
	// write, which may tell it to use them.
	AllTools
)

// WithAgents serves the routes that take and answer JSON to agents, at POST /mcp. protocol is that
// of package mcpserver:
//
// handler, err := httpapi.New(platform, httpapi.WithAgents(mcpserver.New(), httpapi.OrdinaryTools))
//
// An agent sends the token of its user as any client does. A call of a tool is a request of that
// user to the route, with the same access rule, limits and log line. Without the option there is no
// such route.
func WithAgents(protocol AgentProtocol, tools AgentTools) Option {
	return func(a *api) {
		a.agents.protocol = nilarg.Given(&a.nilOptions, "WithAgents", protocol)
		a.agents.all = tools == AllTools
	}
}

// agentRoute returns the route that the handler has with [WithAgents] only, and sets its limit if
// the host has set none.
func (a *api) agentRoute() Route {
	if _, isSet := a.limits[AgentLimit]; !isSet {
		a.setLimit(Limit{Name: AgentLimit, Requests: 600, Window: 10 * time.Minute,
			Message: "Too many requests of an agent. Please try again later."})
	}
	return Route{ID: "agent", Method: http.MethodPost, Path: "/mcp", Access: Public,
		Limit: AgentLimit, undocumented: true, Do: raw((*api).serveAgent)}
}

// agents are what the route of the agents serves.
type agents struct {
	protocol AgentProtocol // nil for none
	all      bool          // see AllTools
	// the handlers for each audience, made by the first request of one
	handlers [audiences]func() http.Handler
	api      http.Handler // what a call of a tool asks
}

// audience is a kind of callers, who may use the same tools.
type audience int

const (
	anyone     audience = iota
	anyToken            // with a valid token, also a deleted user
	students            // signed in, with no other role
	educators           // with the role educator
	admins              // with the role admin
	audiences           // how many there are
	noAudience = -1
)

// mayUse are the audiences that pass each access rule, from the given one on. Staff is for
// educators and admins, and Educators not for admins.
var mayUse = map[Access]audience{
	Public:       anyone,
	OptionalAuth: anyone,
	AnyToken:     anyToken,
	SignedIn:     students,
	Educators:    educators,
	Staff:        educators,
	Admins:       admins,
	Signature:    noAudience,
}

// has reports whether callers of an audience pass an access rule.
func (who audience) has(rule Access) bool {
	least := mayUse[rule]
	return least != noAudience && who >= least && (rule != Educators || who == educators)
}

// agentRule says which agents get a route, if it takes and answers JSON.
type agentRule int

const (
	byMethod agentRule = iota // all, except for DELETE, which is withAllTools
	withAllTools
	never // a document, which is to be kept and not to be read
)

// prepareAgents makes the tools of the rows, which no request changes. It returns an error if an
// argument of a tool would have two places. handler is what a call of a tool asks.
func (a *api) prepareAgents(rows []Route, handler http.Handler) error {
	if a.agents.protocol == nil {
		return nil
	}
	var all []Tool
	for _, row := range rows {
		if !row.isTool(a.agents.all) {
			continue
		}
		tool, err := newTool(row)
		if err != nil {
			return fmt.Errorf("httpapi: route %s as a tool: %w", row.ID, err)
		}
		all = append(all, tool)
	}
	a.agents.api = handler
	for who := range audiences {
		tools := slices.Clone(all)
		tools = slices.DeleteFunc(tools, func(t Tool) bool { return !who.has(t.row.Access) })
		a.agents.handlers[who] = sync.OnceValue(func() http.Handler {
			return a.agents.protocol.Handler(tools, a.callTool)
		})
	}
	return nil
}

// isTool reports whether a row is a tool: it takes and answers JSON, and all says whether agents
// get what moves money or ends access.
func (row Route) isTool(all bool) bool {
	do := row.Do
	takesJSON := do.form == nil && do.event == nil && !do.takesFile
	guarded := row.agents == withAllTools || row.Method == http.MethodDelete
	return do.out != nil && takesJSON && row.agents != never && !row.undocumented &&
		(all || !guarded)
}

// newTool returns the tool of a row.
func newTool(row Route) (Tool, error) {
	arguments, places, err := argumentsOf(row)
	if err != nil {
		return Tool{}, err
	}
	isPost := row.Method == http.MethodPost
	return Tool{
		Name:        strings.ReplaceAll(row.ID, ".", "_"),
		Title:       row.Summary,
		Description: strings.TrimSpace(row.Summary + ". " + row.Description),
		Arguments:   arguments,
		ReadsOnly:   row.Method == http.MethodGet,
		Overwrites:  row.Method != http.MethodGet && (!isPost || row.agents == withAllTools),

		row:    row,
		places: places,
	}, nil
}

// serveAgent answers a request of an agent.
func (a *api) serveAgent(w http.ResponseWriter, c *call) error {
	who, err := c.audience()
	if errors.Is(err, core.ErrUnauthenticated) {
		// What an agent must do before it asks again (RFC 6750).
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	}
	if err != nil {
		return err
	}
	body, err := c.ReadAll(w, maxAgentBody)
	if err != nil {
		return bodyError(err)
	}
	// A batch would be many requests.
	if !bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{")) {
		return errNoBatch
	}
	if err := checkJSON(c.Context(), body); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", privateAnswer)
	a.agents.handlers[who]().ServeHTTP(w, withBody(c.Request, body))
	return nil
}

// audience returns the one of the caller. It returns [core.ErrUnauthenticated] for a token that is
// not valid: a caller without one gets the tools for anyone, but an agent whose token has expired
// must learn of it.
func (c *call) audience() (audience, error) {
	if c.Header.Get("Authorization") == "" {
		return anyone, nil
	}
	claims, err := c.claims()
	if err != nil {
		return anyone, err
	}
	if claims.UserID == "" {
		return anyone, core.ErrUnauthenticated
	}
	if c.actor, err = c.api.platform.People.Identify(c.Context(), claims); err != nil {
		return anyone, err
	}
	switch {
	case !c.actor.SignedIn():
		return anyToken, nil
	case c.actor.Role == core.Admin:
		return admins, nil
	case c.actor.Role == core.Educator:
		return educators, nil
	default:
		return students, nil
	}
}

// errNoBatch is the failure of a message that is not one JSON object.
var errNoBatch = &web.Failure{Status: http.StatusBadRequest, Code: "not_one_message",
	Message: "The body must be one message: a JSON object"}
