package httpapi_test

import (
	"database/sql"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
)

// server is a running API whose database has the rows of the fixture.
type server struct {
	addr    string
	sandbox *sandbox.Sandbox
	now     func() time.Time
	// realClock: now is the real time, not the fixed time of the cases.
	realClock bool
	look      func() snapshot
	log       func() string
}

// engine starts a server for a case.
type engine func(t *testing.T, s *setup) *server

// fixture has the files with which every case begins.
type fixture struct {
	database, providers string
	tables              schema
	sqlite              *databases
}

// newFixture writes the files, for all cases of a test.
func newFixture(t *testing.T) fixture {
	t.Helper()
	dir := t.TempDir()
	w := fixture{database: filepath.Join(dir, "learning.db"), providers: filepath.Join(dir, "providers.json")}
	fixtureProviders(t, w.providers)
	st, err := store.Open(t.Context(), "sqlite:"+w.database)
	check(t, err)
	check(t, st.Migrate(t.Context()))
	fill(t, st)
	check(t, st.Close()) // which leaves one file
	w.tables = readSchema(t, w.database)
	w.sqlite = w.sqliteDatabases(t)
	return w
}

// providersFor starts the sandbox of a case.
func (w fixture) providersFor(t *testing.T, s *setup, now func() time.Time) *sandbox.Sandbox {
	t.Helper()
	sb, err := sandbox.Listen(sandboxConfig(now, copyFile(t, w.providers, t.TempDir())))
	check(t, err)
	t.Cleanup(sb.Close)
	for _, prepare := range s.providers {
		prepare(sb)
	}
	return sb
}

// alter changes the rows of the fixture as the setup of a case requires.
func (w fixture) alter(t *testing.T, s *setup, db *sql.DB, database string) {
	t.Helper()
	if s.isNew {
		w.tables.clear(t, db)
	}
	for _, statement := range s.sql {
		execute(t, db, statement)
	}
	if len(s.purchases) == 0 {
		return
	}
	st, err := store.Open(t.Context(), database)
	check(t, err)
	check(t, st.InTx(t.Context(), func(tx learning.Tx) error {
		for _, p := range s.purchases {
			if err := tx.IncrementEnrollments(t.Context(), p.CourseID); err != nil {
				return err
			}
		}
		return insertPurchases(t.Context(), tx, s.purchases)
	}))
	check(t, st.Close())
}

// onSQLite serves a case from this process, with a SQLite database.
func (w fixture) onSQLite(t *testing.T, s *setup) *server {
	t.Helper()
	return w.on(w.sqlite)(t, s)
}

// on returns the engine that serves from this process, with a database of all.
func (w fixture) on(all *databases) engine {
	return func(t *testing.T, s *setup) *server {
		t.Helper()
		d := all.take(t)
		w.alter(t, s, d.db, d.url)
		if s.isNew || len(s.sql) > 0 {
			d.latest = nil
		}
		return w.inProcess(t, s, d.url, func() snapshot { return d.rows(t) })
	}
}

// dsn returns the MySQL driver's form of the URL of a database.
func dsn(tb testing.TB, address string) string {
	tb.Helper()
	u, err := url.Parse(address)
	check(tb, err)
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName = u.User.Username(), "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
	return c.FormatDSN()
}

// inProcess serves the case from this process, with a fixed clock.
func (w fixture) inProcess(t *testing.T, s *setup, database string, rows func() snapshot) *server {
	t.Helper()
	now := func() time.Time { return learningtest.Start }
	sb := w.providersFor(t, s, now)
	dir := t.TempDir()
	platform := append(w.options(t, sb, dir), s.platform...)
	for _, clients := range s.clients {
		platform = append(platform, clients(t, sb)...)
	}
	options := []learningtest.Option{learningtest.WithDatabase(database), learningtest.WithSandbox(sb), learningtest.WithPlatform(platform...)}
	if s.store != nil {
		options = append(options, learningtest.WithStore(s.store))
	}
	kit := learningtest.New(t, options...)
	front := httptest.NewServer(newHandler(t, kit, s))
	t.Cleanup(front.Close)
	return &server{
		addr: front.Listener.Addr().String(), sandbox: sb, now: now,
		look: func() snapshot {
			all := rows()
			all.orders(sb)
			all.roles(sb)
			all.media(t, dir)
			return all
		},
		log: kit.Log.String,
	}
}

func newHandler(t *testing.T, kit *learningtest.Kit, s *setup) http.Handler {
	t.Helper()
	options := []httpapi.Option{httpapi.WithPublicURL(publicURL), httpapi.WithLogger(kit.Log.Logger())}
	if s.proxies != "" {
		options = append(options, httpapi.WithTrustedProxies(netip.MustParsePrefix(s.proxies)))
	}
	h, err := httpapi.New(kit.Platform, append(options, s.api...)...)
	check(t, err)
	return h
}

// options returns the options that differ from those of the kit: two secrets for each webhook,
// and media in dir under the URL that the reference server uses.
func (w fixture) options(t *testing.T, sb *sandbox.Sandbox, dir string) []learning.Option {
	t.Helper()
	writeFixtureMedia(t, dir)
	disk, err := media.NewDisk(dir, publicURL+"/media")
	check(t, err)
	t.Cleanup(func() { check(t, disk.Close()) })
	webhooks, err := identity.NewWebhookVerifier(identitySecondSecret, identitySecret)
	check(t, err)
	payments, err := gateway.New(sb.Config().URL, gatewayKeyID, gatewayKeySecret,
		gateway.WithWebhookSecrets(gatewaySecondSecret, gatewayWebhookSecret))
	check(t, err)
	return []learning.Option{learning.WithMedia(disk), learning.WithWebhooks(webhooks), learning.WithGateway(payments), fixtureAI(t, sb)}
}

// warnings returns the lines of the log with the level WARN, without their times.
func (srv *server) warnings() string {
	var b strings.Builder
	for line := range strings.Lines(srv.log()) {
		if _, text, found := strings.Cut(line, "level=WARN "); found {
			b.WriteString("! " + text)
		}
	}
	return b.String()
}
