package store

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/staff"
)

// BenchmarkReports measures the lists of the administration in full, with 200,000 purchases of
// 2,000 courses. The baseline is a loop over the rows of the list. BenchmarkGrowth of package
// httpapi measures what answers with less than a list.
func BenchmarkReports(b *testing.B) {
	enginetest.Each(b, enginetest.All, func(b *testing.B, e enginetest.Engine) {
		url := e.URL(b)
		s := migrated(b, url)
		began := time.Now()
		seed(b, s, large)
		b.Logf("filled in %v", time.Since(began).Round(time.Second))
		p := baseline.Open(b, url)
		b.Run("CourseReports", func(b *testing.B) { benchCourseReports(b, s, p) })
		b.Run("PurchaseReports", func(b *testing.B) { benchPurchaseReports(b, s, p) })
	})
}

func benchCourseReports(b *testing.B, s *Store, p baseline.Pools) {
	ours := func(ctx context.Context) error {
		_, err := s.CourseReports(ctx, "INR", learning.PageRequest{Limit: math.MaxInt32})
		return err
	}
	var text [4]string
	baseline.Run(b, aThird, repeat(b, ours),
		repeat(b,
			query(b, p, []any{&text[0], &text[1], new(int64), new(int64), new(int64), new(int64),
				&text[2], &text[3]},
				`SELECT id, title, price, discount, is_published, students, educator_id, created_at FROM courses ORDER BY created_at DESC, id DESC`)))
}

// benchPurchaseReports reports allocs/row, which are those of ours.
func benchPurchaseReports(b *testing.B, s *Store, p baseline.Pools) {
	rows := 0
	ours := func(ctx context.Context) error {
		list, err := s.PurchaseReports(ctx, staff.PurchaseSelection{}, learning.PageRequest{Limit: math.MaxInt32})
		rows = len(list)
		return err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := ours(b.Context()); err != nil {
		b.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	perRow := float64(after.Mallocs-before.Mallocs) / float64(rows)
	var text [6]string
	baseline.Run(b, aThird, repeat(b, ours),
		repeat(b, query(b, p,
			[]any{&text[0], &text[1], &text[2], new(int64), &text[3], &text[4], &text[5]},
			`SELECT id, user_id, course_id, amount, currency, status, created_at FROM purchases`+
				s.engine().ForceIndex("purchases_by_creation")+
				` ORDER BY created_at DESC, id DESC`)))
	b.ReportMetric(perRow, "allocs/row")
}

// aThird is the minimum speed of a list, as a share of that of a loop over its rows.
const aThird = 1.0 / 3

// query returns a hand-written query whose rows are scanned into dest.
func query(b *testing.B, p baseline.Pools, dest []any, text string,
	args ...any) func(ctx context.Context) error {
	run := p.Reading(b, text)
	return func(ctx context.Context) error {
		rows, err := run(ctx, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

func repeat(b *testing.B, do func(ctx context.Context) error) baseline.Side {
	return baseline.Side{Do: func(n int) {
		for range n {
			if err := do(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}}
}
