package httpapi

import (
	"net/http"
	"net/netip"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/web"
)

// developmentOrigin is the origin of a front end under development (docs/api.md §2).
const developmentOrigin = "http://localhost:5173"

// Option sets an option of [New].
type Option func(*api)

// WithOrigin sets the front-end origin whose requests are accepted, such as
// "https://learn.example.org". The default is http://localhost:5173. A server in production
// should require a setting for it.
func WithOrigin(origin string) Option { return func(a *api) { a.origin = origin } }

// WithPublicURL sets the URL under which clients reach the handler, with the prefix if there
// is one, such as "https://example.org/school". Its origin is accepted in addition to the front
// end's, so that the server's own pages can call the API. The OpenAPI document names it as the
// server.
func WithPublicURL(url string) Option { return func(a *api) { a.publicURL = url } }

// WithTrustedProxies sets the networks of the proxies whose X-Forwarded-For header is trusted
// for the address of a caller. By default the address is that of the peer.
func WithTrustedProxies(proxies ...netip.Prefix) Option {
	return func(a *api) { a.server.Proxies = proxies }
}

// WithLimits changes built-in rate limits and adds limits for the host's own routes. A limit
// with the name of a built-in one replaces it. Every limit must be that of a route. Clients
// see the limits in force in the RateLimit headers.
func WithLimits(limits ...Limit) Option {
	return func(a *api) {
		for _, l := range limits {
			a.setLimit(l)
		}
	}
}

// WithLimiters sets where rate limits are counted. [New] calls newLimiter once for each limit.
// Every store of github.com/sethvargo/go-limiter that is made with the Requests and the
// Window of the limit can be returned. By default requests are counted in the memory of this
// process.
func WithLimiters(newLimiter func(Limit) (Limiter, error)) Option {
	return func(a *api) {
		a.newLimiter = nilarg.Given(&a.nilOptions, "WithLimiters", newLimiter)
	}
}

// WithAnswerBytes sets how many bytes answers of more than 64 KiB may hold at the same time.
// Further large answers wait for a few seconds and then get 503. One half is for callers
// without a valid token, the other for all others. A list of any length holds 64 KiB, and one of an
// educator's students some hundred KiB more. The list of courses is kept in memory for all callers
// if it is not longer than a quarter of size; a longer one is read by each request and has no ETag.
// The default is 64 MiB, enough for 500 lists in each half.
func WithAnswerBytes(size int64) Option {
	return func(a *api) { a.server.Answers = web.NewAnswerMemory(size) }
}

// WithDocs adds the reference page (GET /docs), which shows the OpenAPI document. files are those
// of Swagger UI: Files of package swaggerui returns them. Without the option there is no page, and
// /openapi.json is served all the same.
func WithDocs(files http.Handler) Option {
	return func(a *api) { a.docs = nilarg.Given(&a.nilOptions, "WithDocs", files) }
}

// WithDocsUsers lets the readers of the reference page ([WithDocs]) sign in there as one of the
// users that the function returns; it is called for each reader. Every reader of the page
// gets their tokens, so a server in production must not set it.
func WithDocsUsers(users func() []DocsUser) Option {
	return func(a *api) { a.docsUsers = nilarg.Given(&a.nilOptions, "WithDocsUsers", users) }
}

// WithRoutes adds routes of the host to the route table. They get the same headers, request
// ids, access rules, limits and logging as all others. See [Handle] for what a handler finds
// in its request.
func WithRoutes(rows ...Route) Option {
	return func(a *api) { a.extra = append(a.extra, rows...) }
}
