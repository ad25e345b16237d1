package store

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// benchEngines runs a benchmark on each installed engine.
func benchEngines(b *testing.B, bench func(b *testing.B, s *Store)) {
	enginetest.Each(b, enginetest.All,
		func(b *testing.B, e enginetest.Engine) { bench(b, migrated(b, e.URL(b))) })
}

func benchDo(b *testing.B, s *Store, fn func(ctx context.Context, tx learning.Tx) error) {
	b.Helper()
	if err := s.InTx(b.Context(), func(tx learning.Tx) error { return fn(b.Context(), tx) }); err !=
		nil {
		b.Fatal(err)
	}
}

func benchUser(b *testing.B, s *Store) {
	now := time.Now()
	benchDo(b, s, func(ctx context.Context, tx learning.Tx) error {
		for i := range 5 {
			if err := tx.InsertEnrollment(ctx,
				study.Enrollment{UserID: "u", CourseID: fmt.Sprint(i), PurchaseID: "p",
					CreatedAt: now}); err != nil {
				return err
			}
		}
		if err := tx.InsertRole(ctx, "u",
			core.RoleAssignment{Role: core.Educator, At: now}); err != nil {
			return err
		}
		return tx.InsertUser(ctx,
			people.User{ID: "u", Name: "Name", Email: "u@example.com", CreatedAt: now,
				ChangedAt: now})
	})
}

// BenchmarkAccountState is the one read that every request of a signed-in caller makes.
func BenchmarkAccountState(b *testing.B) {
	benchEngines(b, func(b *testing.B, s *Store) {
		benchUser(b, s)
		b.ReportAllocs()
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if got, err := s.AccountState(b.Context(), "u"); err != nil || !got.Known {
					b.Error(got, err)
				}
			}
		})
	})
}

// BenchmarkUser reads a record with five enrolments.
func BenchmarkUser(b *testing.B) {
	benchEngines(b, func(b *testing.B, s *Store) {
		benchUser(b, s)
		b.ReportAllocs()
		b.ResetTimer()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if got, err := s.User(b.Context(), "u"); err != nil || len(got.Enrolled) != 5 {
					b.Error(got, err)
				}
			}
		})
	})
}

// BenchmarkCourses reads the list of courses, as the platform does after each change.
func BenchmarkCourses(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchEngines(b, func(b *testing.B, s *Store) {
				benchDo(b, s, func(ctx context.Context, tx learning.Tx) error {
					for i := range n {
						c := catalog.Course{ID: fmt.Sprint(i), Title: "Title",
							Description: "About it", Published: true, CreatedAt: time.Now(),
							UpdatedAt: time.Now()}
						if err := tx.InsertCourse(ctx, c, nil); err != nil {
							return err
						}
					}
					return nil
				})
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					list, err := s.Courses(b.Context(), catalog.CourseQuery{},
						core.WordSearch{},
						learning.PageRequest{Limit: 2 * n})
					if err != nil || len(list) != n {
						b.Error(len(list), err)
					}
				}
			})
		})
	}
}

// completedPurchase returns p after a payment.
func completedPurchase(p purchase.Purchase, paymentID string, at time.Time) purchase.Purchase {
	p.Status = purchase.Completed
	p.PaymentID = paymentID
	p.UpdatedAt = at
	p.CompletedAt = at
	return p
}

// BenchmarkComplete measures the transaction of a payment: purchase, counter, enrolment.
func BenchmarkComplete(b *testing.B) {
	for _, clients := range []int{1, 8, 32} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			benchEngines(b, func(b *testing.B, s *Store) {
				now := time.Now()
				benchDo(b, s, func(ctx context.Context, tx learning.Tx) error {
					if err := tx.InsertCourse(ctx,
						catalog.Course{ID: "c", CreatedAt: now, UpdatedAt: now}, nil); err != nil {
						return err
					}
					for i := range b.N {
						id := fmt.Sprint(i)
						p := purchase.Purchase{ID: id, UserID: "u" + id, CourseID: "c",
							OrderID: "o" + id, Status: purchase.Pending, CreatedAt: now,
							UpdatedAt: now}
						if err := tx.InsertUser(ctx,
							people.User{ID: p.UserID, CreatedAt: now, ChangedAt: now}); err !=
							nil {
							return err
						}
						if err := tx.InsertPurchase(ctx, p); err != nil {
							return err
						}
					}
					return nil
				})
				var next atomic.Int64
				b.SetParallelism(max(1, clients/2)) // goroutines for each of two processors
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						id := fmt.Sprint(next.Add(1) - 1)
						err := s.InTx(b.Context(), func(tx learning.Tx) error {
							before := purchase.Purchase{ID: id, UserID: "u" + id, CourseID: "c",
								OrderID: "o" + id, Status: purchase.Pending, CreatedAt: now,
								UpdatedAt: now}
							if _, err := tx.LockUser(b.Context(), before.UserID); err != nil {
								return err
							}
							if _, err := tx.PurchaseState(b.Context(), id, "pay"+id); err != nil {
								return err
							}
							if _, err := tx.UpdatePurchase(b.Context(), before,
								completedPurchase(before, "pay"+id, now)); err != nil {
								return err
							}
							if err := tx.AddToStudentCount(b.Context(), "c", 1); err != nil {
								return err
							}
							return tx.InsertEnrollment(b.Context(),
								study.Enrollment{UserID: "u" + id, CourseID: "c", PurchaseID: id,
									CreatedAt: now})
						})
						if err != nil {
							b.Error(err)
						}
					}
				})
			})
		})
	}
}
