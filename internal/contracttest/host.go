package contracttest

import (
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/httpapi/swaggerui"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// Start is the time of the clock of all cases.
var Start = time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)

// CredentialKey is the key that signs the credentials of all cases: Ed25519, so that a
// credential has the same signature each time. The key is not secret.
var CredentialKey = ed25519.NewKeyFromSeed([]byte("the key of every kit: no secret!"))

// Kit is the platform of a case.
type Kit struct {
	Platform *learning.Platform
	Log      interface {
		Logger() *slog.Logger
		String() string
	}
}

// NewKit returns a kit on a store whose tables exist, with the sandbox as its providers. The named
// options replace those of the kit, and more come after them; the platform does not have one that
// is nil. Package learningtest sets NewKit, because it imports this package.
var NewKit func(tb testing.TB, st learning.Store, providers *sandbox.Sandbox,
	named map[string]learning.Option, more ...learning.Option) Kit

// NewHandler returns the handler of a host, such as httpapi.New.
type NewHandler func(*learning.Platform, ...httpapi.Option) (http.Handler, error)

// host is the handler that serves the cases.
type host struct {
	new    NewHandler
	prefix string // of all paths

	// changesHeaders says that middleware of the host may add headers and change some.
	changesHeaders bool
}

// newHandler returns the handler of the host for a case.
func (h host) newHandler(t *testing.T, kit Kit, s *Setup) http.Handler {
	t.Helper()
	options := []httpapi.Option{httpapi.WithPublicURL(PublicURL),
		httpapi.WithDocs(swaggerui.Files())}
	if s.Proxies != "" {
		options = append(options, httpapi.WithTrustedProxies(netip.MustParsePrefix(s.Proxies)))
	}
	handler, err := h.new(kit.Platform, append(options, s.API...)...)
	check(t, err)
	return handler
}

// Run runs cases on SQLite against the handlers of a host, which are reached below a prefix.
// Middleware of the host may have added and changed headers, as comparedHeaders says. Run leaves
// out requests that reach no route, because the host may answer them itself.
func Run(t *testing.T, cases []*Case, newHandler NewHandler, prefix string) {
	t.Helper()
	w := NewFixture(t)
	w.host = host{new: newHandler, prefix: prefix, changesHeaders: true}
	for _, c := range cases {
		if c.Route == AnyRoute {
			continue
		}
		t.Run(c.Route+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			const rewrite = false
			c.Run(t, w.OnSQLite, rewrite)
		})
	}
}

// comparable returns the answer and that of the case, want, as they are compared. If the host may
// change headers, they have those of comparedHeaders. The first line of an answer is the status,
// and an empty line follows the headers, also if there is no body.
func (h host) comparable(answer, want string) (comparedAnswer, comparedWant string) {
	if !h.changesHeaders {
		return answer, want
	}
	head, body, _ := strings.Cut(answer, "\n\n")
	wantHead, wantBody, _ := strings.Cut(want, "\n\n")
	got, expected := strings.Split(head, "\n"), strings.Split(wantHead, "\n")
	gotLines, wantLines := comparedHeaders(got[1:], expected[1:])
	return strings.Join(append(got[:1], gotLines...), "\n") + "\n\n" + body,
		strings.Join(append(expected[:1], wantLines...), "\n") + "\n\n" + wantBody
}
