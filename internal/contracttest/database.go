package contracttest

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
)

// database is used by one case after the other, because creating one takes longer than a
// case. Each case begins with the rows of the fixture.
type database struct {
	url     string
	names   sqldb.Names // of its tables
	db      *sql.DB     // with one connection
	store   *store.Store
	fixture string // the schema from which db can copy the rows of the fixture
	tables  schema
	selects map[string]*sql.Stmt // of all rows of a table
	// version is a query whose result differs after another connection has committed a
	// change. It is empty if the engine has none.
	version string

	initial Snapshot    // with the rows of the fixture
	latest  Snapshot    // nil if db has changed rows since
	seen    string      // the version of latest
	asked   atomic.Bool // a server was asked something, so that latest may be old
}

// databases are those of one engine, for cases that run at the same time.
type databases struct {
	open func(t *testing.T) *database
	mu   sync.Mutex
	idle []*database
}

// take returns a database with the rows of the fixture. No other case uses it until the test
// ends.
func (p *databases) take(t *testing.T) *database {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var d *database
	if n := len(p.idle); n > 0 {
		d, p.idle = p.idle[n-1], p.idle[:n-1]
	} else {
		d = p.open(t)
	}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle = append(p.idle, d)
	})
	d.reset(t)
	return d
}

// sqliteDatabases returns databases that are copies of the file of the fixture, which exist until
// the test of tb ends. Each has the file of the fixture attached, so that restore can copy rows
// from it.
func (w Fixture) sqliteDatabases(tb testing.TB) *databases {
	return &databases{open: func(t *testing.T) *database {
		t.Helper()
		file := CopyFile(tb, w.Database, tb.TempDir())
		db := OpenSQL(tb, "sqlite", "file:"+file+"?_pragma=busy_timeout(5000)")
		db.SetMaxOpenConns(1)
		execute(t, db, "ATTACH ? AS fixture", w.Database)
		return w.newDatabase(tb,
			&database{url: "sqlite:" + file, db: db, fixture: "fixture",
				version: "PRAGMA data_version"})
	}}
}

// WithPrefix returns databases whose tables have a prefix, on SQLite, which exist until the test of
// tb ends. Each has the file of the fixture attached, whose tables have none.
func (w Fixture) WithPrefix(tb testing.TB, prefix string) *databases {
	return &databases{open: func(t *testing.T) *database {
		t.Helper()
		file := filepath.Join(tb.TempDir(), "learning.db")
		names := sqldb.Names{Prefix: prefix}
		open(tb, "sqlite:"+file, names)
		db := OpenSQL(tb, "sqlite", "file:"+file+"?_pragma=busy_timeout(5000)")
		db.SetMaxOpenConns(1)
		execute(t, db, "ATTACH ? AS fixture", w.Database)
		d := &database{url: "sqlite:" + file, names: names, db: db, fixture: "fixture",
			tables: w.Tables, version: "PRAGMA data_version"}
		for table := range w.Tables { // all are empty
			d.restore(t, table)
		}
		return w.newDatabase(tb, d)
	}}
}

// ServerDatabases returns databases on a server, which has one more with the rows of the fixture.
// They exist until the test of tb ends. newURL returns the URL of a new database.
func (w Fixture) ServerDatabases(tb testing.TB, newURL func(testing.TB) string) *databases {
	tb.Helper()
	original := newURL(tb)
	if strings.HasPrefix(original, "postgres:") {
		return w.postgresDatabases(tb, newURL)
	}
	Fill(tb, migrated(tb, original))
	return &databases{open: func(t *testing.T) *database {
		t.Helper()
		url := newURL(tb)
		migrated(t, url)
		db := openServer(tb, url)
		d := &database{url: url, db: db, fixture: filepath.Base(original), tables: w.Tables}
		for table := range w.Tables { // all are empty
			d.restore(t, table)
		}
		return w.newDatabase(tb, d)
	}}
}

// postgresDatabases is ServerDatabases on PostgreSQL, where no statement can read two databases:
// each has the rows of the fixture in a schema of its own too.
func (w Fixture) postgresDatabases(
	tb testing.TB, newURL func(testing.TB) string,
) *databases {
	return &databases{open: func(t *testing.T) *database {
		t.Helper()
		url := newURL(tb)
		Fill(t, migrated(t, url))
		db := openServer(tb, url)
		execute(t, db, "CREATE SCHEMA fixture")
		for table := range w.Tables {
			execute(t, db, "CREATE TABLE fixture."+table+" AS SELECT * FROM "+table)
		}
		return w.newDatabase(tb, &database{url: url, db: db, fixture: "fixture"})
	}}
}

// openServer opens a database on a server, with one connection, until the test of tb ends.
func openServer(tb testing.TB, url string) *sql.DB {
	tb.Helper()
	db, err := enginetest.OpenSQL(url)
	check(tb, err)
	tb.Cleanup(func() { check(tb, db.Close()) })
	db.SetMaxOpenConns(1)
	return db
}

// CreateTables creates the tables of the platform in a SQLite file that does not exist, and reports
// whether it did.
var CreateTables = enginetest.Tables(func(url string) error {
	st, err := engines.Open(context.Background(), url)
	if err != nil {
		return err
	}
	return errors.Join(st.Migrate(context.Background()), st.Close())
})

// migrated opens a database and creates its tables, if they do not exist. The store is closed when
// the test ends.
func migrated(tb testing.TB, url string) *store.Store {
	tb.Helper()
	_, err := CreateTables(url)
	check(tb, err)
	return open(tb, url, sqldb.Names{})
}

// open is migrated with names of the tables, which must not be those of other tables of the
// database.
func open(tb testing.TB, url string, names sqldb.Names) *store.Store {
	tb.Helper()
	st, err := engines.Open(tb.Context(), url, store.WithPrefix(names.Prefix))
	check(tb, err)
	tb.Cleanup(func() { check(tb, st.Close()) })
	check(tb, st.Migrate(tb.Context()))
	return st
}

// newDatabase completes a database that has a URL, a connection and the rows of the fixture: it
// adds the rest of its fields.
func (w Fixture) newDatabase(tb testing.TB, d *database) *database {
	tb.Helper()
	d.store = open(tb, d.url, d.names)
	d.tables = w.Tables
	d.selects = w.Tables.Prepare(tb, d.db, d.names)
	d.initial = d.rows(tb)
	return d
}

// reset restores the tables whose rows are not those of the fixture. The name of a row begins with
// its table.
func (d *database) reset(t *testing.T) {
	t.Helper()
	now := d.rows(t)
	changed := map[string]bool{}
	for _, s := range []Snapshot{now, d.initial} {
		for name := range s {
			row, isThere := now[name]
			if old, wasThere := d.initial[name]; !isThere || !wasThere || !maps.Equal(row, old) {
				table, _, _ := strings.Cut(name, " ")
				changed[table] = true
			}
		}
	}
	for table := range changed {
		d.restore(t, table)
	}
	d.latest = d.initial
}

// checkTotals checks that the totals are right after a case, because the changes of a case leave
// them out. They are as in the fixture if the case has changed nothing. The server of the case has
// ended, so nothing changes the rows before the next case.
func (d *database) checkTotals(t *testing.T) {
	t.Helper()
	now := d.rows(t)
	d.asked.Store(false)
	if maps.EqualFunc(now, d.initial, maps.Equal) {
		return
	}
	for name, from := range invariants.Totals {
		query := "SELECT COUNT(*) FROM " + d.names.Expand(from)
		var wrong int
		check(t, d.db.QueryRowContext(context.Background(), query).Scan(&wrong))
		if wrong > 0 {
			t.Errorf("total of %s: %d are wrong", name, wrong)
		}
	}
	wrong, err := d.store.WrongQuestionTotals(context.Background())
	if errors.Is(err, store.ErrNoTables) { // a test has removed them
		return
	}
	check(t, err)
	if len(wrong) > 0 {
		t.Errorf("the totals of questions are wrong by %+v", wrong)
	}
}

// restore replaces the rows of a table by those of the fixture.
func (d *database) restore(t *testing.T, table string) {
	t.Helper()
	execute(t, d.db, d.names.Expand("DELETE FROM {"+table+"}"))
	columns := strings.Join(d.tables[table].columns, ", ")
	execute(t, d.db, d.names.Expand("INSERT INTO {"+table+"} (")+columns+") SELECT "+columns+
		" FROM "+d.fixture+"."+table)
}

// rows returns all rows of all tables, which the caller may change. If nothing was asked since the
// last call, or the engine tells that nothing has changed, it does not read them again.
func (d *database) rows(tb testing.TB) Snapshot {
	tb.Helper()
	if !d.asked.Load() && d.latest != nil {
		return maps.Clone(d.latest)
	}
	version := ""
	if d.version != "" {
		check(tb, d.db.QueryRowContext(context.Background(), d.version).Scan(&version))
	}
	if d.latest == nil || version == "" || version != d.seen {
		d.latest, d.seen = d.tables.Rows(tb, d.selects), version
	}
	return maps.Clone(d.latest)
}

// storeFor returns the store of a case. Cases share one, because opening a store takes longer than
// most requests. A store that the setup wraps is new, because the setup may close it.
func (d *database) storeFor(t *testing.T, s *Setup) learning.Store {
	t.Helper()
	if s.Store == nil {
		return d.store
	}
	return s.Store(open(t, d.url, d.names))
}

// execute runs a statement, which must succeed.
func execute(tb testing.TB, db *sql.DB, statement string, args ...any) {
	tb.Helper()
	_, err := db.ExecContext(context.Background(), statement, args...)
	check(tb, err)
}
