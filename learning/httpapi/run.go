package httpapi

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// remindAfter is the time after its first request at which a platform is served without
// [learning.Platform.Run].
const remindAfter = time.Minute

// runReminder warns once if a platform is served and nothing does its scheduled work, because then
// payments whose webhook is lost stay lost, and events are not delivered.
type runReminder struct {
	next     http.Handler
	platform *learning.Platform
	first    atomic.Pointer[time.Time] // of the requests
	done     atomic.Bool
}

// ServeHTTP serves a request, after a look at the time.
func (h *runReminder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.done.Load() {
		h.look(r)
	}
	h.next.ServeHTTP(w, r)
}

// look warns, if the time has come, or sees that there is nothing to warn of.
func (h *runReminder) look(r *http.Request) {
	if h.platform.IsRun() {
		h.done.Store(true)
		return
	}
	now := time.Now()
	if h.first.CompareAndSwap(nil, &now) || now.Sub(*h.first.Load()) < remindAfter {
		return
	}
	if h.done.CompareAndSwap(false, true) {
		h.platform.Logger().WarnContext(r.Context(),
			"nothing runs the platform: call Run of learning.Platform beside the server")
	}
}
