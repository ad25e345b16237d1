package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// BenchmarkMarker measures what a marker costs: the transactions of a paid purchase and of a
// completed lecture, with a marker and without ("bare").
func BenchmarkMarker(b *testing.B) {
	for _, e := range enginetest.All[:2] {
		for _, clients := range []int{1, 8, 32} {
			for name, prepare := range map[string]func(*testing.B, *Store,
				int) func(context.Context, learning.Tx, int) error{
				"purchase": unpaidPurchases, "lecture": openLectures,
			} {
				b.Run(fmt.Sprintf("%s/%s/clients=%d", e.Name, name, clients), func(b *testing.B) {
					s := migrated(b, e.URL(b))
					// has markers on every engine
					s = faultystore.With(s,
						func(context.Context, string) error { return nil }).(*Store)
					side := func(options ...func(learning.Tx)) baseline.Side {
						var do func(context.Context, learning.Tx, int) error
						run := baseline.Parallel(b, clients,
							func(_, i int) error {
								return inTxWith(b.Context(), s, options, i,
									do)
							})
						return baseline.Side{Prepare: func(n int) { do = prepare(b, s, n) },
							Do: run}
					}
					baseline.Run(b, 0.8, side(), side(learning.Tx.Repeatable))
				})
			}
		}
	}
}

// inTxWith runs do in a transaction, after options.
func inTxWith(ctx context.Context, s *Store, options []func(learning.Tx), i int,
	do func(context.Context, learning.Tx, int) error) error {
	ctx, cancel := context.WithCancel(ctx) // can be cancelled, like the context of a request
	defer cancel()
	return s.InTx(ctx, func(tx learning.Tx) error {
		for _, option := range options {
			option(tx)
		}
		return do(ctx, tx, i)
	})
}

// unpaidPurchases inserts n purchases, each of another course. It returns the transaction
// that completes one of them.
func unpaidPurchases(b *testing.B, s *Store, n int) func(context.Context, learning.Tx, int) error {
	at := time.Now()
	name := fmt.Sprint(at.UnixNano())
	id := func(i int) string { return fmt.Sprint(name, "-", i) }
	unpaid := func(i int) purchase.Purchase {
		return purchase.Purchase{ID: id(i), UserID: id(i), CourseID: id(i), OrderID: id(i),
			Status: purchase.Pending, CreatedAt: at, UpdatedAt: at}
	}
	benchDo(b, s, func(ctx context.Context, tx learning.Tx) error {
		for i := range n {
			if err := tx.InsertCourse(ctx, catalog.Course{ID: id(i), CreatedAt: at, UpdatedAt: at},
				nil); err != nil {
				return err
			}
			p := unpaid(i)
			if err := tx.InsertPurchase(ctx, p); err != nil {
				return err
			}
		}
		return nil
	})
	return func(ctx context.Context, tx learning.Tx, i int) error {
		if _, err := tx.UpdatePurchase(ctx, unpaid(i),
			completedPurchase(unpaid(i), id(i), at)); err != nil {
			return err
		}
		if err := tx.AddToStudentCount(ctx, id(i), 1); err != nil {
			return err
		}
		return tx.InsertEnrollment(ctx,
			study.Enrollment{UserID: id(i), CourseID: id(i), PurchaseID: id(i), CreatedAt: at})
	}
}

// openLectures returns the transaction that completes a lecture.
func openLectures(_ *testing.B, _ *Store, _ int) func(context.Context, learning.Tx, int) error {
	course := fmt.Sprint(time.Now().UnixNano())
	return func(ctx context.Context, tx learning.Tx, i int) error {
		return tx.InsertCompletedLecture(ctx, fmt.Sprint("user-", i), course,
			study.CompletedLecture{LectureID: "lecture", At: time.Now()})
	}
}
