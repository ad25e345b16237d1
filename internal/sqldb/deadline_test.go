package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// soon is the time within which an operation ends that waits for no lock, on a busy machine too.
// It is shorter than the time limit of a transaction.
const soon = 8 * time.Second

// lockedCourse locks a course, in its own transaction, until release is called.
func lockedCourse(tb testing.TB, s *DB, id string) (release func()) {
	tb.Helper()
	// Do not use the store's connections, because the tests are about them.
	db, err := enginetest.OpenSQL(urlOf(tb, s))
	if err != nil {
		tb.Fatal(err)
	}
	blocker, err := db.Begin()
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := blocker.Exec("UPDATE courses SET students = students WHERE id = ?", id); err !=
		nil {
		tb.Fatal(err)
	}
	release = sync.OnceFunc(func() {
		if err := errors.Join(blocker.Rollback(), db.Close()); err != nil {
			tb.Error(err)
		}
	})
	tb.Cleanup(release)
	return release
}

// urlOf returns the URL of the database of a store on a server of the tests.
func urlOf(tb testing.TB, s *DB) string {
	tb.Helper()
	user, nameQuery, portQuery := "root", "SELECT DATABASE()", "SELECT @@port"
	if s.dialect.Name == "postgres" {
		user, nameQuery, portQuery = "postgres", "SELECT current_database()", "SHOW port"
	}
	var name, port string
	err := errors.Join(s.pool.DB.Get(&name, nameQuery), s.pool.DB.Get(&port, portQuery))
	if err != nil {
		tb.Fatal(err)
	}
	return fmt.Sprintf("%s://%s@127.0.0.1:%s/%s", s.dialect.Name, user, port, name)
}

// pay changes a course like a payment.
func pay(tb testing.TB, s *DB, courseID string) error {
	tb.Helper()
	return s.InTx(tb.Context(), func(tx *Tx) error { return increment(tb.Context(), tx, courseID) })
}

func TestLockedRow_30Payments_OthersDoNotWait(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		s := migrated(t, e.URL(t))
		addCourses(t, s, "locked", "other")
		release := lockedCourse(t, s, "locked")
		var all sync.WaitGroup
		for range 30 {
			all.Go(func() {
				if err := pay(t, s, "locked"); err != nil {
					t.Error(err)
				}
			})
		}
		eventually(t, func() bool {
			stats := s.writer.Stats()
			return stats.InUse == min(30, stats.MaxOpenConnections)
		})
		for name, bystander := range map[string]func() error{
			"a read": func() error {
				_, err := courses(t.Context(),
					s)
				return err
			},
			"a payment of another course": func() error { return pay(t, s, "other") },
		} {
			began := time.Now()
			if err := bystander(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(began); took > soon {
				t.Errorf("%s took %v", name, took)
			}
		}
		release()
		all.Wait()
		if locked, other := students(t, s, "locked"),
			students(t, s, "other"); locked != 30 || other != 1 {
			t.Errorf("counted %d and %d students, want 30 and 1", locked, other)
		}
	})
}

// More transactions than connections wait for a locked row. After they have timed out once, half of
// the connections are left to other transactions.
func TestLockedRow_MorePaymentsThanConnections_AnotherCourseIsPaid(t *testing.T) {
	s := migrated(t, enginetest.MariaDB(t), WithWritingConns(4), WithDeadlines(0, 30*time.Second))
	addCourses(t, s, "locked", "other")
	release := lockedCourse(t, s, "locked")
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if err := pay(t, s, "locked"); err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, func() bool { return s.writer.Stats().InUse == 4 })
	eventually(t, func() bool { return s.writer.Stats().InUse <= 2 })
	for range 3 {
		began := time.Now()
		if err := pay(t, s, "other"); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > soon {
			t.Errorf("a payment of another course took %v", took)
		}
	}
	release()
	all.Wait()
	if locked, other := students(t, s, "locked"),
		students(t, s, "other"); locked != 6 || other != 3 {
		t.Errorf("counted %d and %d students, want 6 and 3", locked, other)
	}
}

func TestLockedRow_NotReleased_EndsWithinTheDeadline(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		s := migrated(t, e.URL(t))
		addCourses(t, s, "locked")
		release := lockedCourse(t, s, "locked")
		s.txTimeout = 1500 * time.Millisecond
		began := time.Now()
		err := pay(t, s, "locked")
		if took := time.Since(began); !errors.Is(err, testErrors.Timeout) ||
			!errors.Is(err, testErrors.Busy) || took > soon {
			t.Errorf("after %v the error is %v", took, err)
		}
		s.txTimeout = defaultTxTimeout
		release()
		if err := pay(t, s, "locked"); err != nil {
			t.Error(err)
		}
		if got := students(t, s, "locked"); got != 1 {
			t.Errorf("counted %d students, want 1", got)
		}
	})
}

func TestDeadlines_Negative_AreRefused(t *testing.T) {
	for _, opt := range []option{WithDeadlines(-1, 0), WithDeadlines(0, -1), WithWritingConns(-1)} {
		if _, err := openDB(t.Context(), enginetest.SQLite(t), opt); err == nil {
			t.Error("the store was opened")
		}
	}
}

func TestDeadlines_Unset_AreTheDefaults(t *testing.T) {
	s := opened(t, enginetest.SQLite(t))
	if s.pool.readTimeout != 5*time.Second || s.txTimeout != 10*time.Second {
		t.Errorf("the deadlines are %v and %v", s.pool.readTimeout, s.txTimeout)
	}
}

func TestFrozenServer_EveryOperation_EndsAndNothingIsDoneTwice(t *testing.T) {
	t.Run("MariaDB", func(t *testing.T) {
		testFrozenServer(t, enginetest.StartMariaDB(t), "?timeout=200ms")
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		testFrozenServer(t, enginetest.StartPostgreSQL(t), "&connect_timeout=1")
	})
}

// testFrozenServer tests a server. shortly is what makes its URL one with a short time to connect.
func testFrozenServer(t *testing.T, server *enginetest.Server, shortly string) {
	t.Helper()
	const limit = 300 * time.Millisecond // of the operations while the server is frozen
	url := server.URL("learning")
	freezes := false
	s := migrated(t, url).WithFaults(func(_ context.Context, step string) error {
		if freezes && step == stepCommit {
			freezes = false // other operations are not concurrent with this one
			server.Freeze()
		}
		return nil
	})
	addCourses(t, s, "a")
	fill(t, s)
	insertUser(t, s, "u")
	d := *s.dialect
	d.commitTimeout = limit
	usual := s.dialect
	s.dialect, s.outcomeTimeout = &d, limit
	operations := map[string]func(i int) error{
		"read":  func(int) error { _, err := course(t.Context(), s, "a"); return err },
		"list":  func(int) error { _, err := courses(t.Context(), s); return err },
		"each":  func(int) error { return eachUser(t.Context(), s) },
		"ping":  func(int) error { return s.Ping(t.Context()) },
		"write": func(int) error { return pay(t, s, "a") },
		"write with a context of its own": func(int) error {
			return s.InTx(t.Context(),
				func(tx *Tx) error {
					return increment(context.WithoutCancel(t.Context()), tx,
						"a")
				})
		},
		"commit": func(i int) error {
			return s.InTx(t.Context(), func(tx *Tx) error {
				// for the other operations the server is frozen from the start
				freezes = freezes || i == 0
				return increment(t.Context(), tx, "a")
			})
		},
	}
	if err := operations["commit"](0); !errors.Is(err, testErrors.UnknownOutcome) {
		t.Errorf("a COMMIT that was not answered: %v", err)
	}
	s.txTimeout, s.pool.readTimeout = limit, limit
	const each = 20 // more than the connections of the store
	var all sync.WaitGroup
	began := time.Now()
	for name, do := range operations {
		for i := range each {
			all.Go(func() {
				if err := do(i + 1); !errors.Is(err, testErrors.Timeout) {
					t.Errorf("%s: the error is %v", name, err)
				}
			})
		}
	}
	all.Wait()
	// the limits of concurrent operations must not add up
	if took := time.Since(began); took > each*limit {
		t.Errorf("the operations took %v", took)
	}
	began = time.Now()
	if _, err := openDB(t.Context(), url+shortly); !errors.Is(err, testErrors.Timeout) ||
		time.Since(began) > soon {
		t.Errorf("opening another store: after %v the error is %v", time.Since(began), err)
	}
	server.Thaw()
	s.txTimeout = defaultTxTimeout
	s.pool.readTimeout = defaultReadTimeout
	s.dialect = usual
	for range 40 {
		if err := pay(t, s, "a"); err != nil {
			t.Fatal(err)
		}
	}
	// The COMMIT that was not answered has taken effect, unless a PostgreSQL has found the request
	// to cancel it first.
	got := students(t, s, "a")
	if isCancelled := s.dialect.Name == "postgres" && got == 40; got != 41 && !isCancelled {
		t.Errorf("counted %d students, want 41", got)
	}
}

// lockFile locks a SQLite file, as a backup tool in another process does, until release is
// called.
func lockFile(t *testing.T, url string) (release func()) {
	t.Helper()
	lock, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(url, "sqlite:")+
		"?_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	lock.SetMaxOpenConns(1)
	if _, err := lock.Exec("UPDATE courses SET students = students"); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	}
}

// idleSQLite returns a store with a course "a" and without open connections.
func idleSQLite(t *testing.T, url string, opts ...option) *DB {
	t.Helper()
	other := migrated(t, url)
	addCourses(t, other, "a")
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	s := opened(t, url, opts...)
	for _, db := range []*sqlx.DB{s.pool.DB, s.anonymous.DB, s.urgent.DB, s.writer} {
		db.SetMaxIdleConns(0)
	}
	return s
}

func TestSQLiteFileLockedByAnotherProcess_EveryOperation_EndsWithinTheDeadline(t *testing.T) {
	url := enginetest.SQLite(t)
	s := idleSQLite(t, url, WithDeadlines(200*time.Millisecond, 300*time.Millisecond))
	release := lockFile(t, url)
	var all sync.WaitGroup
	began := time.Now()
	for range 10 {
		all.Go(func() {
			if _, err := course(t.Context(), s, "a"); !errors.Is(err, testErrors.Timeout) {
				t.Errorf("a read of a locked file: the error is %v", err)
			}
		})
		all.Go(func() {
			if err := pay(t, s, "a"); !errors.Is(err, testErrors.Timeout) {
				t.Errorf("a write to a locked file: the error is %v", err)
			}
		})
	}
	all.Wait()
	if took := time.Since(began); took > soon {
		t.Errorf("the operations took %v", took)
	}
	release()
	s.txTimeout, s.pool.readTimeout = defaultTxTimeout, defaultReadTimeout
	if err := pay(t, s, "a"); err != nil {
		t.Error(err)
	}
	if got := students(t, s, "a"); got != 1 {
		t.Errorf("counted %d students, want 1", got)
	}
	// A connection that is still being opened would write files while their folder is removed.
	eventually(t, func() bool {
		for _, pool := range s.Stats() {
			if pool.OpenConnections != pool.Idle {
				return false
			}
		}
		return true
	})
}

// failHook calls hook after a connection could not be opened.
type failHook struct {
	driver.Connector
	hook func()
}

func (c failHook) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		c.hook()
	}
	return conn, err
}

func TestSQLiteFileUnlocked_TransactionWhoseConnectionFailed_Succeeds(t *testing.T) {
	url := enginetest.SQLite(t)
	s := idleSQLite(t, url)
	release := sync.OnceFunc(lockFile(t, url))
	failed := false
	connectors, err := s.dialect.driver.Connect(url, "")
	if err != nil {
		t.Fatal(err)
	}
	writer := s.writer
	s.writer = sqlx.NewDb(sql.OpenDB(failHook{connectors.Writing,
		func() { failed = true; release() }}), sqliteDialect.sqlxName)
	s.writer.SetMaxIdleConns(0)
	t.Cleanup(func() { _ = writer.Close() })
	if err := pay(t, s, "a"); err != nil {
		t.Error(err)
	}
	release()
	if got := students(t, s, "a"); got != 1 || !failed {
		t.Errorf("counted %d students, want 1; a connection failed: %v, want true", got, failed)
	}
}

func TestSQLiteFiles_Created_AreForTheirOwnerAlone(t *testing.T) {
	url := enginetest.SQLite(t)
	s := migrated(t, url)
	insertUser(t, s, "u")
	path := strings.TrimPrefix(url, "sqlite:")
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has the mode %o, want 600", name, mode)
		}
	}
}

func TestSQLiteFile_Existing_KeepsItsMode(t *testing.T) {
	url := enginetest.SQLite(t)
	path := strings.TrimPrefix(url, "sqlite:")
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	migrated(t, url)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v (%v), want 640", info.Mode(), err)
	}
}
