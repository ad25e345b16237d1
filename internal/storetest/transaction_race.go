package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// raceDeadlock runs two transactions that update two rows in opposite order. Each waits until
// the other has updated its first row. The wait has a time limit, because on an engine with
// one writer the other transaction cannot begin.
func raceDeadlock(t *testing.T, f *fixture) {
	f.add(course("a"), course("b"))
	taken := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
	var hooks, runs atomic.Int64
	var transactions sync.WaitGroup
	for first, second := range map[string]string{"a": "b", "b": "a"} {
		meet := sync.OnceFunc(func() { // in the first run only
			close(taken[first])
			select {
			case <-taken[second]:
			case <-time.After(500 * time.Millisecond):
			}
		})
		transactions.Go(func() {
			err := f.try(func(ctx context.Context, tx learning.Tx) error {
				runs.Add(1)
				tx.AfterCommit(func() { hooks.Add(1) })
				if err := tx.AddToStudentCount(ctx, first, 1); err != nil {
					return err
				}
				meet()
				return tx.AddToStudentCount(ctx, second, 1)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	transactions.Wait()
	want := course("").Students + 2
	if a, b := f.students("a"), f.students("b"); a != want || b != want || hooks.Load() != 2 {
		t.Errorf("counted %d and %d, want %d; %d hooks ran, want 2", a, b, want, hooks.Load())
	}
	t.Logf("two transactions ran %d times", runs.Load())
}

// raceWait runs a transaction that waits for a row that another one has changed. It must end with
// its context, soon after that.
func raceWait(t *testing.T, f *fixture) {
	if s, ok := f.Store.(interface{ SpansNodes() bool }); ok && s.SpansNodes() {
		t.Skip("left out: a transaction does not wait for one on another node")
	}
	f.add(course("c"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.AddToStudentCount(ctx, "c", 1); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		began := time.Now()
		err := f.InTx(short,
			func(tx learning.Tx) error { return tx.AddToStudentCount(short, "c", 1) })
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) ||
			took > 2*time.Second {
			t.Errorf("InTx returned after %v with %v", took, err)
		}
		return nil
	})
	if got, want := f.students("c"), course("c").Students+1; got != want {
		t.Errorf("counted %d students, want %d", got, want)
	}
}

// raceRead reads the published courses in four goroutines, while transactions change all of them.
func raceRead(t *testing.T, f *fixture) {
	const courses, rounds = 5, 20
	for i := range courses {
		f.add(course(fmt.Sprint(i)))
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			last := 0
			for {
				list, err := f.publishedCourses(t.Context())
				if err != nil || len(list) != courses {
					t.Errorf("read %d courses: %v", len(list), err)
					return
				}
				// One transaction increments all counters: they must be equal in a list, and
				// must not decrease from one list to the next.
				for _, c := range list {
					if c.Students != list[0].Students || c.Students < last {
						t.Errorf("a list has %d and %d students, the list before %d",
							list[0].Students, c.Students, last)
						return
					}
				}
				last = list[0].Students
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range rounds {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			_, err := tx.MarkCoursesChanged(ctx, "educator")
			for i := range courses {
				err = errors.Join(err, tx.AddToStudentCount(ctx, fmt.Sprint(i), 1))
			}
			return err
		})
	}
	close(done)
	readers.Wait()
}
