package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync"

	"github.com/openlectern/openlectern/learning"
)

// api holds what the handlers of all routes share.
type api struct {
	platform   *learning.Platform
	log        *slog.Logger
	observer   learning.Observer // nil for none
	origin     string            // of the front end
	publicURL  string
	proxies    []netip.Prefix
	limits     map[string]Limit // by name
	newLimiter func(Limit) (Limiter, error)
	extra      []Route
	memory     *answerMemory

	notConfigured []*learning.Error // the providers that the platform lacks

	deadlines deadlines
	bodies    bodyBudget

	catalogue  catalogue
	courseData *schema // of the part of an upload

	docsUsers   func() []DocsUser
	description func() ([]byte, error) // returns the OpenAPI document, made by the first call
}

// New returns a handler that serves all routes of the API for a platform. It returns an
// error if an option or a row of the route table is invalid. It starts no goroutine and
// reads no environment. The handler is safe for concurrent use. It serves absolute paths such
// as /api/course/all: to mount it under a prefix, use [http.StripPrefix], and give the URLs of
// the options the prefix too (docs/mounting.md).
func New(platform *learning.Platform, opts ...Option) (http.Handler, error) {
	if platform == nil {
		return nil, errors.New("httpapi: a handler needs a platform")
	}
	a := &api{platform: platform, log: slog.New(slog.DiscardHandler), origin: developmentOrigin, limits: builtInLimits(), newLimiter: NewMemoryLimiter,
		memory: newAnswerMemory(answerBytes), deadlines: defaultDeadlines, bodies: newBodyBudget()}
	for _, opt := range opts {
		opt(a)
	}
	a.catalogue.calls.OnPanic = a.logPanic
	if !isOrigin(a.origin) {
		return nil, fmt.Errorf("httpapi: front-end origin %q: it must look like https://learn.example.org, without a path", a.origin)
	}
	if a.memory.half < smallAnswer {
		return nil, fmt.Errorf("httpapi: %d bytes for large answers: at least %d are needed", 2*a.memory.half, 2*smallAnswer)
	}
	var err error
	if a.courseData, err = schemaFor(reflect.TypeFor[newCourse]()); err != nil {
		return nil, err
	}
	mux, err := a.routes()
	if err != nil {
		return nil, err
	}
	return a.accessLog(secure(a.sameOrigin(mux))), nil
}

// routes returns a router for the rows of the route table.
func (a *api) routes() (*router, error) {
	rows := append(table(), a.extra...)
	err := a.applyLimits(rows)
	if err != nil {
		return nil, err
	}
	a.notConfigured = a.platform.NotConfigured()
	a.logNotConfigured(rows)
	// The first request of the document makes it, because that takes longer than the rest of New. It cannot fail because
	// of a row of the host: only the rows of the table have types that need a schema, and the tests describe these.
	a.description = sync.OnceValues(func() ([]byte, error) { return a.describe(rows) })
	m := newRouter(a.fail)
	for _, row := range rows {
		h, err := a.handler(row)
		if err != nil {
			return nil, fmt.Errorf("httpapi: route %s (%s %s): %w", row.ID, row.Method, row.Path, err)
		}
		if err := m.add(row, h); err != nil {
			return nil, fmt.Errorf("httpapi: route %s (%s %s): %w", row.ID, row.Method, row.Path, err)
		}
	}
	return m.build(), nil
}

// isOrigin reports whether s has the form of an Origin header of a browser.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && s == originOf(s) && (u.Scheme == "http" || u.Scheme == "https")
}

// originOf returns the origin of a URL as browsers write it: in lower case and without the
// default port. It returns "" if s is not a URL with a host.
func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.ToLower(u.Host)
	if usual := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]; usual != "" {
		host = strings.TrimSuffix(host, usual)
	}
	return u.Scheme + "://" + host
}
