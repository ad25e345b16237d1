package learningtest

import (
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Contract runs the contract cases of this module (testdata/contract) against a host's own
// handler, each as a parallel subtest with a SQLite file of its own. newHandler returns a
// handler of a platform; [httpapi.New] is one. It must give the options to httpapi.New, after
// the host's own. The paths of the cases are below prefix, such as "/school" or "".
//
// The middleware of the host may add headers of its own and names to Vary, set other values of
// security headers and of X-Request-Id, forbid caching with no-store, and compress answers. Nothing
// else of an answer may differ: not the status, the body, the headers of limits, the type of the
// content or who may read the answer. Requests that reach no route of the platform are left out,
// because a host may answer them itself.
func Contract(t *testing.T,
	newHandler func(*learning.Platform, ...httpapi.Option) (http.Handler, error), prefix string) {
	t.Helper()
	contracttest.Run(t, contracttest.LoadCases(t), newHandler, prefix)
}

// The cases of package contracttest run on kits of this package, which that package cannot import.
func init() {
	contracttest.NewKit = func(tb testing.TB, st learning.Store, providers *sandbox.Sandbox,
		named map[string]learning.Option, more ...learning.Option) contracttest.Kit {
		tb.Helper()
		kit := New(tb, func(s *settings) { s.store, s.named = st, named }, WithSandbox(providers),
			WithPlatform(more...))
		return contracttest.Kit{Platform: kit.Platform, Log: kit.Log}
	}
}
