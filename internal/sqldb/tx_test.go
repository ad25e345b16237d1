package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldriver"
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

// duplicateDriver is a driver for which a duplicate has another meaning.
type duplicateDriver struct {
	sqldriver.Driver
	duplicate sqldriver.Failure
}

func (d duplicateDriver) Failure(err error) sqldriver.Failure {
	if errors.Is(err, testErrors.Duplicate) {
		return d.duplicate
	}
	return d.Driver.Failure(err)
}

func TestInTx_AlwaysFails_EndsItsTries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		duplicate sqldriver.Failure
		tries     int
	}{
		"busy":     {sqldriver.Busy, maxTries},
		"conflict": {sqldriver.Conflict, maxConflicts},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := migrated(t, enginetest.SQLite(t))
			d := *s.dialect
			d.driver = duplicateDriver{d.driver, c.duplicate}
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
	d.driver = duplicateDriver{d.driver, sqldriver.Busy}
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

// An error of a server is no proof that COMMIT had no effect, unless it means a conflict.
func TestIsOutcomeUnknown(t *testing.T) {
	for _, d := range []Dialect{mysqlDialect, postgresDialect} {
		if !d.isOutcomeUnknown(errors.New("an error of the server")) {
			t.Errorf("on %s the outcome of a COMMIT that fails counts as known", d.Name)
		}
	}
	if mysqlDialect.isOutcomeUnknown(driver.ErrBadConn) {
		t.Error("the outcome of a COMMIT that was not sent counts as unknown")
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
