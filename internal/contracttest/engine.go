package contracttest

import (
	"database/sql"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
	"github.com/openlectern/openlectern/learning/stripe"
)

// Server is a running API whose database has the rows of the fixture.
type Server struct {
	Addr    string
	Sandbox *sandbox.Sandbox
	Now     func() time.Time
	// RealClock says that the server is another process, and that Now is the real time, not the
	// fixed time of the cases.
	RealClock bool
	host      host
	Look      func() Snapshot // what a request could have changed, as it is now
	Tables    schema          // of the database
	Log       func() string   // all that was logged so far
}

// Engine starts a server for a case.
type Engine func(t *testing.T, s *Setup) *Server

// Fixture has the files with which every case begins.
type Fixture struct {
	Database, providers string
	Tables              schema
	sqlite              *databases
	host                host
}

// NewFixture writes the files, for all cases of a test.
func NewFixture(t *testing.T) Fixture {
	t.Helper()
	dir := t.TempDir()
	w := Fixture{Database: filepath.Join(dir, "learning.db"),
		providers: filepath.Join(dir, "providers.json"), host: host{new: httpapi.New}}
	fixtureProviders(t, w.providers)
	st := migrated(t, "sqlite:"+w.Database)
	Fill(t, st)
	check(t, st.Close()) // which leaves one file
	w.Tables = readSchema(t, w.Database)
	w.sqlite = w.sqliteDatabases(t)
	return w
}

// ProvidersFor starts the sandbox of a case, with a copy of the state of the fixture and the
// changes of the setup. It ends with the test.
func (w Fixture) ProvidersFor(t *testing.T, s *Setup, now func() time.Time) *sandbox.Sandbox {
	t.Helper()
	sb, err := sandbox.Listen(sandboxConfig(now, CopyFile(t, w.providers, t.TempDir())))
	check(t, err)
	t.Cleanup(sb.Close)
	for _, prepare := range s.providers {
		prepare(sb)
	}
	return sb
}

// Alter changes the rows of the fixture in the database db as the setup of a case requires.
// database is its URL, and names are those of its tables.
func (w Fixture) Alter(t *testing.T, s *Setup, db *sql.DB, database string, names sqldb.Names) {
	t.Helper()
	if s.isNew {
		w.Tables.clear(t, db, names)
	}
	for _, statement := range s.SQL {
		execute(t, db, names.Expand(statement))
	}
	if len(s.purchases) == 0 {
		return
	}

	// Insert the purchases, with the counts and totals that follow from them.
	st, err := engines.Open(t.Context(), database, store.WithPrefix(names.Prefix))
	check(t, err)
	check(t, st.InTx(t.Context(), func(tx learning.Tx) error {
		for _, p := range s.purchases {
			if err := tx.AddToStudentCount(t.Context(), p.CourseID, 1); err != nil {
				return err
			}
		}
		return insertPurchases(t.Context(), tx, s.purchases)
	}))
	fillTotals(t, st)
	check(t, st.Close())
}

// OnSQLite serves a case from this process, with a SQLite database.
func (w Fixture) OnSQLite(t *testing.T, s *Setup) *Server {
	t.Helper()
	return w.On(w.sqlite)(t, s)
}

// On returns the engine that serves from this process, with one of the databases all for each case.
func (w Fixture) On(all *databases) Engine {
	return func(t *testing.T, s *Setup) *Server {
		t.Helper()
		d := all.take(t)
		w.Alter(t, s, d.db, d.url, d.names)
		t.Cleanup(func() { d.checkTotals(t) })
		// The version does not tell changes that were made by d.db itself.
		if s.isNew || len(s.SQL) > 0 || len(s.purchases) > 0 {
			d.latest = nil
		}
		return w.inProcess(t, s, d)
	}
}

// inProcess serves the case from this process, with a fixed clock.
func (w Fixture) inProcess(t *testing.T, s *Setup, d *database) *Server {
	t.Helper()
	now := func() time.Time { return Start }
	sb := w.ProvidersFor(t, s, now)
	dir := t.TempDir()
	options := w.options(t, sb, dir)
	for _, name := range s.leftOut {
		options[name] = nil
	}
	more := s.platform
	for _, clients := range s.clients {
		more = append(more, clients(t, sb)...)
	}
	kit := NewKit(t, d.storeFor(t, s), sb, options, more...)
	handler := w.host.newHandler(t, kit, s)
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		d.asked.Store(true)
		handler.ServeHTTP(rw, r)
	}))
	t.Cleanup(front.Close)
	return &Server{
		Addr: front.Listener.Addr().String(), Sandbox: sb, Now: now, host: w.host,
		Tables: w.Tables,
		Look: func() Snapshot {
			all := d.rows(t)
			all.Orders(sb)
			all.Roles(sb)
			all.Media(t, dir)
			return all
		},
		Log: kit.Log.String,
	}
}

// options returns the options that differ from those of the kit, by their names: two secrets for
// each webhook, and media in dir under the URL that the reference server uses.
func (w Fixture) options(
	t *testing.T, sb *sandbox.Sandbox, dir string,
) map[string]learning.Option {
	t.Helper()
	WriteFixtureMedia(t, dir)
	disk, err := media.NewDisk(dir, PublicURL+"/media")
	check(t, err)
	t.Cleanup(func() { check(t, disk.Close()) })
	webhooks, err := identity.NewWebhookVerifier(IdentitySecondSecret, IdentitySecret)
	check(t, err)
	payments, err := gateway.New(sb.Config().URL, GatewayKeyID, GatewayKeySecret,
		gateway.WithWebhookSecrets(GatewaySecondSecret, GatewayWebhookSecret))
	check(t, err)
	cards, err := stripe.New(StripeKey, StripePublishableKey,
		stripe.WithURL(sb.Config().URL+sandbox.StripePath),
		stripe.WithWebhookSecrets(StripeWebhookSecret), stripe.WithClock(clock(Start)))
	check(t, err)
	files, err := media.NewPrivateDisk(filepath.Join(dir, filesFolder), PublicURL+"/material",
		[][]byte{[]byte(FilesSecret)}, media.WithClock(clock(Start)))
	check(t, err)
	t.Cleanup(func() { check(t, files.Close()) })
	return map[string]learning.Option{
		"WithMedia":    learning.WithMedia(disk),
		"WithFiles":    learning.WithFiles(files),
		"WithWebhooks": learning.WithWebhooks(webhooks),
		"WithProvider": func(p *learning.Platform) {
			learning.WithProvider(payments)(p)
			learning.WithProvider(cards)(p)
		},
		"WithAI":           fixtureAI(t, sb),
		"WithReceiptLinks": learning.WithReceiptLinks(PublicURL, []byte(FilesSecret)),
	}
}

// ChangesSince lists what has changed since a snapshot, "" if nothing has.
func (srv *Server) ChangesSince(before Snapshot) string {
	return srv.Tables.changes(before, srv.Look())
}

// warnings returns the lines of the log with the level WARN, each after "! ", without their times.
func (srv *Server) warnings() string {
	var b strings.Builder
	for line := range strings.Lines(srv.Log()) {
		if _, text, found := strings.Cut(line, "level=WARN "); found {
			b.WriteString("! " + text)
		}
	}
	return b.String()
}
