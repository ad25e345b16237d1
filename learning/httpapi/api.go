package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/spool"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

// api holds what the handlers of all routes share.
type api struct {
	nilOptions nilarg.Options

	platform   *learning.Platform
	server     web.Server
	origin     string // of the front end
	publicURL  string
	limits     map[string]Limit // by name
	newLimiter func(Limit) (Limiter, error)
	extra      []Route

	notConfigured []*core.Error // the providers that the platform lacks

	requests map[string]requestShape // by the id of the route

	catalogue  catalogue
	courseData *schema // of the part of an upload

	agents agents

	imports chan struct{} // has an element for each package or quiz that is imported
	spools  *spool.Space  // of the bodies that are received into temporary files

	docs        http.Handler // the files of Swagger UI; nil for no reference page
	docsUsers   func() []DocsUser
	description func() (storedAnswer, error) // returns the OpenAPI document, made by the first call
}

// New returns a handler that serves all routes of the API for a platform. It logs to the logger of
// the platform, a line for each request, and its observer learns of requests, rate limits and the
// list of courses. New returns an error if an option or a row of the route table is invalid. It
// starts no goroutine, reads no environment, and the handler need not be closed. The handler is
// safe for concurrent use. It serves absolute paths such as /api/course/all: to mount it under a
// prefix, use [http.StripPrefix], and give the URLs of the options the prefix too
// (docs/mounting.md).
func New(platform *learning.Platform, opts ...Option) (http.Handler, error) {
	if platform == nil || platform.Logger() == nil { // New of learning always sets one
		return nil, errors.New("httpapi: the platform is nil or empty: make it with learning.New")
	}
	a := newAPI(platform)
	if err := nilarg.Apply("httpapi", a, opts); err != nil {
		return nil, err
	}
	// Refuse invalid options, schemas and rows now, and not in a request.
	if err := a.checkOptions(); err != nil {
		return nil, err
	}
	var err error
	if a.courseData, err = schemaFor(reflect.TypeFor[newCourse]()); err != nil {
		return nil, err
	}
	router, rows, err := a.routes()
	if err != nil {
		return nil, err
	}
	// From the inside out: router, check of the origin, security headers, access log.
	sameOrigin := a.server.SameOrigin(router, a.origin, web.OriginOf(a.publicURL))
	reminding := &runReminder{next: sameOrigin, platform: platform}
	handler := a.server.AccessLog(web.Secure(reminding))
	return handler, a.prepareAgents(rows, handler)
}

// newAPI returns an api without options.
func newAPI(platform *learning.Platform) *api {
	a := &api{
		platform:   platform,
		origin:     developmentOrigin,
		limits:     builtInLimits(),
		newLimiter: NewMemoryLimiter,
		imports:    make(chan struct{}, maxImports),
		spools:     spool.NewSpace(spoolSize, spoolOfUser),
		server: web.Server{
			Log:         platform.Logger(),
			FailureBody: failureBody,
			Deadlines:   web.DefaultDeadlines,
			Bodies:      web.NewBodyMemory(web.AnonymousBodies, web.KnownBodies),
			Answers:     web.NewAnswerMemory(web.AnswerBytes),
		},
	}
	a.server.AnswerTo, a.server.Observe = a.answerTo, a.observeRequest
	a.server.ProblemType = problemType
	a.catalogue.calls.OnPanic = a.logPanic
	return a
}

// checkOptions returns an error that names an option with an invalid value.
func (a *api) checkOptions() error {
	switch {
	case !web.IsOrigin(a.origin):
		return fmt.Errorf("httpapi: front-end origin %q: it must look like "+
			"https://learn.example.org, without a path", a.origin)
	case a.server.Answers.Half < web.SmallAnswer:
		return fmt.Errorf("httpapi: %d bytes for large answers: at least %d are needed",
			2*a.server.Answers.Half, 2*web.SmallAnswer)
	}
	return a.nilOptions.Err("httpapi")
}

// routes returns a router for the rows of the route table, and these rows.
func (a *api) routes() (made *web.Router, rows []Route, err error) {
	rows = table()
	if a.docs == nil {
		rows = slices.DeleteFunc(rows, func(r Route) bool { return docsRoutes[r.ID] })
	}
	if a.agents.protocol != nil {
		rows = append(rows, a.agentRoute())
	}
	rows = append(rows, a.extra...)
	if err = a.applyLimits(rows); err != nil {
		return nil, nil, err
	}
	a.notConfigured = a.platform.NotConfigured()
	a.logNotConfigured(rows)
	// The first request of the document makes it, because that takes longer than the rest of New.
	// It cannot fail because of a row of the host: only the rows of the table have types that need
	// a schema, and the tests describe these.
	a.description = sync.OnceValues(func() (storedAnswer, error) {
		document, err := a.describe(rows)
		if err != nil {
			return storedAnswer{}, err
		}
		return newStoredAnswer(document)
	})
	router := web.NewRouter(a.server.Fail)
	a.server.IsWebhook = router.IsWebhook
	a.requests = map[string]requestShape{}
	for _, row := range rows {
		a.requests[row.ID] = shapeOf(row)
		route, err := a.route(row)
		if err == nil {
			err = router.Add(route)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("httpapi: route %s (%s %s): %w", row.ID, row.Method, row.Path,
				err)
		}
	}
	return router.Build(), rows, nil
}
