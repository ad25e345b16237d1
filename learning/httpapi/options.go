package httpapi

import (
	"log/slog"
	"net/netip"
)

// developmentOrigin is the front end of a developer's machine (docs/api.md §2).
const developmentOrigin = "http://localhost:5173"

// Option is something that the handler has a default for.
type Option func(*api)

// WithOrigin sets the one front-end origin whose requests are accepted, such as
// "https://learn.example.org". Without it that is http://localhost:5173; a server
// in production should insist on it.
func WithOrigin(origin string) Option { return func(a *api) { a.origin = origin } }

// WithPublicURL sets the URL under which this server is reached. Its origin is
// accepted beside the front end's, for the pages that the server has itself.
func WithPublicURL(url string) Option { return func(a *api) { a.publicURL = url } }

// WithLogger sets where requests are logged: one line each, with the request id,
// the route id, the status, the duration and the user id, and the cause of every
// 500. Never tokens, signatures or bodies. Without it nothing is logged.
func WithLogger(l *slog.Logger) Option { return func(a *api) { a.log = l } }

// WithVerboseErrors logs the stack of a panic, not only what it said: for
// development (docs/api.md §2).
func WithVerboseErrors() Option { return func(a *api) { a.verbose = true } }

// WithTrustedProxies names the proxies whose X-Forwarded-For is believed when the
// address of a caller is needed. Without it the address is that of the peer.
func WithTrustedProxies(proxies ...netip.Prefix) Option {
	return func(a *api) { a.proxies = proxies }
}

// WithLimiters sets where rate limits are counted: newLimiter is asked once for
// each class. Every store of github.com/sethvargo/go-limiter that was made with
// the class's Requests and Window fits as it is. Without it they are counted in
// memory, in this process.
func WithLimiters(newLimiter func(LimitClass) (Limiter, error)) Option {
	return func(a *api) { a.newLimiter = newLimiter }
}

// WithAnswerBytes bounds the memory of large answers: of those of more than 64 KB, as
// many are written at once as hold so many bytes together, and others wait for a few
// seconds and then get 503. One half is for callers without a valid token, the other for
// all others. A list of any length holds 64 KB. Without it that is 64 MiB, for 500 lists
// of each.
func WithAnswerBytes(size int64) Option {
	return func(a *api) { a.memory = newAnswerMemory(size) }
}

// WithRoutes adds rows of the host's own to the table: they get the same headers,
// request ids, access rules, limits and logging as all others.
func WithRoutes(rows ...Route) Option {
	return func(a *api) { a.extra = append(a.extra, rows...) }
}
