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

	"github.com/openlectern/openlectern/learning"
)

// api is what the handlers of all routes share.
type api struct {
	platform   *learning.Platform
	log        *slog.Logger
	verbose    bool
	origin     string // of the front end
	publicURL  string
	proxies    []netip.Prefix
	newLimiter func(LimitClass) (Limiter, error)
	extra      []Route
	memory     *answerMemory

	notConfigured []*learning.Error // what the platform lacks

	deadlines deadlines
	bodies    bodyBudget

	catalogue  catalogue
	courseData *schema // of the part of an upload

	description []byte // of the table, as OpenAPI
}

// New makes the handler of the whole contract for a platform. It starts nothing
// and reads no settings; what cannot work is an error here.
func New(platform *learning.Platform, opts ...Option) (http.Handler, error) {
	if platform == nil {
		return nil, errors.New("httpapi: a handler needs a platform")
	}
	a := &api{platform: platform, log: slog.New(slog.DiscardHandler), origin: developmentOrigin, newLimiter: inMemory,
		memory: newAnswerMemory(answerBytes), deadlines: defaultDeadlines, bodies: newBodyBudget()}
	for _, opt := range opts {
		opt(a)
	}
	a.catalogue.calls.OnPanic = a.logPanic
	if !isOrigin(a.origin) {
		return nil, fmt.Errorf("httpapi: front-end origin %q: it must look like https://learn.example.org, without a path", a.origin)
	}
	if a.memory.half < smallAnswer {
		return nil, fmt.Errorf("httpapi: %d bytes for large answers: there must be %d at least", 2*a.memory.half, 2*smallAnswer)
	}
	var err error
	if a.courseData, err = schemaFor(reflect.TypeFor[newCourse]()); err != nil {
		return nil, err
	}
	mux, err := a.routes()
	if err != nil {
		return nil, err
	}
	return a.watch(secure(a.sameOrigin(mux))), nil
}

// routes turns the table into a handler.
func (a *api) routes() (*router, error) {
	limiters, err := a.limiters()
	if err != nil {
		return nil, err
	}
	rows := append(table(), a.extra...)
	a.notConfigured = a.platform.NotConfigured()
	a.logNotConfigured(rows)
	if a.description, err = a.describe(rows); err != nil {
		return nil, err
	}
	m := newRouter(a.fail)
	for _, row := range rows {
		h, err := a.handler(row, limiters)
		if err != nil {
			return nil, fmt.Errorf("httpapi: route %s (%s %s): %w", row.ID, row.Method, row.Path, err)
		}
		if err := m.add(row, h); err != nil {
			return nil, fmt.Errorf("httpapi: route %s (%s %s): %w", row.ID, row.Method, row.Path, err)
		}
	}
	return m.build(), nil
}

// isOrigin tells whether s is what browsers send as Origin.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && s == originOf(s) && (u.Scheme == "http" || u.Scheme == "https")
}

// originOf is the origin of a URL as browsers write it, in lower case and without
// the usual port; "" when it is none.
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
