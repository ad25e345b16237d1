package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/internal/observertest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

// observedEngines runs a test on each engine with a store that has an observer.
func observedEngines(t *testing.T, test func(t *testing.T, s *Store, seen *observertest.Recorder)) {
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		var seen observertest.Recorder
		s := migrated(t, e.Reused(t), WithObserver(&seen))
		seen.Reset()
		test(t, s, &seen)
		if n := seen.Running(); n != 0 {
			t.Errorf("%d operations have not ended", n)
		}
	})
}

func TestWithObserver_Reads(t *testing.T) {
	observedEngines(t, func(t *testing.T, s *Store, seen *observertest.Recorder) {
		if _, err := s.Course(t.Context(), "none"); !errors.Is(err, core.ErrNoRecord) {
			t.Fatal(err)
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = s.Lease(canceled, "a")
		got := seen.Of(core.OperationRead)
		if len(got) != 2 || got[0].Name != "read a course" || got[0].Err != nil ||
			got[1].Name != "read a lease" || got[1].Err == nil {
			t.Errorf("got %+v", got)
		}
	})
}

func TestWithObserver_TransactionWithItsRuns(t *testing.T) {
	observedEngines(t, func(t *testing.T, s *Store, seen *observertest.Recorder) {
		runs := 0
		faulty := faultystore.With(s, func(_ context.Context, step string) error {
			if step == "begin a transaction" {
				runs++
			}
			return nil
		})
		err := faulty.InTx(t.Context(), func(learning.Tx) error {
			if op := observertest.Inside(t.Context()); op.Kind != "" {
				t.Errorf("the caller's context is inside %+v", op)
			}
			return nil
		})
		failure := errors.New("refused")
		failed := faulty.InTx(t.Context(), func(learning.Tx) error { return failure })
		got := seen.Of(core.OperationTransaction)
		if err != nil || !errors.Is(failed, failure) || len(got) != 2 || got[0].Err != nil ||
			got[0].Runs != 1 || !errors.Is(got[1].Err, failure) {
			t.Errorf("got %+v (%v, %v)", got, err, failed)
		}
		if reads := seen.Of(core.OperationRead); runs != 2 || len(reads) != 0 {
			t.Errorf("%d runs, and the reads %+v", runs, reads)
		}
	})
}

func TestWithObserver_RepeatedTransaction(t *testing.T) {
	observedEngines(t, func(t *testing.T, s *Store, seen *observertest.Recorder) {
		answers := 0
		faulty := faultystore.With(s, func(_ context.Context, step string) error {
			if step == "answer to COMMIT" {
				if answers++; answers == 1 {
					return errors.New("no answer")
				}
			}
			return nil
		})
		err := faulty.InTx(t.Context(), func(tx learning.Tx) error {
			tx.Repeatable()
			_, err := tx.HoldLease(t.Context(),
				core.Lease{Name: "order:1", Holder: "h", ExpiresAt: time.Now()})
			return err
		})
		got := seen.Of(core.OperationTransaction)
		if err != nil || len(got) != 1 || got[0].Runs != 2 || got[0].Err != nil {
			t.Errorf("got %+v (%v)", got, err)
		}
	})
}

func TestWithObserver_PanicInATransaction_EndsWithAnError(t *testing.T) {
	observedEngines(t, func(t *testing.T, s *Store, seen *observertest.Recorder) {
		func() {
			defer func() { _ = recover() }()
			_ = s.InTx(t.Context(), func(learning.Tx) error { panic("no transaction") })
		}()
		if got := seen.Of(core.OperationTransaction); len(got) != 1 || got[0].Err == nil {
			t.Errorf("got %+v", got)
		}
	})
}

func TestWithObserver_ChangesOfLeases(t *testing.T) {
	observedEngines(t, func(t *testing.T, s *Store, seen *observertest.Recorder) {
		now := time.Now()
		first, second := core.Lease{Name: "order:1", Holder: "a", ExpiresAt: now},
			core.Lease{Name: "order:1", Holder: "b", ExpiresAt: now}
		do := func(fn func(ctx context.Context, tx learning.Tx) error) {
			t.Helper()
			if err := s.InTx(t.Context(),
				func(tx learning.Tx) error { return fn(t.Context(), tx) }); err != nil {
				t.Fatal(err)
			}
		}
		_ = s.InTx(t.Context(), func(tx learning.Tx) error { // is rolled back
			return errors.Join(tx.InsertLease(t.Context(), first), errors.New("refused"))
		})
		do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertLease(ctx, first) })
		do(func(ctx context.Context, tx learning.Tx) error {
			_, err := tx.TakeOverLease(ctx, second, now.Add(time.Second))
			return err
		})
		do(func(ctx context.Context, tx learning.Tx) error {
			_, err := tx.HoldLease(ctx,
				first)
			return err
		})
		do(func(ctx context.Context, tx learning.Tx) error {
			_, err := tx.HoldLease(ctx,
				second)
			return err
		})
		do(func(ctx context.Context, tx learning.Tx) error {
			_, err := tx.ReleaseLease(ctx,
				first)
			return err
		})
		do(func(ctx context.Context, tx learning.Tx) error {
			_, err := tx.ReleaseLease(ctx,
				second)
			return err
		})
		var got []string
		for _, e := range seen.Of(core.OperationLease) {
			got = append(got, e.Name)
		}
		if diff := cmp.Diff([]string{"order.taken", "order.taken_over", "order.lost", "order.lost",
			"order.released"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// BenchmarkWithObserver compares the smallest read with and without an observer that does
// nothing. Without one there is no cost.
func BenchmarkWithObserver(b *testing.B) {
	for name, opts := range map[string][]Option{"off": nil, "on": {WithObserver(idle{})}} {
		b.Run(name, func(b *testing.B) {
			s := migrated(b, "sqlite:"+b.TempDir()+"/learning.db", opts...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Lease(b.Context(), "a"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// idle is an observer that does nothing.
type idle struct{}

func (idle) Begin(ctx context.Context,
	_ core.Operation) (context.Context, func(core.Outcome)) {
	return ctx, func(core.Outcome) {}
}
