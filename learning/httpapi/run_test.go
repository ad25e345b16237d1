package httpapi_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// A host that forgets Run loses payments, and nothing else would tell it.
func TestNew_WarnsOnceOfAPlatformThatNothingRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, run := range map[string]func(learning.System){
			"nothing":         nil,
			"tidying":         func(s learning.System) { s.RunTidying(t.Context(), 0) },
			"reconciliations": func(s learning.System) { _, _ = s.ReconcilePurchases(t.Context()) },
		} {
			var log strings.Builder
			platform, err := learning.New(noStore{},
				learning.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			if err != nil {
				t.Fatal(err)
			}
			handler, err := httpapi.New(platform)
			if err != nil {
				t.Fatal(err)
			}
			request := func() {
				handler.ServeHTTP(httptest.NewRecorder(),
					httptest.NewRequest(http.MethodGet, "/", nil))
			}
			if run != nil {
				run(platform.System())
			}
			want := 0
			for range 3 {
				request()
				time.Sleep(40 * time.Second)
			}
			if run == nil {
				want = 1
			}
			request()
			if got := strings.Count(log.String(), "nothing runs the platform"); got != want {
				t.Errorf("%s: warned %d times, want %d:\n%s", name, got, want, log.String())
			}
		}
	})
}

// noStore is a store that no request of the test needs.
type noStore struct{ learning.Store }

func (noStore) InTx(context.Context, func(learning.Tx) error) error { return context.Canceled }
