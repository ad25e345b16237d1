package sqldb

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// deadlock runs two transactions that lock two rows in opposite order. Each locks its second
// row after the other has locked its first, so that the server must end one. With swallow, fn
// ignores the error of its second statement. deadlock returns how often the transactions ran.
func deadlock(t *testing.T, s *DB, swallow bool) int {
	t.Helper()
	addCourses(t, s, "a", "b")
	var runs, hooks atomic.Int64
	var all, first sync.WaitGroup
	first.Add(2)
	for _, order := range [][2]string{{"a", "b"}, {"b", "a"}} {
		meet := sync.OnceFunc(func() { first.Done(); first.Wait() })
		all.Go(func() {
			err := s.InTx(t.Context(), func(tx *Tx) error {
				runs.Add(1)
				tx.AfterCommit(func() { hooks.Add(1) })
				if err := increment(t.Context(), tx, order[0]); err != nil {
					return err
				}
				meet()
				err := increment(t.Context(), tx, order[1])
				if swallow {
					return nil
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if a, b := students(t, s, "a"), students(t, s, "b"); a != 2 || b != 2 || hooks.Load() != 2 {
		t.Errorf("counted %d and %d, want 2 each; %d hooks ran, want 2", a, b, hooks.Load())
	}
	return int(runs.Load())
}

func TestInTx_Deadlock_RunsAgain(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		if runs := deadlock(t, migrated(t, e.URL(t)), false); runs < 3 {
			t.Errorf("the transactions ran %d times: there was no deadlock", runs)
		}
	})
}

func TestInTx_DeadlockIgnoredByFn_RunsAgain(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		if runs := deadlock(t, migrated(t, e.URL(t)), true); runs < 3 {
			t.Errorf("the transactions ran %d times: there was no deadlock", runs)
		}
	})
}

func TestInTx_LockTimeout_RunsAgain(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		s := migrated(t, e.URL(t))
		addCourses(t, s, "a")
		blocker, err := s.pool.DB.BeginTxx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer blocker.Rollback()
		if _, err := blocker.Exec("UPDATE courses SET students = 10"); err != nil {
			t.Fatal(err)
		}
		runs := 0
		err = s.inTx(t.Context(), func(tx *Tx) error {
			if runs++; runs == 2 {
				if err := blocker.Rollback(); err != nil {
					t.Error(err)
				}
			}
			return increment(t.Context(), tx, "a")
		})
		if got := students(t, s, "a"); err != nil || runs != 2 || got != 1 {
			t.Errorf("ran %d times, counted %d: %v", runs, got, err)
		}
	})
}

func TestInTx_AlwaysFails_EndsItsTries(t *testing.T) {
	t.Parallel()
	isDuplicate := func(err error) bool { return errors.Is(err, testErrors.Duplicate) }
	for name, c := range map[string]struct {
		isConflict func(error) bool
		tries      int
	}{
		"busy":     {func(error) bool { return false }, maxTries},
		"conflict": {isDuplicate, maxConflicts},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := migrated(t, enginetest.SQLite(t))
			d := *s.dialect
			d.isRetryable, d.isConflict = isDuplicate, c.isConflict
			s.dialect = &d
			insertUser(t, s, "u")
			runs := 0
			err := s.inTx(t.Context(), func(tx *Tx) error {
				runs++
				return insert(t.Context(), tx, "u")
			})
			if !errors.Is(err, testErrors.Duplicate) || runs != c.tries {
				t.Errorf("ran %d times, want %d, and the error is %v", runs, c.tries, err)
			}
		})
	}
}

func TestInTx_ContextDone_EndsItsTries(t *testing.T) {
	s := migrated(t, enginetest.SQLite(t))
	d := *s.dialect
	d.isRetryable = func(err error) bool { return errors.Is(err, testErrors.Duplicate) }
	s.dialect = &d
	insertUser(t, s, "u")
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	err := s.InTx(ctx, func(tx *Tx) error {
		defer cancel()
		runs++
		return insert(ctx, tx, "u")
	})
	if err == nil || runs != 1 {
		t.Errorf("ran %d times: %v", runs, err)
	}
}

func TestIsRetryable_Codes(t *testing.T) {
	for _, e := range []struct {
		err  error
		want bool
	}{
		{&pgconn.PgError{Code: "40001"}, true},
		{&pgconn.PgError{Code: "40P01"}, true},
		{&pgconn.PgError{Code: "55P03"}, true},
		{&pgconn.PgError{Code: "23505"}, false},
		{&pgconn.PgError{Code: "57014"}, false},
		{&mysql.MySQLError{Number: 1213}, true},
		{&mysql.MySQLError{Number: 1205}, true},
		{&mysql.MySQLError{Number: 1020}, true},
		{&mysql.MySQLError{Number: 3101}, false}, // the outcome is unknown: see below
		{&mysql.MySQLError{Number: 9007}, true},
		{&mysql.MySQLError{Number: 8002}, true},
		{&mysql.MySQLError{Number: 8022}, true},
		{&mysql.MySQLError{Number: 1105, SQLState: [5]byte([]byte("40001"))}, true},
		{&mysql.MySQLError{Number: 1062, SQLState: [5]byte([]byte("23000"))}, false},
		{&mysql.MySQLError{Number: 1064}, false},
		{mysql.ErrInvalidConn, false},
		{context.Canceled, false},
	} {
		got := mysqlDialect.isRetryable(e.err) || postgresDialect.isRetryable(e.err)
		if got != e.want {
			t.Errorf("%v: retried %v, want %v", e.err, got, e.want)
		}
	}
}

// A server that leaves a group of MySQL servers refuses statements. A COMMIT that it does not answer
// with a success may be applied by the others.
func TestGroupCodes_AreNoCertainRollback(t *testing.T) {
	for _, number := range []uint16{1290, 1836, 3032, 3100, 3796, 3797, 3798, 3799} {
		if !mysqlDialect.isConnectionLost(&mysql.MySQLError{Number: number}) {
			t.Errorf("%d does not count as a lost connection", number)
		}
	}
	for _, number := range []uint16{3100, 3101} {
		err := &mysql.MySQLError{Number: number}
		if mysqlDialect.isRetryable(err) || !mysqlDialect.isOutcomeUnknown(err) {
			t.Errorf("the outcome of a COMMIT that fails with %d counts as known", number)
		}
	}
}

func TestErrors_NeverQuoteARow(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := migrated(t, e.URL(t))
		insertUser(t, s, "secret-id")
		err := s.InTx(t.Context(),
			func(tx *Tx) error { return insert(t.Context(), tx, "secret-id") })
		if want := "insert a user: duplicate"; err == nil || err.Error() != want {
			t.Errorf("the error is %q, want %q", err, want)
		}
	})
}

func TestInTx_OtherProcessWrites_WaitsUntilTheContextEnds(t *testing.T) {
	url := enginetest.SQLite(t)
	s, other := migrated(t, url), opened(t, url)
	addCourses(t, s, "a")
	locked, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		err := other.InTx(t.Context(), func(tx *Tx) error {
			close(locked)
			<-release
			return increment(t.Context(), tx, "a")
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-locked
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := s.InTx(ctx, func(tx *Tx) error { return increment(ctx, tx, "a") })
	if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took > soon {
		t.Errorf("gave up after %v with %v", took, err)
	}
	if got := students(t, s, "a"); got != 0 { // reads do not wait
		t.Errorf("read %d students", got)
	}
	time.AfterFunc(300*time.Millisecond, func() { close(release) })
	if err := s.InTx(t.Context(),
		func(tx *Tx) error { return increment(t.Context(), tx, "a") }); err != nil {
		t.Error(err)
	}
	all.Wait()
	if got := students(t, s, "a"); got != 2 {
		t.Errorf("counted %d students, want 2", got)
	}
}
