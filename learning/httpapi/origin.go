package httpapi

import (
	"net/http"

	"github.com/rs/cors"
)

// sameOrigin refuses requests of any origin but the front end's and the server's
// own, answers preflights, and lets the front end read the headers it needs. A
// request without Origin does not come from a page of another site.
func (a *api) sameOrigin(next http.Handler) http.Handler {
	own := originOf(a.publicURL)
	allowed := []string{a.origin}
	if own != "" {
		allowed = append(allowed, own)
	}
	shared := cors.New(cors.Options{
		AllowedOrigins: allowed,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"Authorization", "Content-Type"},
		ExposedHeaders: []string{"RateLimit-Policy", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Retry-After", "X-Request-Id"},
		MaxAge:         600, // seconds
	}).Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// No browser sends two; of what is behind this, each part could go by another.
		several := len(r.Header["Origin"]) > 1
		switch origin := r.Header.Get("Origin"); {
		case !several && (origin == "" || origin == a.origin || origin == own):
			shared.ServeHTTP(w, r)
		default:
			w.Header().Add("Vary", "Origin")
			a.fail(w, r, errOriginNotAllowed)
		}
	})
}
