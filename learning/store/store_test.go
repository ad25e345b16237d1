package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/internal/sqldriver/drivers"
	"github.com/openlectern/openlectern/internal/storetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/people"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// openURL opens a store with the driver of a URL.
func openURL(ctx context.Context, url string, opts ...Option) (*Store, error) {
	driver, err := drivers.ForURL(url)
	if err != nil {
		return nil, err
	}
	return Open(ctx, driver, url, opts...)
}

// opened opens a store until the test ends.
func opened(tb testing.TB, url string, opts ...Option) *Store {
	tb.Helper()
	s, err := openURL(context.Background(), url, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// createTables creates the tables of a SQLite file that does not exist.
var createTables = enginetest.Tables(func(url string) error {
	s, err := openURL(context.Background(), url)
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(context.Background()), s.Close())
})

// migrated opens a store with all tables.
func migrated(tb testing.TB, url string, opts ...Option) *Store {
	tb.Helper()
	if err := createTables(url); err != nil {
		tb.Fatal(err)
	}
	s := opened(tb, url, opts...)
	if err := s.Migrate(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		open := func(testing.TB) *Store { return migrated(t, e.Reused(t)) }
		p := storePool{opens: open, idle: []*Store{open(t)}} // here, where it may skip the test
		storetest.Run(t, func(tb testing.TB) learning.Store { return p.take(tb) })
	})
}

// storePool has open stores with empty tables. A test that takes one saves its connections, for
// each of which PostgreSQL starts a process.
type storePool struct {
	opens func(tb testing.TB) *Store // until all tests have ended that take stores

	mu   sync.Mutex
	idle []*Store
}

// take returns an empty store until the test of tb ends.
func (p *storePool) take(tb testing.TB) *Store {
	tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var s *Store
	if n := len(p.idle); n > 0 {
		s, p.idle = p.idle[n-1], p.idle[:n-1]
	} else {
		s = p.opens(tb)
	}
	tb.Cleanup(func() {
		clearTables(tb, s)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.idle = append(p.idle, s)
	})
	return s
}

// clearTables deletes the rows of all tables of a store but the migrations.
func clearTables(tb testing.TB, s *Store) {
	tb.Helper()
	ctx := context.Background()
	tables, _ := ownNames(tb)
	err := s.db.InTx(ctx, func(t *sqldb.Tx) error {
		for _, table := range tables {
			if strings.HasPrefix(table, "learning_migration") {
				continue
			}
			if _, err := t.Exec(ctx, "clear a table", "DELETE FROM {"+table+"}"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Error(err)
	}
}

func TestOpen_InvalidURL_ErrorWithoutPassword(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ url, want string }{
		{"", `"sqlite:path/to.db", "mysql://user:password@host:3306/name" or "postgres://`},
		{"learning.db", `"sqlite:path/to.db",`},
		{"oracle://u:s3cret@localhost/db", `"sqlite:path/to.db",`},
		{"sqlite:", "needs the path of a file"},
		{"sqlite::memory:", "needs the path of a file"},
		{"sqlite://learning.db", "right after the colon"},
		{"sqlite:" + dir, "is a folder"},
		{"sqlite:" + dir + "/missing/learning.db", "the folder of " + dir + "/missing/learning.db"},
		{"mysql://u:s3cret@localhost", "names no database"},
		{"mysql://u:s3cret@localhost/a/b", "names no database"},
		{"mysql://localhost/db", "must be mysql://user:password@host:3306/name"},
		{"mysql://u:s3cret@/db", "must be mysql://user:password@host:3306/name"},
		{"mysql:u:s3cret@localhost/db", "must be mysql://user:password@host:3306/name"},
		{"mysql://u:s3%cret@localhost/db", "percent-encoded"},
		{"mysql://u:s3/cret@localhost/db", "percent-encoded"},
		{"mysql://u:s3cret@localhost:port/db", "percent-encoded"},
		{"mysql://u:s3cret@localhost/db?charset=latin1", `unknown parameter "charset"`},
		{"mysql://u:s3cret@localhost/db?timeout=soon", `timeout="soon" is not a duration`},
		{"mysql://u:s3cret@localhost/db?readTimeout=-1s", "is not a duration"},
		{"mysql://u:s3cret@localhost/db?tls=sometimes", "tls"},
		{"mysql://u:s3cret@127.0.0.1:1/db", "connection refused"},
		{"mysql://u:s3cret@a:3306,b:3306/db", "several hosts: give the address of a proxy"},
		{"mysql://u:s3@cret@a,b/db", "several hosts"},
		{"mysql://u:s3cret@a:1,b?tls=true", "several hosts"},
		{"postgres://u:s3cret@localhost", "names no database"},
		{"postgres://u:s3cret@localhost/a/b", "names no database"},
		{"postgres://localhost/db", "must be postgres://user:password@host:5432/name"},
		{"postgres://u:s3cret@/db", "must be postgres://user:password@host:5432/name"},
		{"postgres:u:s3cret@localhost/db", "must be postgres://user:password@host:5432/name"},
		{"postgres://u:s3%cret@localhost/db", "percent-encoded"},
		{"postgres://u:s3/cret@localhost/db", "percent-encoded"},
		{"postgres://u:s3cret@localhost:port/db", "percent-encoded"},
		{"postgres://u:s3cret@localhost/db?sslmode=sometimes", "sslmode"},
		{"postgres://u:s3cret@localhost/db?connect_timeout=soon", `parsing "soon"`},
		{"postgres://u:s3cret@127.0.0.1:1/db", "connection refused"},
		{"postgresql://u:s3cret@127.0.0.1:1,127.0.0.1:2/db", "connection refused"},
	} {
		s, err := openURL(t.Context(), c.url)
		if err == nil {
			t.Errorf("%q was opened", c.url)
			_ = s.Close()
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "cret") {
			t.Errorf("%q: the error is %q, want one with %q and without the password", c.url, err,
				c.want)
		}
	}
}

func TestOpen_NegativeConns_ReturnsError(t *testing.T) {
	if _, err := openURL(t.Context(), enginetest.SQLite(t), WithConns(-1)); err == nil {
		t.Error("a store with -1 connections was opened")
	}
}

func TestOpen_ContextDone_ReturnsItsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := openURL(ctx, enginetest.SQLite(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got the error %v", err)
	}
}

// The PostgreSQL of the tests asks for no password, so that a user whom it does not know stands for
// a wrong one.
func TestOpen_WrongPassword_ReturnsError(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		url := strings.Replace(e.URL(t), "root@", "root:s3cret@", 1)
		url = strings.Replace(url, "postgres@", "stranger:s3cret@", 1)
		_, err := openURL(t.Context(), url)
		isRefused := err != nil && (strings.Contains(err.Error(), "Access denied") ||
			strings.Contains(err.Error(), `role "stranger" does not exist`))
		if !isRefused ||
			strings.Contains(err.Error(), "s3cret") {
			t.Errorf("got the error %v", err)
		}
	})
}

func TestOpen_SQLitePathWithSpecialCharacters(t *testing.T) {
	for _, name := range []string{"plain.db", "with blank.db", "what?.db", "100%.db", "%41.db",
		"a#b&c=d.db", "größe 🎓.db", "file:x.db", "a;b'c\".db"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		insertUser(t, migrated(t, "sqlite:"+path), "u")
		if _, err := migrated(t, "sqlite:"+path).User(t.Context(), "u"); err != nil {
			t.Errorf("%s, opened again: %v", name, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasPrefix(f, path) {
				t.Errorf("%s: there is also the file %s", name, f)
			}
		}
	}
}

func TestSQLite_WorkingDirectoryChanges_FileStaysTheSame(t *testing.T) {
	t.Chdir(t.TempDir())
	s := migrated(t, "sqlite:learning.db")
	t.Chdir(t.TempDir())
	insertUser(t, s, "u")
	for range 20 { // on new connections too
		s.db.Reader().SetMaxIdleConns(0)
		if _, err := s.User(t.Context(), "u"); err != nil {
			t.Fatal(err)
		}
	}
}

func insertUser(tb testing.TB, s *Store, id string) {
	tb.Helper()
	err := s.InTx(context.Background(), func(tx learning.Tx) error {
		return tx.InsertUser(context.Background(),
			people.User{ID: id, Name: id, CreatedAt: time.Now(), ChangedAt: time.Now()})
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func TestSQLiteConns_AreDurableAndReadersCannotWrite(t *testing.T) {
	s := migrated(t, enginetest.SQLite(t))
	type settings struct{ Journal, Sync, QueryOnly string }
	for name, db := range map[string]interface {
		GetContext(ctx context.Context, dest any, query string, args ...any) error
	}{"writer": s.db.Writer(), "reader": s.db.Reader()} {
		want := settings{Journal: "wal", Sync: "2", QueryOnly: "0"} // 2 is FULL
		if name == "reader" {
			want.QueryOnly = "1"
		}
		var got settings
		err := errors.Join(db.GetContext(t.Context(), &got.Journal, "PRAGMA journal_mode"),
			db.GetContext(t.Context(), &got.Sync, "PRAGMA synchronous"),
			db.GetContext(t.Context(), &got.QueryOnly, "PRAGMA query_only"))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	if _, err := s.db.Reader().Exec("DELETE FROM users"); err == nil {
		t.Error("a reader could write")
	}
}

func TestMySQLConns_AreStrictInUTCAndCompareBytes(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		s := opened(t, e.URL(t))
		if e.Name == "PostgreSQL" { // always strict; its columns say how they compare
			return
		}
		got := map[string]string{}
		for _, name := range []string{"time_zone", "collation_connection", "character_set_client",
			"sql_mode"} {
			var value string
			if err := s.db.Reader().GetContext(t.Context(), &value, "SELECT @@"+name); err != nil {
				t.Fatal(err)
			}
			got[name] = value
		}
		if !strings.Contains(got["sql_mode"], "STRICT_TRANS_TABLES") {
			t.Errorf("sql_mode is %s", got["sql_mode"])
		}
		delete(got, "sql_mode")
		want := map[string]string{"time_zone": "+00:00", "collation_connection": "utf8mb4_bin",
			"character_set_client": "utf8mb4"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestConns_AreBounded(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := opened(t, e.URL(t), WithConns(3))
		for name, want := range map[string]int{"reading": 3, "anonymous": 4, "urgent": 4} {
			if got := s.PoolStats()[name].MaxOpenConnections; got != want {
				t.Errorf("%s: %d connections, want %d", name, got, want)
			}
		}
		if got := s.db.Writer().Stats().MaxOpenConnections; e.Name == "SQLite" && got != 1 {
			t.Errorf("%d writing connections, want 1", got)
		}
		wide := opened(t, e.URL(t), WithWritingConns(5))
		if got := wide.db.Writer().Stats().MaxOpenConnections; e.Name != "SQLite" && got != 5 {
			t.Errorf("%d writing connections, want 5", got)
		}
	})
}
