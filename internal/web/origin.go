package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/rs/cors"
)

// SameOrigin refuses requests from any origin other than that of the front end and the server's
// own, which is "" for none, except to routes with [Route.AnyOrigin]. It answers preflights and
// sets the CORS headers. A request without Origin is accepted, because browsers set Origin for
// pages of other sites.
func (s *Server) SameOrigin(next *Router, frontEnd, own string) http.Handler {
	allowed := []string{frontEnd}
	if own != "" {
		allowed = append(allowed, own)
	}
	// Two rules: one for the pages of the front end, and one for routes that every page may read.
	ownPages := crossOrigin(next, allowed, allowedHeaders...)
	anyPages := crossOrigin(next, []string{anyOrigin}, "Content-Type")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Browsers send one Origin header. Several never count as an own page, because a proxy and
		// this server could each read another one. They are refused unless every origin is allowed.
		several := len(r.Header["Origin"]) > 1
		origin := r.Header.Get("Origin")
		isOwnPage := !several && (origin == "" || origin == frontEnd || origin == own)
		switch {
		case isOwnPage:
			ownPages.ServeHTTP(w, r)
		case next.servesAnyOrigin(r):
			anyPages.ServeHTTP(w, r)
		default:
			addVary(w.Header(), "Origin") // a cache must not give this answer to other origins
			s.Fail(w, r, ErrOriginNotAllowed)
		}
	})
}

// The headers that pages of the front end may send and read (docs/api.md §2): those of the API,
// of resumable uploads (tus 1.0), of ranges and of the Model Context Protocol.
var (
	allowedHeaders = []string{
		"Authorization", "Content-Type", "Idempotency-Key", "Range",
		"Tus-Resumable", "Upload-Length", "Upload-Metadata", "Upload-Offset",
		"MCP-Protocol-Version",
	}
	exposedHeaders = []string{
		"RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
		"Retry-After", "X-Request-Id",
		"Location", "Content-Range", "Tus-Resumable", "Tus-Version", "Tus-Extension",
		"Tus-Max-Size",
		"Upload-Length", "Upload-Metadata", "Upload-Offset", "Upload-Expires",
	}
)

// anyOrigin is the value of Access-Control-Allow-Origin for every origin. Browsers
// send no cookies with such requests, because Access-Control-Allow-Credentials is not
// set.
const anyOrigin = "*"

// crossOrigin returns a handler that answers the preflights of origins and lets their pages
// read the answers of next. headers are the request headers that those pages may set.
func crossOrigin(next http.Handler, origins []string, headers ...string) http.Handler {
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
			http.MethodPatch, http.MethodDelete},
		AllowedHeaders: headers,
		ExposedHeaders: exposedHeaders,
		MaxAge:         600, // seconds until a browser sends the next preflight
	}).Handler(next)
}

// IsOrigin reports whether s is an http or https origin in the form of the Origin header of a
// browser, such as https://example.com: without a path, in lower case, without the default port.
func IsOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && s == OriginOf(s) &&
		(u.Scheme == "http" || u.Scheme == "https")
}

// OriginOf returns the origin of a URL as browsers write it: in lower case and without the
// default port. It returns "" if s is not a URL with a host.
func OriginOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.ToLower(u.Host)
	defaultPort := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	host = strings.TrimSuffix(host, defaultPort)
	return u.Scheme + "://" + host
}
