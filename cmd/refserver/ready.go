package main

import (
	"context"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// readyTime is the time limit of a probe of the database.
const readyTime = 2 * time.Second

// ready returns a handler that answers 200 if the database answers, else 503, for load
// balancers. The answer does not contain the cause, because the route is public.
func ready(platform *learning.Platform) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		status, body := http.StatusOK, `{"success":true}`
		if platform.Ping(ctx) != nil {
			status, body = http.StatusServiceUnavailable, `{"success":false,"message":"The database does not answer"}`
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}
