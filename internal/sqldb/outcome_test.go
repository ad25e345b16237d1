package sqldb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/openlectern/openlectern/internal/enginetest"
)

var errInjected = errors.New("injected")

// faultyStore is a store whose steps fail with the errors of inject.
type faultyStore struct {
	*DB
	inject atomic.Pointer[func(step string) error]
}

func newFaultyStore(t *testing.T, e enginetest.Engine) *faultyStore {
	t.Helper()
	f := &faultyStore{}
	f.fail(never)
	f.DB = migrated(t, e.URL(t)).WithFaults(func(_ context.Context,
		step string) error {
		return (*f.inject.Load())(step)
	})
	return f
}

func (f *faultyStore) fail(inject func(step string) error) { f.inject.Store(&inject) }

func never(string) error { return nil }

// once returns errInjected the first time that a step is reached.
func once(step string) func(string) error {
	var done atomic.Bool
	return func(s string) error {
		if s == step && done.CompareAndSwap(false, true) {
			return errInjected
		}
		return nil
	}
}

// outcomeCase is one test on an empty course. The tests of an engine share a store.
type outcomeCase struct {
	*faultyStore
	course string
	before int // the number of markers
}

func TestOutcome(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		f := newFaultyStore(t, e)
		for name, test := range outcomeCases {
			t.Run(name, func(t *testing.T) {
				defer func() {
					f.outcomeTimeout, f.markersPerSweep = outcomeTimeout,
						0
					f.fail(never)
				}()
				course := uuid.NewString()
				addCourses(t, f.DB, course)
				test(t, outcomeCase{faultyStore: f, course: course, before: f.markers(t)})
			})
		}
	})
}

func (f *faultyStore) markers(tb testing.TB) (n int) {
	tb.Helper()
	if err := f.pool.DB.Get(&n, "SELECT COUNT(*) FROM learning_commits WHERE fenced = 0"); err !=
		nil {
		tb.Fatal(err)
	}
	return n
}

// enroll counts one student. It returns how often the transaction and its hook ran.
func (c outcomeCase) enroll(ctx context.Context,
	options ...func(*Tx)) (runs, hooks int, err error) {
	err = c.InTx(ctx, func(tx *Tx) error {
		runs++
		tx.AfterCommit(func() { hooks++ })
		for _, option := range options {
			option(tx)
		}
		return increment(ctx, tx, c.course)
	})
	return runs, hooks, err
}

// want checks the number of students and of new markers.
func (c outcomeCase) want(t *testing.T, counted, marked int) {
	t.Helper()
	if got := students(t, c.DB, c.course); got != counted || c.markers(t)-c.before != marked {
		t.Errorf("%d students and %d markers, want %d and %d", got, c.markers(t)-c.before, counted,
			marked)
	}
}

var outcomeCases = map[string]func(t *testing.T, c outcomeCase){
	"not answered: takes effect once": func(t *testing.T, c outcomeCase) {
		c.fail(once(stepAnswer))
		if runs, hooks, err := c.enroll(t.Context()); err != nil || runs != 1 || hooks != 1 {
			t.Errorf("%d runs, %d hooks: %v", runs, hooks, err)
		}
		c.want(t, 1, 1)
	},
	"not answered: takes effect once although its caller has cancelled": func(t *testing.T,
		c outcomeCase) {
		ctx, cancel := context.WithCancel(t.Context())
		lose := once(stepAnswer)
		c.fail(func(step string) error {
			err := lose(step)
			if err != nil {
				cancel()
			}
			return err
		})
		if runs, hooks, err := c.enroll(ctx); err != nil || runs != 1 || hooks != 1 {
			t.Errorf("%d runs, %d hooks: %v", runs, hooks, err)
		}
		c.want(t, 1, 1)
	},
	"not answered: a repeatable transaction runs again without a marker": func(t *testing.T,
		c outcomeCase) {
		c.fail(once(stepAnswer))
		if runs, hooks, err := c.enroll(t.Context(), (*Tx).Repeatable); err != nil || runs != 2 ||
			hooks != 2 {
			t.Errorf("%d runs, %d hooks: %v", runs, hooks, err)
		}
		c.want(t, 2, 0)
	},
	"not answered: a transaction that changed nothing succeeds without a marker": func(t *testing.T,
		c outcomeCase) {
		c.fail(once(stepAnswer))
		runs := 0
		err := c.InTx(t.Context(), func(tx *Tx) error {
			runs++
			_, err := tx.Update(t.Context(), "lock a user",
				"UPDATE users SET name = name WHERE id = ?", Key("unknown"))
			return err
		})
		if err != nil || runs != 1 {
			t.Errorf("%d runs: %v", runs, err)
		}
		c.want(t, 0, 0)
	},
	"not answered, and the database is gone: ErrUnknownOutcome": func(t *testing.T, c outcomeCase) {
		var gone atomic.Bool
		c.fail(func(step string) error {
			if step == stepAnswer {
				gone.Store(true)
			}
			if gone.Load() {
				return errInjected
			}
			return nil
		})
		c.outcomeTimeout = 20 * time.Millisecond
		runs, hooks, err := c.enroll(t.Context())
		if !errors.Is(err, testErrors.UnknownOutcome) || !errors.Is(err, errInjected) ||
			runs != 1 || hooks != 0 {
			t.Errorf("%d runs, %d hooks: %v", runs, hooks, err)
		}
	},
	"not answered, of many transactions and of their fences: each takes effect once": func(
		t *testing.T, c outcomeCase) {
		var commits atomic.Int64
		c.fail(func(step string) error {
			if step == stepAnswer && commits.Add(1)%5 == 0 {
				return errInjected
			}
			return nil
		})
		const clients, each = 8, 5
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for range each {
					if _, hooks, err := c.enroll(t.Context()); err != nil || hooks != 1 {
						t.Errorf("%d hooks: %v", hooks, err)
					}
				}
			})
		}
		all.Wait()
		c.want(t, clients*each, clients*each)
	},
	"not answered: a panic of the next run rolls it back": func(t *testing.T, c outcomeCase) {
		c.fail(once(stepAnswer))
		runs := 0
		wantPanic(t, func() {
			_ = c.InTx(t.Context(), func(tx *Tx) error {
				tx.Repeatable()
				if runs++; runs == 2 {
					panic("the second run")
				}
				return increment(t.Context(), tx, c.course)
			})
		})
		c.want(t, 1, 0)
	},
	"not answered: a panic of a hook reaches the caller": func(t *testing.T, c outcomeCase) {
		c.fail(once(stepAnswer))
		wantPanic(t, func() {
			_, _, _ = c.enroll(t.Context(),
				func(tx *Tx) { tx.AfterCommit(func() { panic("the hook") }) })
		})
		c.want(t, 1, 1)
		if _, _, err := c.enroll(t.Context()); err != nil {
			t.Errorf("the next transaction: %v", err)
		}
	},
	"commit refused: no effect": func(t *testing.T, c outcomeCase) {
		c.fail(once(stepCommit))
		if runs, hooks, err := c.enroll(t.Context()); !errors.Is(err, errInjected) || runs != 1 ||
			hooks != 0 {
			t.Errorf("%d runs, %d hooks: %v", runs, hooks, err)
		}
		c.want(t, 0, 0)
	},
	"in flight, then committed":   waitsForEnd((*sqlx.Tx).Commit, true),
	"in flight, then rolled back": waitsForEnd((*sqlx.Tx).Rollback, false),
	"rolled back: fenced": func(t *testing.T, c outcomeCase) {
		id := uuid.Must(uuid.NewV7()).String()
		c.fail(once(stepAnswer))
		if _, err := c.isCommitted(t.Context(), id); !errors.Is(err, testErrors.UnknownOutcome) {
			t.Errorf("the COMMIT of the fence was not answered: %v", err)
		}
		if committed, err := c.isCommitted(t.Context(), id); committed || err != nil {
			t.Errorf("a fence counts as a commit (%v): %v", committed, err)
		}
		err := c.inTx(t.Context(),
			func(tx *Tx) error { return tx.insertMarker(t.Context(), id, false) })
		if !errors.Is(err, testErrors.Duplicate) {
			t.Errorf("the fenced transaction was committed: %v", err)
		}
	},
	"a sweep removes old markers": func(t *testing.T, c outcomeCase) {
		c.markersPerSweep = 1
		old := time.Now().Add(-markerAge)
		for i, at := range []time.Time{old.Add(-time.Hour), old.Add(-time.Second),
			old.Add(time.Minute)} {
			id := fmt.Sprintf("%s-7000-8000-%012d", markerTime(at), i)
			if err := c.inTx(t.Context(),
				func(tx *Tx) error { return tx.insertMarker(t.Context(), id, false) }); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := c.enroll(t.Context()); err != nil {
			t.Error(err)
		}
		c.want(t, 1, 2)
	},
}

func wantPanic(t *testing.T, do func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("the panic did not reach the caller")
		}
	}()
	do()
}

// waitsForEnd asks for the outcome of a transaction that ends later.
func waitsForEnd(end func(*sqlx.Tx) error, want bool) func(t *testing.T, c outcomeCase) {
	return func(t *testing.T, c outcomeCase) {
		if c.dialect.Name == "sqlite" {
			return // this engine has a single writer and answers each COMMIT
		}
		id := uuid.Must(uuid.NewV7()).String()
		inFlight := c.pool.DB.MustBegin()
		inFlight.MustExec("INSERT INTO learning_commits (id, fenced) VALUES ('" + id + "', 0)")
		var asking sync.WaitGroup
		asking.Go(func() {
			if got, err := c.isCommitted(t.Context(), id); got != want || err != nil {
				t.Errorf("got %v, want %v: %v", got, want, err)
			}
		})
		waitForLock(t, c.DB)
		if err := end(inFlight); err != nil {
			t.Error(err)
		}
		asking.Wait()
	}
}

// waitForLock waits until a transaction waits for a row lock. information_schema.innodb_trx
// would not do: the server does not refresh it while it is read again and again.
func waitForLock(t *testing.T, s *DB) {
	t.Helper()
	eventually(t, func() bool {
		if s.dialect.Name == "postgres" {
			var waiting int
			if err := s.pool.DB.Get(&waiting,
				"SELECT COUNT(*) FROM pg_locks WHERE NOT granted"); err != nil {
				t.Fatal(err)
			}
			return waiting > 0
		}
		var status struct {
			Name  string `db:"Variable_name"`
			Value int    `db:"Value"`
		}
		if err := s.pool.DB.Get(&status,
			"SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'"); err != nil {
			t.Fatal(err)
		}
		return status.Value > 0
	})
}
