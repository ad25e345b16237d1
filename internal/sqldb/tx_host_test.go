package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldriver"
)

// withHost runs fn in a transaction of s that also counts a student of the course a.
func withHost(
	ctx context.Context, s *DB, fn func(ctx context.Context, conn *sql.Conn) error,
) error {
	return s.InTx(ctx, func(tx *Tx) error {
		if err := increment(ctx, tx, "a"); err != nil {
			return err
		}
		return tx.WithHost(ctx, fn)
	})
}

// bind returns a statement with the placeholders of the engine, which is written with ?.
func bind(s *DB, query string) string {
	if s.dialect.Name == "postgres" {
		return sqlx.Rebind(sqlx.DOLLAR, query)
	}
	return query
}

// hostDB returns a database with the course a and a table of a host, whose names may have braces.
func hostDB(t *testing.T, url string, opts ...option) *DB {
	t.Helper()
	s := migrated(t, url, opts...)
	addCourses(t, s, "a")
	_, err := s.writer.Exec("CREATE TABLE invoices (id VARCHAR(64) NOT NULL PRIMARY KEY, " +
		"text VARCHAR(64), paid BOOLEAN)" + s.dialect.tableOptions)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantBoth checks that the course a has n students, and the host as many invoices.
func wantBoth(t *testing.T, s *DB, n int) {
	t.Helper()
	var invoices int
	if err := s.pool.DB.Get(&invoices, "SELECT COUNT(*) FROM invoices"); err != nil {
		t.Fatal(err)
	}
	if got := students(t, s, "a"); got != n || invoices != n {
		t.Errorf("%d students and %d invoices, want %d", got, invoices, n)
	}
}

const insertInvoice = "INSERT INTO invoices (id, text, paid) VALUES (?, ?, ?)"

func TestWithHost_StatementsOfTheEngine(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := hostDB(t, e.URL(t))
		// The texts pass unchanged: a ? and braces in them are no placeholders of the store.
		const text = "{users} ?"
		err := withHost(t.Context(), s, func(ctx context.Context, conn *sql.Conn) error {
			// By a text with arguments of types that the store converts in its own statements.
			result, err := conn.ExecContext(ctx, bind(s, insertInvoice), "1", text, true)
			if err != nil {
				return err
			}
			if n, err := result.RowsAffected(); err != nil || n != 1 {
				t.Errorf("added %d rows: %v", n, err)
			}
			_, err = conn.ExecContext(ctx, "UPDATE invoices SET text = '{users} ?'")
			if err != nil {
				return err
			}

			// By a prepared statement that is not closed.
			stmt, err := conn.PrepareContext(ctx,
				bind(s, "SELECT text, paid FROM invoices WHERE id = ?"))
			if err != nil {
				return err
			}
			var got string
			var paid bool
			if err := stmt.QueryRowContext(ctx, "1").Scan(&got, &paid); err != nil {
				return err
			}
			if got != text || !paid {
				t.Errorf("read %q, %v", got, paid)
			}

			// No row is no failure.
			err = stmt.QueryRowContext(ctx, "2").Scan(&got, &paid)
			if !errors.Is(err, sql.ErrNoRows) {
				t.Errorf("a missing row: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		wantBoth(t, s, 1)
	})
}

func TestWithHost_RowsLeftOpen(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := hostDB(t, e.URL(t))
		var rows *sql.Rows
		left := func(ctx context.Context, conn *sql.Conn) (err error) {
			if _, err = conn.ExecContext(ctx, bind(s, insertInvoice), "1", "", true); err != nil {
				return err
			}
			rows, err = conn.QueryContext(ctx, "SELECT id FROM courses UNION SELECT 'b'")
			if err != nil || !rows.Next() {
				t.Errorf("the first row: %v, %v", err, rows.Err())
			}
			return err
		}

		// They are closed when the function returns, and the transaction goes on.
		err := s.InTx(t.Context(), func(tx *Tx) error {
			if err := tx.WithHost(t.Context(), left); err != nil {
				return err
			}
			return increment(t.Context(), tx, "a")
		})
		if err != nil {
			t.Fatal(err)
		}
		if rows.Next() {
			t.Error("rows that are left open can be read after the transaction")
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
		wantBoth(t, s, 1)

		// Another statement before they are closed is refused, and fails the transaction.
		err = withHost(t.Context(), s, func(ctx context.Context, conn *sql.Conn) error {
			rows, err := conn.QueryContext(ctx, "SELECT id FROM courses")
			if err != nil {
				return err
			}
			defer rows.Close()
			_, _ = conn.ExecContext(ctx, bind(s, insertInvoice), "2", "", true) // ignored
			return nil
		})
		if !errors.Is(err, errHostRowsOpen) {
			t.Errorf("a statement while rows are open: %v", err)
		}
		wantBoth(t, s, 1)
	})
}

func TestWithHost_FailedStatementFailsTheTransaction(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := hostDB(t, e.URL(t))
		insert := func(ctx context.Context, conn *sql.Conn) error {
			_, err := conn.ExecContext(ctx, bind(s, insertInvoice), "1", "", true)
			return err
		}
		if err := withHost(t.Context(), s, insert); err != nil {
			t.Fatal(err)
		}
		var failed, next error
		err := withHost(t.Context(), s, func(ctx context.Context, conn *sql.Conn) error {
			failed = insert(ctx, conn)
			_, next = conn.ExecContext(ctx, bind(s, insertInvoice), "2", "", true)
			return nil // the errors are ignored
		})
		if err == nil || failed == nil || next != failed || !errors.Is(err, failed) {
			t.Errorf("the INSERT returned %v, the next statement %v, the transaction %v", failed,
				next, err)
		}
		// The host sees the error of the driver.
		if s.dialect.failure(failed) != sqldriver.Duplicate || errors.Is(failed, testErrors.Duplicate) {
			t.Errorf("the INSERT returned %#v", failed)
		}
		wantBoth(t, s, 1)
	})
}

// A caller is never told of a success that is not stored, whatever a statement of the host is.
func TestWithHost_StatementEndsTheTransaction_IsAnError(t *testing.T) {
	texts := []string{"COMMIT", " rollback;", "BEGIN", "Start\nTransaction", "/* x */ ROLLBACK",
		"-- name: Cancel :exec\nROLLBACK", "SELECT 1; ROLLBACK", "; COMMIT", "/* ; */ /**/ commit",
		"SELECT ';'; ROLLBACK", "ROLLBACK; BEGIN"}
	ofEngine := map[string][]string{
		"sqlite": {"END", "SELECT 1; END TRANSACTION", "COMMIT; SAVEPOINT host_a"},
		"mysql": {"# x\nROLLBACK", "START TRANSACTION READ ONLY", "SET autocommit = 1, @x = 1",
			"CREATE TABLE host_new (id BIGINT)", "TRUNCATE TABLE users", "/*!ROLLBACK*/",
			"EXECUTE IMMEDIATE 'COMMIT'", "CALL host_commits()", "CALL host_begins()"},
		"postgres": {"ABORT", "END", "ROLLBACK AND CHAIN", "SELECT $$;$$; COMMIT",
			"PREPARE TRANSACTION 'x'", "/* /* */ */ ROLLBACK"},
	}
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := hostDB(t, e.URL(t))
		if s.dialect.Name == "mysql" {
			s.writer.MustExec("CREATE PROCEDURE host_commits() COMMIT")
			s.writer.MustExec("CREATE PROCEDURE host_begins() START TRANSACTION")
		}
		stored := 0 // courses whose student an early COMMIT has stored
		for _, text := range append(texts, ofEngine[s.dialect.Name]...) {
			for _, prepares := range []bool{false, true} {
				err := withHost(t.Context(), s, func(ctx context.Context, conn *sql.Conn) error {
					if !prepares {
						_, _ = conn.ExecContext(ctx, text) // the error is ignored
						return nil
					}
					stmt, err := conn.PrepareContext(ctx, text)
					if err == nil {
						_, _ = stmt.ExecContext(ctx)
					}
					return nil
				})
				if err == nil {
					t.Errorf("%q, prepared: %t: no error", text, prepares)
				}
				if n := students(t, s, "a"); n != stored {
					if !strings.HasPrefix(text, "CALL") && !strings.HasPrefix(text, "EXECUTE") ||
						!errors.Is(err, errHostEndedTx) {
						t.Errorf("%q, prepared: %t: stored, and %v", text, prepares, err)
					}
					stored = n
				}
			}
		}
		// The connection is as before: no transaction is left open.
		if err := withHost(t.Context(), s, func(ctx context.Context, conn *sql.Conn) error {
			_, err := conn.ExecContext(ctx, bind(s, insertInvoice), "1", "", true)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if n := students(t, s, "a"); n != stored+1 {
			t.Errorf("%d students, want %d", n, stored+1)
		}
	})
}

// The savepoint finds what the text of a statement does not show.
func TestWithHost_TransactionEndedUnseen_IsAnError(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := hostDB(t, e.URL(t))
		for _, text := range []string{"COMMIT", "ROLLBACK", "again"} {
			refusal := errors.New("refused by the host")
			for _, returned := range []error{nil, refusal} {
				err := s.InTx(t.Context(), func(tx *Tx) error {
					if err := increment(t.Context(), tx, "a"); err != nil {
						return err
					}
					return tx.WithHost(t.Context(), func(ctx context.Context, _ *sql.Conn) error {
						texts := []string{text}
						if text == "again" { // as a procedure may do
							texts = []string{"ROLLBACK", s.dialect.begin, "SAVEPOINT host_a"}
						}
						for _, text := range texts {
							if _, err := tx.conn.ExecContext(ctx, text); err != nil {
								t.Errorf("%s: %v", text, err)
							}
						}
						return returned
					})
				})
				if !errors.Is(err, errHostEndedTx) || errors.Is(err, refusal) {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
		if n := students(t, s, "a"); n != 2 { // of the two COMMITs
			t.Errorf("%d students, want 2", n)
		}
	})
}

// What a host may use.
func TestWithHost_StatementsThatKeepTheTransaction(t *testing.T) {
	texts := []string{"SELECT '; ROLLBACK'", "-- ROLLBACK\nSELECT 1", "/* ; COMMIT; */ SELECT 1",
		"SELECT 'it''s; COMMIT'", "SAVEPOINT mine", "RELEASE SAVEPOINT mine",
		"UPDATE invoices SET text = ';ROLLBACK; '"}
	ofEngine := map[string][]string{
		"mysql": {`SELECT 'it\'s; COMMIT; '`, "SELECT 5--3", "SELECT 1 # ; COMMIT",
			"CREATE TEMPORARY TABLE host_t (id BIGINT)", "DROP TEMPORARY TABLE host_t",
			"SELECT 1 AS `; COMMIT;`"},
		"postgres": {"SELECT $q$; COMMIT; $q$", `SELECT E'it\'s; COMMIT; '`, `SELECT 1 AS "; COMMIT"`,
			"CREATE TEMP TABLE host_t (id BIGINT)", "DO $$ BEGIN PERFORM 1; END $$"},
		"sqlite": {`SELECT 1 AS "; COMMIT"`, "CREATE TABLE host_t (id BIGINT)",
			"CREATE TRIGGER host_r AFTER INSERT ON host_t BEGIN SELECT 1; END"},
	}
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		s := hostDB(t, e.URL(t))
		err := withHost(t.Context(), s, func(ctx context.Context, conn *sql.Conn) error {
			for _, text := range append(texts, ofEngine[s.dialect.Name]...) {
				if _, err := conn.ExecContext(ctx, text); err != nil {
					t.Errorf("%q: %v", text, err)
				}
			}
			_, err := conn.ExecContext(ctx, bind(s, insertInvoice), "1", "", true)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		wantBoth(t, s, 1)
	})
}

func TestWithHost_UsedAfterItsFunction(t *testing.T) {
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		s := hostDB(t, e.URL(t))
		var kept *sql.Conn
		var stmt *sql.Stmt
		use := func(when string) {
			_, err := kept.ExecContext(t.Context(), bind(s, insertInvoice), "1", "", true)
			if !errors.Is(err, errHostEnded) {
				t.Errorf("%s, a statement returned %v", when, err)
			}
			if err := stmt.QueryRowContext(t.Context()).Scan(new(int)); !errors.Is(err,
				errHostEnded) {
				t.Errorf("%s, a prepared statement returned %v", when, err)
			}
		}
		err := s.InTx(t.Context(), func(tx *Tx) error {
			err := tx.WithHost(t.Context(),
				func(ctx context.Context, conn *sql.Conn) (err error) {
					kept = conn
					stmt, err = conn.PrepareContext(ctx, "SELECT 1")
					return err
				})
			use("in the transaction")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		use("after the transaction")
		if err := stmt.Close(); err != nil {
			t.Error(err)
		}
		wantBoth(t, s, 0)
	})
}

func TestWithHost_HasTheDeadlineOfTheTransaction(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		url := e.URL(t)
		hostDB(t, url)
		s := migrated(t, url, WithDeadlines(0, 500*time.Millisecond))
		const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n " +
			"WHERE i < 100000000) SELECT COUNT(*) FROM n"
		err := withHost(t.Context(), s, func(ctx context.Context, conn *sql.Conn) error {
			if _, ok := ctx.Deadline(); !ok {
				t.Error("the context of the function has no deadline")
			}
			if strings.HasPrefix(url, "mysql") { // whose limit of a recursion is 1000
				_, err := conn.ExecContext(context.Background(), "SELECT SLEEP(30)")
				return err
			}
			// A context without the deadline.
			return conn.QueryRowContext(context.Background(), endless).Scan(new(int))
		})
		if !errors.Is(err, testErrors.Timeout) {
			t.Errorf("returned %v", err)
		}
		wantBoth(t, s, 0)
	})
}

func TestInTx_InsideHost_IsRefused(t *testing.T) {
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		s := hostDB(t, e.URL(t))
		err := withHost(t.Context(), s, func(ctx context.Context, _ *sql.Conn) error {
			return s.InTx(ctx, func(*Tx) error { return nil })
		})
		if !errors.Is(err, errInsideHost) {
			t.Errorf("returned %v", err)
		}
		wantBoth(t, s, 0)
	})
}

// On MySQL a deadlock has ended the transaction when the host sees it, as the error of a row. Later
// statements would take effect on their own. So all runs again, also if the host ignores the error.
func TestWithHost_Deadlock_RunsAgain(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		s := hostDB(t, e.URL(t))
		addCourses(t, s, "b", "c")
		lock := func(ctx context.Context, conn *sql.Conn, id string) error {
			// Not by one key, for which MySQL looks before it sends the head of the result.
			return conn.QueryRowContext(ctx, bind(s, "SELECT students FROM courses "+
				"WHERE id IN (?, 'none') FOR UPDATE"), id).Scan(new(int))
		}

		// Two transactions lock b and c in the opposite order, in their first runs at least.
		var runs atomic.Int64
		both := make(chan struct{})
		var locked atomic.Int64
		one := func(invoice, first, second string) error {
			// The student is counted last, because all count one of the same course.
			return s.InTx(t.Context(), func(tx *Tx) error {
				err := tx.WithHost(t.Context(), func(ctx context.Context, conn *sql.Conn) error {
					isFirst := runs.Add(1) <= 2
					if !isFirst {
						_, err := conn.ExecContext(ctx, bind(s, insertInvoice), invoice, "", true)
						return err
					}
					if err := lock(ctx, conn, first); err != nil {
						return err
					}
					if locked.Add(1) == 2 {
						close(both)
					}
					<-both
					_ = lock(ctx, conn, second) // its error is ignored
					_, _ = conn.ExecContext(ctx, bind(s, insertInvoice), invoice, "", true)
					return nil
				})
				if err != nil {
					return err
				}
				return increment(t.Context(), tx, "a")
			})
		}
		results := make(chan error)
		go func() { results <- one("1", "b", "c") }()
		go func() { results <- one("2", "c", "b") }()
		for range 2 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		// On PostgreSQL both may fail, because the time-out of a lock is that of the deadlock.
		if n := runs.Load(); n < 3 || n > 4 {
			t.Errorf("ran %d times, want 3 or 4", n)
		}
		wantBoth(t, s, 2)
	})
}

// A repeatable transaction runs again after an unanswered COMMIT, and finds what it has changed.
// The statements of a host may not: a marker tells whether they took effect.
func TestWithHost_AnswerToCommitLost_RunsOnce(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		f := newFaultyStore(t, e)
		addCourses(t, f.DB, "a")
		_, err := f.writer.Exec("CREATE TABLE invoices (id VARCHAR(64) NOT NULL PRIMARY KEY, " +
			"text VARCHAR(64), paid BOOLEAN)" + f.dialect.tableOptions)
		if err != nil {
			t.Fatal(err)
		}
		for n, step := range []string{stepAnswer, hostStatement, stepCommit} {
			f.fail(once(step))
			runs, hooks := 0, 0
			err := f.InTx(t.Context(), func(tx *Tx) error {
				tx.Repeatable()
				tx.AfterCommit(func() { hooks++ })
				if err := increment(t.Context(), tx, "a"); err != nil {
					return err
				}
				return tx.WithHost(t.Context(), func(ctx context.Context, conn *sql.Conn) error {
					runs++
					_, err := conn.ExecContext(ctx, bind(f.DB, insertInvoice),
						fmt.Sprint(n, runs), "", true)
					return err
				})
			})
			f.fail(never)
			if step == stepAnswer && (err != nil || runs != 1 || hooks != 1) {
				t.Errorf("%s: %d runs, %d hooks, %v", step, runs, hooks, err)
			}
			if step != stepAnswer && !errors.Is(err, errInjected) {
				t.Errorf("%s: %v", step, err)
			}
			wantBoth(t, f.DB, 1)
		}
	})
}
