package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/julienschmidt/httprouter"
)

// Server holds what all requests of an API share. It must not be copied after the first request.
type Server struct {
	Log     *slog.Logger
	Proxies []netip.Prefix // the networks of trusted proxies

	// AnswerTo returns what is answered to an error.
	AnswerTo func(*http.Request, error) Answer
	// FailureBody returns the JSON of a failure for requests that want no problem.
	FailureBody func(r *http.Request, message string) []byte
	// IsWebhook reports whether a provider sends webhooks to the path of a request.
	IsWebhook func(*http.Request) bool
	// ProblemType returns the type of problems with a code: a URL that describes the failure.
	ProblemType func(code string) string
	// Observe is called when a request begins, and end when its answer is written.
	Observe func(r *http.Request) (ctx context.Context,
		end func(info *Info, status int, bytes int64))

	Deadlines Deadlines
	Bodies    BodyMemory
	Answers   *AnswerMemory
}

// Call is a request while it is served. Whoever makes one calls End after the answer.
type Call struct {
	*http.Request
	Server *Server
	Params httprouter.Params
	// Caller says who calls, because callers without a valid token have memory of their own, and
	// each caller has a part of the memory at most.
	Caller Caller

	held     int64    // bytes of answer memory; see Hold
	releases []func() // release the memory of the body; called by End
}

// Caller is who sends a request.
type Caller interface {
	IsKnown() bool // whether the request has a valid token
	Key() string   // the same for all requests of the caller
}

// Param returns a parameter of the path, decoded.
func (c *Call) Param(name string) string { return c.Params.ByName(name) }

// End releases the memory of the request's body. The memory of the answer is released by Run.
func (c *Call) End() {
	for _, release := range c.releases {
		release()
	}
}
