// Command auditlog is a server that writes a line for every transaction that has changed the
// database: who sent which request, when.
//
// The store is wrapped. A wrapper embeds *store.Store, because the interface learning.Store gets
// new methods with new versions. Every write happens in InTx, so the wrapper replaces this
// method only (func InTx). Middleware and a wrapped TokenVerifier put into the context of a
// request what the line says about it. The sandbox takes the place of an identity provider.
package main

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

func main() {
	const url = "http://localhost:3000"
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	st := must(sqlite.Open(ctx, "sqlite:learning.db"))
	box := must(sandbox.Listen(sandbox.Config{Addr: "127.0.0.1:3001", WebhookURL: url}))
	audit := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	platform, handler := routes(st, box.Config(), audit)
	server := &http.Server{Addr: "localhost:3000", Handler: handler}
	go func() { log.Print(server.ListenAndServe()); stop() }()
	platform.Run(ctx) // events, lost payments and tidying, until a signal
	_ = server.Shutdown(context.Background())
}

// routes returns the platform and its API on an audited store. p has the addresses and secrets of
// the sandbox.
func routes(
	st *store.Store, p sandbox.Config, audit *slog.Logger,
) (*learning.Platform, http.Handler) {
	if err := st.Migrate(context.Background()); err != nil {
		log.Fatal(err)
	}
	tokens := must(identity.NewVerifier(p.URL+"/.well-known/jwks.json", identity.WithIssuer(p.URL)))
	platform := must(learning.New(auditedStore{st, audit},
		learning.WithTokens(auditedTokens{tokens}),
		learning.WithWebhooks(must(identity.NewWebhookVerifier(p.IdentityWebhookSecret)))))
	return platform, withOrigin(must(httpapi.New(platform)))
}

// auditedStore logs the transactions that have changed something.
type auditedStore struct {
	*store.Store
	audit *slog.Logger
}

// InTx runs fn as the embedded store does. The store may run fn several times, and a transaction
// may fail at COMMIT, so the line is written by AfterCommit, which forgets the runs that failed.
func (s auditedStore) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	return s.Store.InTx(ctx, func(tx learning.Tx) error {
		err := fn(tx)
		if err == nil && tx.Changed() { // not for a transaction that has only read
			tx.AfterCommit(func() {
				s.audit.InfoContext(ctx, "changed", originOf(ctx).attributes()...)
			})
		}
		return err
	})
}

// origin is the request that causes a transaction. Commands and scheduled work have none.
type origin struct {
	request string
	user    atomic.Pointer[string] // nil if the caller has not signed in
}

// attributes returns what the line says about the origin. It may be called on nil, for a
// transaction without a request.
func (o *origin) attributes() []any {
	if o == nil { // a command, or scheduled work
		return []any{"request", "none"}
	}
	if user := o.user.Load(); user != nil {
		return []any{"request", o.request, "user", *user}
	}
	return []any{"request", o.request}
}

// originKey is the key of the origin in a context.
type originKey struct{}

// originOf returns the origin in a context, or nil if there is none.
func originOf(ctx context.Context) *origin {
	o, _ := ctx.Value(originKey{}).(*origin)
	return o
}

// withOrigin puts an origin into the context of each request.
func withOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o := &origin{request: r.Method + " " + r.URL.Path}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), originKey{}, o)))
	})
}

// auditedTokens adds the user of a verified token to the origin.
type auditedTokens struct{ people.TokenVerifier }

// VerifyToken does what the embedded verifier does. The platform calls it with the context of the
// request.
func (t auditedTokens) VerifyToken(ctx context.Context, token string) (people.Claims, error) {
	claims, err := t.TokenVerifier.VerifyToken(ctx, token)
	if o := originOf(ctx); o != nil && err == nil {
		o.user.Store(&claims.UserID)
	}
	return claims, err
}

// must returns v, or ends the program if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
