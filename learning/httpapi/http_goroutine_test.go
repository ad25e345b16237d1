package httpapi_test

import (
	"net/http"
	"runtime"
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Programs that check their goroutines can make handlers and drop them. Other tests of the process
// start some meanwhile, so the bound is the number of handlers.
func TestNew_StartsNoGoroutine(t *testing.T) {
	kit := learningtest.New(t)
	kit.Person(t, "ada", "admin")
	handlers := make([]http.Handler, 50)
	before := runtime.NumGoroutine()
	for i := range handlers {
		handler, err := httpapi.New(kit.Platform)
		check(t, err)
		handlers[i] = handler
	}
	if n := runtime.NumGoroutine() - before; n >= len(handlers) {
		t.Errorf("%d handlers have started %d goroutines", len(handlers), n)
	}

	// A request starts one for its limit, which ends with its handler.
	for _, handler := range handlers {
		s := &site{tb: t, Kit: kit, handler: handler}
		if got := s.do(http.MethodGet, "/api/admin/stats", "",
			s.as("ada")...); got.Code != http.StatusOK || got.Header().Get("RateLimit-Limit") == "" {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
	}
	if n := goroutinesBelow(before + 2*len(handlers)); n >= before+2*len(handlers) {
		t.Errorf("%d handlers run %d goroutines after a request each", len(handlers), n-before)
	}
	clear(handlers)
	if n := goroutinesBelow(before + 25); n >= before+25 {
		t.Errorf("%d goroutines are left of handlers that are gone", n-before)
	}
}

// goroutinesBelow waits, for a bounded time, until fewer than most goroutines run, and returns
// their number. On a busy machine the driver of the database has some that have not seen yet that
// their statement has ended.
func goroutinesBelow(most int) int {
	for range 200 {
		if runtime.NumGoroutine() < most {
			break
		}
		runtime.GC() // starts the cleanups of handlers, and lets others run
	}
	return runtime.NumGoroutine()
}
