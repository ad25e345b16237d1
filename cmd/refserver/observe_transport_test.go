package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/openlectern/openlectern/internal/observertest"
	"github.com/openlectern/openlectern/learning/core"
)

// An answer that ends too early is no success of the provider, although its status is 200.
func TestObservedTransport_OutcomeOfTheWholeAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		ok     bool
	}{
		"complete": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w,
				"keys")
		}, true},
		"refused": {func(w http.ResponseWriter,
			_ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
		}, false},
		"truncated": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "keys")
		}, false},
		"no_answer": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tt.answer)
			defer server.Close()
			var seen observertest.Recorder
			client := http.Client{Transport: observedTransport{&seen, server.Client().Transport}}
			if res, err := client.Get(server.URL); err == nil {
				_, _ = io.ReadAll(res.Body)
				res.Body.Close()
			}
			calls := seen.Of(core.OperationProvider)
			if len(calls) != 1 || calls[0].Name != "identity.keys" ||
				(calls[0].Err == nil) != tt.ok || seen.Running() != 0 {
				t.Errorf("%d calls run; observed %+v", seen.Running(), calls)
			}
		})
	}
}
