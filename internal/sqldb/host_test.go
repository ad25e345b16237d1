package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"modernc.org/sqlite"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldriver"
	"github.com/openlectern/openlectern/internal/sqldriver/drivers"
	"github.com/openlectern/openlectern/internal/sqldriver/mysql"
)

func withNames(n Names) option { return func(c *Config) { c.Names = n } }

// newOn returns a database on a pool of the host.
func newOn(pool *sql.DB, url string, opts ...option) (*DB, error) {
	driver, err := drivers.ForURL(url)
	if err != nil {
		return nil, err
	}
	return New(pool, driver, testConfig(opts...))
}

// onHost returns a database with its tables on a pool of the host.
func onHost(tb testing.TB, pool *sql.DB, url string, opts ...option) *DB {
	tb.Helper()
	s, err := newOn(pool, url, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Migrate(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return s
}

// wrongSettings are settings of a pool that New refuses, with a part of its error.
var wrongSettings = map[sqldriver.Engine]map[string]string{
	sqldriver.SQLite: {
		"_pragma=journal_mode(DELETE)": "add _pragma=journal_mode(WAL)",
		"_pragma=synchronous(NORMAL)":  "add _pragma=synchronous(FULL)",
		"_pragma=query_only(1)":        "remove query_only",
		"mode=memory":                  "open a file",
	},
	sqldriver.MySQL: {
		"parseTime=false":            "add parseTime=true",
		"loc=Asia%2FKolkata":         "add loc=UTC",
		"loc=Europe%2FLondon":        "add loc=UTC",
		"time_zone=%27%2B05:30%27":   "add time_zone=%27%2B00:00%27",
		"sql_mode=%27%27":            "must have STRICT_TRANS_TABLES",
		"autocommit=0":               "autocommit is off",
		"charset=latin1":             "add charset=utf8mb4",
		"ISOLATION=READ-COMMITTED":   "must be REPEATABLE-READ",
		"ISOLATION=SERIALIZABLE":     "must be REPEATABLE-READ",
		"clientFoundRows=false":      "add clientFoundRows=true",
		"character_set_results=NULL": "add charset=utf8mb4",
	},
	sqldriver.PostgreSQL: {
		"datestyle=German":     "add datestyle=ISO",
		"datestyle=SQL,%20MDY": "add datestyle=ISO",
	},
}

func TestNew_WrongSetting_SaysWhatToSet(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		url := e.URL(t)
		migrated(t, url) // so that clientFoundRows can be found out
		if _, err := newOn(enginetest.HostPool(t, url), url); err != nil {
			t.Errorf("the right settings are refused: %v", err)
		}
		isolation := "transaction_isolation"
		if e.Name == "MariaDB" {
			isolation = "tx_isolation"
		}
		for setting, want := range wrongSettings[driverOf(t, url).Engine()] {
			if level, isLevel := strings.CutPrefix(setting, "ISOLATION="); isLevel {
				setting = isolation + "=%27" + level + "%27"
			}
			if e.Name == "SQLite" { // the file keeps the journal mode
				url = e.URL(t)
			}
			pool := enginetest.HostPool(t, url, setting)
			if _, err := newOn(pool, url); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error is %v, want %q", setting, err, want)
			}
		}
	})
}

// Without tables clientFoundRows cannot be found out yet.
func TestMigrate_PoolThatCountsChangedRows_ReturnsError(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.MySQLServers, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		s, err := newOn(enginetest.HostPool(t, url, "clientFoundRows=false"), url)
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range []func(context.Context) error{s.Migrate, s.CheckTables} {
			if err := check(t.Context()); err == nil ||
				!strings.Contains(err.Error(), "add clientFoundRows=true") {
				t.Errorf("the error is %v", err)
			}
		}
	})
}

// A SET or PRAGMA that is sent to a pool reaches one connection only.
func TestNew_ChecksIdleConnections(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		pool := enginetest.HostPool(t, url)
		statement := map[string]string{"SQLite": "PRAGMA synchronous = OFF",
			"MariaDB": "SET sql_mode = ''", "PostgreSQL": "SET datestyle = 'German'"}[e.Name]
		if _, err := pool.Exec(statement); err != nil {
			t.Fatal(err)
		}
		if _, err := newOn(pool, url); err == nil {
			t.Errorf("%s is not noticed", statement)
		}
	})
}

func TestNew_UnusablePool_ReturnsError(t *testing.T) {
	t.Parallel()
	url := enginetest.SQLite(t)
	pool := enginetest.HostPool(t, url)
	small := enginetest.HostPool(t, url)
	small.SetMaxOpenConns(3)
	for want, try := range map[string]func() (*DB, error){
		"its errors are not those of github.com/go-sql-driver/mysql": func() (*DB, error) {
			return New(pool, mysql.Driver{}, testConfig())
		},
		"the pool allows 3 connections and must allow 4 at least: call SetMaxOpenConns": func() (
			*DB, error) {
			return newOn(small, url)
		},
		"must be at least 1": func() (*DB, error) {
			return newOn(pool, url, WithConns(-1))
		},
	} {
		if _, err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// tracedDriver opens connections to one SQLite file as a driver does that wraps another one, such
// as for traces.
type tracedDriver struct{ file string }

func (d tracedDriver) Driver() driver.Driver { return d }

func (d tracedDriver) Connect(context.Context) (driver.Conn, error) { return d.Open(d.file) }

func (tracedDriver) Open(name string) (driver.Conn, error) {
	inner, err := (&sqlite.Driver{}).Open(name)
	if err != nil {
		return nil, err
	}
	return tracedConn{inner, inner.(driver.ExecerContext), inner.(driver.QueryerContext)}, nil
}

type tracedConn struct {
	driver.Conn
	driver.ExecerContext
	driver.QueryerContext
}

func TestNew_DriverThatWrapsAnother_Works(t *testing.T) {
	t.Parallel()
	url := enginetest.SQLite(t)
	pool := sql.OpenDB(tracedDriver{file: "file:" + strings.TrimPrefix(url, "sqlite:") +
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"})
	t.Cleanup(func() { _ = pool.Close() })
	s := onHost(t, pool, url)
	addCourses(t, s, "a")
	err := s.InTx(t.Context(), func(tx *Tx) error { return increment(t.Context(), tx, "a") })
	if got := students(t, s, "a"); err != nil || got != 1 {
		t.Errorf("counted %d students: %v", got, err)
	}
	// The errors are those of the driver inside, by which a duplicate is recognised.
	for _, want := range []error{nil, testErrors.Duplicate} {
		err = s.InTx(t.Context(), func(tx *Tx) error { return insert(t.Context(), tx, "ada") })
		if !errors.Is(err, want) {
			t.Errorf("insert a user: %v, want %v", err, want)
		}
	}
}

func TestNames_Invalid_AreRefused(t *testing.T) {
	t.Parallel()
	for _, names := range []Names{{Prefix: "Lectern_"}, {Prefix: "1_"}, {Prefix: "a-b"},
		{Prefix: "_a"}, {Prefix: `a"`}, {Prefix: strings.Repeat("a", 21)}, {Schema: "school"}} {
		for _, try := range []func(url string) (*DB, error){
			func(url string) (*DB, error) { return newOn(enginetest.HostPool(t, url), url, withNames(names)) },
			func(url string) (*DB, error) { return openDB(t.Context(), url, withNames(names)) },
		} {
			if _, err := try(enginetest.SQLite(t)); err == nil {
				t.Errorf("%+v is accepted", names)
			}
		}
	}
	for _, schema := range []string{"School", `a"`, strings.Repeat("a", 64), "_a"} {
		if err := (Names{Schema: schema}).check("postgres"); err == nil {
			t.Errorf("the schema %s is accepted", schema)
		}
	}
	if err := (Names{Prefix: strings.Repeat("a", 20), Schema: "s1"}).check("postgres"); err != nil {
		t.Error(err)
	}
}

func TestSchema_Missing_ReturnsError(t *testing.T) {
	t.Parallel()
	url := enginetest.PostgreSQL(t)
	named := withNames(Names{Schema: "nowhere"})
	_, errNew := newOn(enginetest.HostPool(t, url), url, named)
	_, errOpen := openDB(t.Context(), url, named)
	for _, err := range []error{errNew, errOpen} {
		if err == nil || !strings.Contains(err.Error(), `no schema "nowhere": create it`) {
			t.Errorf("the error is %v", err)
		}
	}
}

// The shares use no more than the pool allows, and each operation has one connection at least.
func TestCutShare_SumIsWithinTheLimit(t *testing.T) {
	t.Parallel()
	for _, wants := range [][]int{{8, 4, 4, 32}, {4, 4, 4, 1}, {1, 4, 4, 1}, {100, 50, 50, 3}} {
		wanted := wants[0] + wants[1] + wants[2] + wants[3]
		for limit := minHostConns; limit < 2*wanted; limit++ {
			sum := 0
			for _, want := range wants {
				got := cutShare(want, wanted, limit)
				if got < 1 || got > want {
					t.Errorf("%v of %d: a share of %d", wants, limit, got)
				}
				sum += got
			}
			if sum > limit {
				t.Errorf("%v of %d: %d in all", wants, limit, sum)
			}
		}
		if got := cutShare(wants[0], wanted, 0); got != wants[0] {
			t.Errorf("without a limit the share is %d, want %d", got, wants[0])
		}
	}
}

// A read that lasts uses up the share of its class, and leaves connections to transactions.
func TestNew_SmallPool_SlowReadsLeaveConnections(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		url := e.URL(t)
		pool := enginetest.HostPool(t, url)
		pool.SetMaxOpenConns(minHostConns)
		s := onHost(t, pool, url, WithDeadlines(time.Second, 0))
		addCourses(t, s, "go")
		insertUser(t, s, "ada")

		var id string
		err := s.Reads().Each(t.Context(), "read the users", []any{&id}, func() error {
			if _, err := courses(t.Context(), s); !errors.Is(err, testErrors.Timeout) {
				t.Errorf("a read without a connection: %v", err)
			}
			return pay(t, s, "go")
		}, "SELECT id FROM users")
		if err != nil {
			t.Error(err)
		}
		if got := students(t, s, "go"); got != 1 {
			t.Errorf("%d students, want 1", got)
		}
		if got := s.Stats()["host"].MaxOpenConnections; got != minHostConns {
			t.Errorf("the statistics are of a pool of %d connections", got)
		}
		if err := errors.Join(s.Close(), pool.Ping()); err != nil {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestNew_LockedRow_EndsWithinTheDeadline(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		url := e.URL(t)
		s := onHost(t, enginetest.HostPool(t, url), url)
		addCourses(t, s, "locked")
		release := lockedCourse(t, s, "locked")
		s.txTimeout = 1500 * time.Millisecond
		began := time.Now()
		err := pay(t, s, "locked")
		if took := time.Since(began); !errors.Is(err, testErrors.Timeout) || took > soon {
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

// sessionSettings is a query for the settings of a connection, without those that say what happens.
var sessionSettings = map[sqldriver.Engine]string{
	sqldriver.SQLite: `SELECT 'busy_timeout ' || timeout FROM pragma_busy_timeout
		UNION ALL SELECT 'synchronous ' || synchronous FROM pragma_synchronous
		UNION ALL SELECT 'query_only ' || query_only FROM pragma_query_only
		UNION ALL SELECT 'foreign_keys ' || foreign_keys FROM pragma_foreign_keys
		UNION ALL SELECT 'journal_mode ' || journal_mode FROM pragma_journal_mode
		UNION ALL SELECT 'cache_size ' || cache_size FROM pragma_cache_size`,
	sqldriver.MySQL: `SELECT CONCAT(variable_name, ' ', variable_value) FROM SCHEMA.session_variables
		WHERE LOWER(variable_name) NOT REGEXP
			'timestamp|rand_seed|insert_id|identity|pseudo_thread|count$|gtid|statement_id|last_'
		ORDER BY variable_name`,
	sqldriver.PostgreSQL: `SELECT CONCAT(name, ' ', setting) FROM pg_settings ORDER BY name`,
}

// settingsOf returns the different settings of the connections of a pool, of which it opens four.
func settingsOf(tb testing.TB, pool *sql.DB, query string) (all []string) {
	tb.Helper()
	for range minHostConns {
		conn, err := pool.Conn(context.Background())
		if err != nil {
			tb.Fatal(err)
		}
		defer conn.Close()
		rows, err := conn.QueryContext(context.Background(), query)
		if err != nil {
			tb.Fatal(err)
		}
		var lines []string
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				tb.Fatal(err)
			}
			lines = append(lines, line)
		}
		if err := rows.Err(); err != nil || len(lines) < 6 {
			tb.Fatalf("%d settings (%v)", len(lines), err)
		}
		if text := strings.Join(lines, "\n"); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

func TestNew_LeavesConnectionsAsTheyWere(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		pool := enginetest.HostPool(t, url)
		pool.SetMaxOpenConns(minHostConns)
		pool.SetMaxIdleConns(minHostConns)
		schema := "information_schema"
		if e.Name == "MySQL" {
			schema = "performance_schema"
		}
		query := strings.Replace(sessionSettings[driverOf(t, url).Engine()], "SCHEMA", schema, 1)
		before := settingsOf(t, pool, query)
		if len(before) != 1 {
			t.Fatalf("the connections differ from the beginning: %s", cmp.Diff(before[0], before[1]))
		}

		// Commit, roll back, fail, and use each class of reads.
		s := onHost(t, pool, url)
		addCourses(t, s, "go")
		if err := pay(t, s, "go"); err != nil {
			t.Error(err)
		}
		refused := errors.New("refused")
		if err := s.InTx(t.Context(), func(*Tx) error { return refused }); !errors.Is(err, refused) {
			t.Error(err)
		}
		if err := pay(t, s, "none"); !errors.Is(err, testErrors.NoRow) {
			t.Error(err)
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, settingsOf(t, pool, query)); diff != "" {
			t.Errorf("the connections have other settings (-before +after):\n%s", diff)
		}
	})
}

// Two programs with different prefixes share a database: they migrate at the same time, and neither
// waits for a lock of the other.
func TestNames_TwoPrefixes_DoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		url := e.URL(t)
		pool := enginetest.HostPool(t, url)
		// The first connection to a new file of SQLite switches it to WAL, which others must not
		// meet.
		if err := pool.PingContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		stores := make([]*DB, 3)
		var all sync.WaitGroup
		for i := range stores {
			all.Go(func() {
				s, err := newOn(pool, url, withNames(Names{Prefix: []string{"", "a_", "b_"}[i]}))
				if err == nil {
					err = s.Migrate(t.Context())
				}
				if err != nil {
					t.Error(err)
				}
				stores[i] = s
			})
		}
		all.Wait()
		if t.Failed() || e.Name == "SQLite" { // SQLite has one writer
			return
		}

		// Each locks the place of the same course, and waits in it for the others.
		inside := make(chan struct{})
		arrived := make(chan struct{}, len(stores))
		for i, s := range stores {
			all.Go(func() {
				err := s.InTx(t.Context(), func(tx *Tx) error {
					if _, err := tx.Lock(t.Context(), "course", "go",
						"UPDATE {courses} SET students = students WHERE id = ?"); err != nil {
						return err
					}
					if err := tx.Insert(t.Context(), "insert a course",
						"INSERT INTO {courses} (id, students) VALUES (?, 0)", Key("go")); err != nil {
						return err
					}
					arrived <- struct{}{}
					<-inside
					return nil
				})
				if err != nil {
					t.Errorf("store %d: %v", i, err)
				}
			})
		}
		for range stores {
			select {
			case <-arrived:
			case <-time.After(soon):
				t.Error("a transaction waits for one of another prefix")
			}
		}
		close(inside)
		all.Wait()
		for _, s := range stores {
			if n := count(t, s, s.dialect.Names().Expand("{courses}")); n != 1 {
				t.Errorf("%d courses, want 1", n)
			}
		}
	})
}

// A COMMIT without an answer is resolved by the markers of the same prefix.
func TestNames_LostAnswer_IsResolvedByItsOwnMarkers(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		pool := enginetest.HostPool(t, url)
		other := onHost(t, pool, url)
		lost := false
		s := onHost(t, pool, url, withNames(Names{Prefix: "a_"})).WithFaults(
			func(_ context.Context, step string) error {
				if step == stepAnswer && !lost {
					lost = true
					return errors.New("the answer is lost")
				}
				return nil
			})
		runs := 0
		err := s.InTx(t.Context(), func(tx *Tx) error {
			runs++
			return tx.Insert(t.Context(), "insert a course",
				"INSERT INTO {courses} (id, students) VALUES (?, 0)", Key(fmt.Sprint("go", runs)))
		})
		if err != nil || !lost {
			t.Errorf("the transaction: %v, the answer was lost: %v", err, lost)
		}
		if n := count(t, s, "a_courses"); n != 1 {
			t.Errorf("%d courses, want 1", n)
		}
		if n := count(t, other, "learning_commits"); n != 0 {
			t.Errorf("%d markers in the other tables", n)
		}
	})
}
