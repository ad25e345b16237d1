package main

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/metrics"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/postgres"
)

const (
	prefix = "/school"  // of the paths of the school
	tables = "lectern_" // prefix of its tables
)

// product is an instance of the program.
type product struct {
	db       *sql.DB
	disk     *media.Disk
	store    *store.Store
	platform *learning.Platform
	handler  http.Handler
}

// open opens an instance. Any number of them may use the same database.
func open(ctx context.Context, s settings) (p *product, err error) {
	p = &product{}
	defer func() {
		if err != nil {
			p.close()
		}
	}()

	// One pool for the product and the school.
	if p.db, err = sql.Open("pgx", s.database); err != nil {
		return p, err
	}
	p.db.SetMaxOpenConns(40)
	if err = migrate(ctx, p.db); err != nil {
		return p, err
	}

	// The parts of the school: what it stores, and what it calls.
	measures := metrics.New("product", metrics.Price{})
	p.store, err = postgres.New(p.db, store.WithPrefix(tables), store.WithObserver(measures))
	if err != nil {
		return p, err
	}
	if p.disk, err = media.NewDisk(s.media, s.url+"/media"); err != nil {
		return p, err
	}
	orders, err := gateway.New(s.gateway.url, s.gateway.keyID, s.gateway.keySecret,
		gateway.WithWebhookSecrets(s.gateway.webhookSecret))
	if err != nil {
		return p, err
	}
	users := &accounts{db: p.db}
	post, err := newMailer(p.db, s)
	if err != nil {
		return p, err
	}
	p.platform, err = learning.New(p.store, learning.WithName("Product"),
		learning.WithTokens(users), learning.WithRoles(users), learning.WithMedia(p.disk),
		learning.WithProvider(orders), learning.WithObserver(measures),
		learning.WithInTransaction(writeInvoices),
		learning.WithEvents("mails", core.EventHandlerFunc(post.handle)))
	if err != nil {
		return p, err
	}
	users.platform = p.platform
	measures.WatchPools(p.store)
	measures.WatchBacklog(p.platform.System().Backlog)
	p.handler, err = p.routes(s, users, measures)
	return p, err
}

// close gives back what open has opened.
func (p *product) close() {
	if p.store != nil {
		_ = p.store.Close()
	}
	if p.disk != nil {
		_ = p.disk.Close()
	}
	if p.db != nil {
		_ = p.db.Close()
	}
}

//go:embed migrations
var own embed.FS

// migrate brings the tables of the product and those of the school up to date with one tool. The
// lock makes instances that start at once do so one after another.
func migrate(ctx context.Context, db *sql.DB) error {
	ours, err := fs.Sub(own, "migrations")
	if err != nil {
		return err
	}
	theirs, err := store.Migrations(store.PostgreSQL, tables)
	if err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return err
	}
	for _, m := range []struct {
		versions string
		files    fs.FS
	}{{"product_versions", ours}, {tables + "versions", theirs}} {
		provider, err := goose.NewProvider(goose.DialectPostgres, db, m.files,
			goose.WithTableName(m.versions), goose.WithSessionLocker(locker))
		if err == nil {
			_, err = provider.Up(ctx)
		}
		if err != nil {
			return fmt.Errorf("migrate %s: %w", m.versions, err)
		}
	}
	return nil
}

// routes returns the handler of the product: its own routes, and the school below the prefix.
func (p *product) routes(
	s settings, users *accounts, measures *metrics.Metrics,
) (http.Handler, error) {
	api, err := httpapi.New(p.platform, httpapi.WithOrigin(s.url),
		httpapi.WithPublicURL(s.url+prefix), httpapi.WithRoutes(invoiceRoute(p.db)))
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	err = errors.Join(registry.Register(measures),
		registry.Register(collectors.NewGoCollector()))
	if err != nil {
		return nil, err
	}
	router := newRouter(below(api))
	router.Post("/sign-up", users.signUp)
	router.Post("/sign-in", users.signIn)
	router.Post("/sign-out", users.signOut)
	router.Handle("/media/*", http.StripPrefix("/media/", p.disk))
	// The proxy before the product keeps visitors away from this one.
	router.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return router, nil
}

// newRouter returns the router of the product with its middleware, and the school.
func newRouter(school http.Handler) chi.Router {
	router := chi.NewRouter()
	router.Use(middleware.RequestID, named, middleware.Recoverer)
	router.Handle(prefix+"/*", school) // Mount would leave the prefix in the path
	return router
}

// named gives an answer the id of the request and the headers of the product. The school keeps the
// id, so that it is in the log of both.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", middleware.GetReqID(r.Context()))
		w.Header().Set("Server", "product")
		next.ServeHTTP(w, r)
	})
}

// below returns the API for paths with the prefix. The cookie of a session is the token.
func below(api http.Handler) http.Handler {
	return http.StripPrefix(prefix, httpapi.TokenFromCookie(cookieName, api))
}
