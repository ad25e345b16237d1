package httpapi

import (
	"net/http"

	"github.com/rs/cors"
)

// sameOrigin refuses requests of any origin but the front end's and the server's
// own, answers preflights, and lets the front end read the headers it needs. A
// request without Origin does not come from a page of another site. Routes with
// [Route.AnyOrigin] are for every origin.
func (a *api) sameOrigin(next *router) http.Handler {
	own := originOf(a.publicURL)
	allowed := []string{a.origin}
	if own != "" {
		allowed = append(allowed, own)
	}
	known := crossOrigin(next, allowed, "Authorization", "Content-Type")
	anyone := crossOrigin(next, anyOrigin, "Content-Type")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Browsers send one Origin. Of several, two programs could each believe another.
		several := len(r.Header["Origin"]) > 1
		origin := r.Header.Get("Origin")
		switch {
		case !several && (origin == "" || origin == a.origin || origin == own):
			known.ServeHTTP(w, r)
		case next.servesAnyOrigin(r):
			anyone.ServeHTTP(w, r)
		default:
			w.Header().Add("Vary", "Origin")
			a.fail(w, r, errOriginNotAllowed)
		}
	})
}

// anyOrigin is the value of Access-Control-Allow-Origin for every origin. Browsers
// send no cookies with such requests, because Access-Control-Allow-Credentials is not
// set.
var anyOrigin = []string{"*"}

// crossOrigin answers the preflights of some origins, and lets their pages read the
// answers of next. headers are the request headers that they may set.
func crossOrigin(next http.Handler, origins []string, headers ...string) http.Handler {
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: headers,
		ExposedHeaders: []string{"RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After", "X-Request-Id"},
		MaxAge:         600, // seconds
	}).Handler(next)
}
