package sqldb

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// Many transactions on one row succeed on a busy machine too, also if each of them waits for longer
// than the time-out of a lock: one whose wait has timed out keeps its place from then on.
func TestInTx_HotRow_EachSucceeds(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		const callers = 6
		s := migrated(t, e.URL(t), WithWritingConns(callers), WithDeadlines(0, time.Minute))
		addCourses(t, s, "a")
		var mu sync.Mutex
		var all sync.WaitGroup
		var waits []time.Duration
		runs := 0
		for range callers {
			all.Go(func() {
				began := time.Now()
				err := s.InTx(t.Context(), func(tx *Tx) error {
					mu.Lock()
					runs++
					mu.Unlock()
					if err := increment(t.Context(), tx, "a"); err != nil {
						return err
					}
					return slowStatement(t.Context(), s, tx) // as on a busy machine
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				waits = append(waits, time.Since(began))
			})
		}
		all.Wait()
		slices.Sort(waits)
		t.Logf("%d runs, median %v, longest %v", runs, waits[callers/2], waits[callers-1])
		if n := students(t, s, "a"); n != callers {
			t.Errorf("%d students", n)
		}
		// Each runs once, and once more after a time-out.
		if s.dialect.Name == "postgres" && runs > 2*callers {
			t.Errorf("%d runs of %d transactions", runs, callers)
		}
	})
}

// slowStatement runs a statement that takes a while.
func slowStatement(ctx context.Context, s *DB, tx *Tx) error {
	query := "SELECT SLEEP(0.1)" // MariaDB and MySQL have no longer wait for a later run
	if s.dialect.Name == "postgres" {
		query = "SELECT CAST(pg_sleep(1.1) AS TEXT)" // longer than the first wait for a lock
	}
	var void string
	return tx.Get(ctx, "wait", &void, query)
}
