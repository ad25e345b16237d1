package sandbox

import (
	"errors"
	"net/http"
	"strings"

	"github.com/rs/cors"
)

// guard rejects requests that pages of other origins send from a browser, so that an unrelated page
// cannot sign in or pay. Pages of [Config.FrontendOrigin] may list people, sign in, pay and show
// pictures.
func (s *Sandbox) guard(mux http.Handler) http.Handler {
	// One chain for all pages but those of the front end.
	strict := http.NewCrossOriginProtection().Handler(mux)
	if s.cfg.FrontendOrigin == "" {
		return strict
	}
	// Another one that also answers its CORS requests.
	trusting := http.NewCrossOriginProtection()
	_ = trusting.AddTrustedOrigin(s.cfg.FrontendOrigin) // complete has checked it
	shared := cors.New(cors.Options{
		AllowedOrigins: []string{s.cfg.FrontendOrigin},
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
		AllowedHeaders: []string{"Accept", "Content-Type"},
		MaxAge:         600, // seconds for which a browser keeps the answer to a preflight request
	})
	open := trusting.Handler(shared.Handler(mux))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if forFrontend(r.URL.Path) {
			open.ServeHTTP(w, r)
			return
		}
		strict.ServeHTTP(w, r)
	})
}

// forFrontend reports whether front ends may use a path: people, sign-in, checkout and pictures.
func forFrontend(path string) bool {
	return path == "/v1/people" || path == "/v1/sign-in" || strings.HasPrefix(path, "/checkout/") ||
		strings.HasPrefix(path, "/pictures/")
}

// checkOrigin returns an error unless origin is an origin without a path and without wildcards.
func checkOrigin(origin string) error {
	// Package cors would take a wildcard for any characters.
	if strings.Contains(origin, "*") {
		return errors.New("an origin must have no wildcard")
	}
	return http.NewCrossOriginProtection().AddTrustedOrigin(origin)
}
