package main

import (
	"context"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// The paths that load balancers ask.
const (
	livePath  = "/livez"
	readyPath = "/readyz"
)

// readyTime is the time limit of a probe of the database.
const readyTime = 2 * time.Second

// ready returns a handler that answers 200 if the database answers and isDraining is false, else
// 503, for load balancers. The answer does not contain the cause, because the route is public.
func ready(platform *learning.Platform, isDraining func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		switch {
		case isDraining():
			writeProbe(w, http.StatusServiceUnavailable,
				`{"success":false,"message":"The server stops"}`)
		case platform.Ping(ctx) != nil:
			writeProbe(w, http.StatusServiceUnavailable,
				`{"success":false,"message":"The database does not answer"}`)
		default:
			writeProbe(w, http.StatusOK, `{"success":true}`)
		}
	})
}

// live answers 200. It uses no database and no provider, because a supervisor restarts a server
// that is not live, and that would repair neither.
func live(w http.ResponseWriter, _ *http.Request) {
	writeProbe(w, http.StatusOK, `{"success":true}`)
}

// writeProbe answers a load balancer with a body in JSON that nobody keeps.
func writeProbe(w http.ResponseWriter, status int, body string) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}
