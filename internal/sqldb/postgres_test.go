package sqldb

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// onPostgres runs a test on PostgreSQL, directly and through a pgbouncer in transaction mode.
func onPostgres(t *testing.T, test func(t *testing.T, s *DB)) {
	t.Helper()
	t.Run("direct", func(t *testing.T) { test(t, migrated(t, enginetest.PostgreSQL(t))) })
	t.Run("pgbouncer", func(t *testing.T) {
		enginetest.NeedPgBouncer(t)
		test(t, migrated(t, enginetest.PgBouncer(t, enginetest.PostgreSQL(t))))
	})
}

// sessions counts the connections to the database, except its own, that fulfil a condition.
func sessions(tb testing.TB, s *DB, condition string) (n int) {
	tb.Helper()
	err := s.urgent.DB.GetContext(tb.Context(), &n, "SELECT COUNT(*) FROM pg_stat_activity "+
		"WHERE datname = current_database() AND pid <> pg_backend_pid() AND "+condition)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// A process that hangs during a transaction, or whose machine fails, holds its locks for a minute.
func TestInTx_IdleTransaction_IsEndedAndRunsAgain(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *DB) {
		addCourses(t, s, "a")
		runs := 0
		err := s.InTx(t.Context(), func(tx *Tx) error {
			if runs++; runs > 1 {
				return increment(t.Context(), tx, "a")
			}
			// Be idle in the first run for longer than a limit that is shorter than the usual one.
			const name = "idle_in_transaction_session_timeout"
			var limit string
			if err := tx.Get(t.Context(), "read the limit", &limit, "SHOW "+name); err != nil {
				return err
			}
			if limit != "1min" {
				t.Errorf("the limit is %s", limit)
			}
			_, err := tx.Exec(t.Context(), "set the limit", "SET LOCAL "+name+" = 1")
			eventually(t, func() bool {
				return sessions(t, s, "state LIKE 'idle in transaction%'") == 0
			})
			return errors.Join(err, increment(t.Context(), tx, "a"))
		})
		if got := students(t, s, "a"); err != nil || runs != 2 || got != 1 {
			t.Errorf("ran %d times, counted %d students: %v", runs, got, err)
		}
	})
}

// A statement whose context ends does not run on in the server.
func TestContextDone_StatementEndsInTheServer(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *DB) {
		const wait = "SELECT 1 FROM pg_sleep(600)"
		const waits = "state = 'active' AND query LIKE 'SELECT 1 FROM pg_sleep%'"
		var one int
		for name, run := range map[string]func(ctx context.Context) error{
			"a read": func(ctx context.Context) error {
				return s.pool.Get(ctx, "wait", &one, wait)
			},
			"a transaction": func(ctx context.Context) error {
				return s.InTx(ctx, func(tx *Tx) error { return tx.Get(ctx, "wait", &one, wait) })
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- run(ctx) }()
			eventually(t, func() bool { return sessions(t, s, waits) == 1 })
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			eventually(t, func() bool { return sessions(t, s, waits) == 0 })
		}
	})
}

// Planning a statement takes longer than running it, and a pooler forgets prepared statements.
func TestInTx_PreparesStatements_UnlessThereIsAPooler(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *DB) {
		addCourses(t, s, "a")
		s.writer.SetMaxOpenConns(1)
		n := 0
		for range 3 {
			err := s.InTx(t.Context(), func(tx *Tx) error {
				if err := increment(t.Context(), tx, "a"); err != nil {
					return err
				}
				return tx.Get(t.Context(), "count prepared statements", &n,
					"SELECT COUNT(*) FROM pg_prepared_statements WHERE statement LIKE ?", "UPDATE %")
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		want := 1
		if strings.HasSuffix(t.Name(), "pgbouncer") {
			want = 0
		}
		if n != want {
			t.Errorf("%d statements are prepared, want %d", n, want)
		}
	})
}

// What costs a page of a list more than it is worth is off, on connections that are not shared.
func TestPostgres_ConnectionsAreTuned_UnlessThereIsAPooler(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *DB) {
		const show = `SELECT current_setting('enable_memoize') || ', ' ||
			current_setting('max_parallel_workers_per_gather')`
		want := "off, 0"
		if strings.HasSuffix(t.Name(), "pgbouncer") {
			want = "on, 2"
		}
		var of [2]string
		err := s.Reader().GetContext(t.Context(), &of[0], show)
		if err == nil {
			err = s.InTx(t.Context(), func(tx *Tx) error {
				return tx.Get(t.Context(), "show the settings", &of[1], show)
			})
		}
		if of != [2]string{want, want} || err != nil {
			t.Errorf("the settings are %q, %v; want %s", of, err, want)
		}
	})
}

// During an upgrade, tables are changed below connections that have described their statements.
func TestTableChanged_DescribedStatementsWork(t *testing.T) {
	onPostgres(t, func(t *testing.T, s *DB) {
		addCourses(t, s, "a")
		s.pool.DB.SetMaxOpenConns(1) // so that the same connection is used again
		s.writer.SetMaxOpenConns(1)
		use := func(id string) {
			t.Helper()
			if _, err := course(t.Context(), s, "a"); err != nil {
				t.Error(err)
			}
			err := s.InTx(t.Context(), func(tx *Tx) error {
				var n int
				err := tx.Get(t.Context(), "read a course", &n,
					"SELECT students FROM courses WHERE id = ?", Key("a"))
				return errors.Join(err, increment(t.Context(), tx, "a"))
			})
			if err != nil {
				t.Error(err)
			}
			insertUser(t, s, id)
		}
		use("before")
		for i, change := range []string{
			"ALTER TABLE courses ADD COLUMN added VARCHAR(10) NOT NULL DEFAULT ''",
			"ALTER TABLE courses ALTER COLUMN id TYPE VARCHAR(191)",
			"ALTER TABLE users ALTER COLUMN name TYPE TEXT",
			"ALTER TABLE courses DROP COLUMN added",
			"ALTER TABLE courses ALTER COLUMN students TYPE NUMERIC(30)",
		} {
			if _, err := s.urgent.DB.ExecContext(t.Context(), change); err != nil {
				t.Fatal(err)
			}
			use(fmt.Sprint(i))
		}
	})
}
