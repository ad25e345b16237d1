package store

import (
	"context"
	"database/sql"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
)

// BenchmarkReports measures the reports over 200,000 purchases of 2,000 courses. The baseline
// is a query of the sums in the report, or a loop over its rows.
func BenchmarkReports(b *testing.B) {
	enginetest.Each(b, enginetest.All, func(b *testing.B, e enginetest.Engine) {
		url := e.URL(b)
		s := migrated(b, url)
		began := time.Now()
		seed(b, s, large)
		b.Logf("filled in %v", time.Since(began).Round(time.Second))
		p := baseline.Open(b, url)
		b.Run("Stats", func(b *testing.B) { benchStats(b, s, p) })
		b.Run("Charts", func(b *testing.B) { benchCharts(b, s, p) })
		b.Run("CourseReports", func(b *testing.B) { benchCourseReports(b, s, p) })
		b.Run("EachPurchase", func(b *testing.B) { benchEachPurchase(b, s, p) })
	})
}

func benchStats(b *testing.B, s *Store, p baseline.Pools) {
	ours := func(ctx context.Context) error { _, err := s.Stats(ctx, "INR"); return err }
	baseline.Run(b, aThird, repeat(b, ours), repeat(b, query(b, p, []any{new(int64), new(int64)}, `
		SELECT COUNT(*), SUM(amount) FROM purchases WHERE status = 'completed' AND currency = ?`, "INR")))
}

func benchCharts(b *testing.B, s *Store, p baseline.Pools) {
	week := seedEnd.AddDate(0, 0, -6)
	ours := func(ctx context.Context) error {
		_, topErr := s.TopCourses(ctx, 6)
		_, err := s.DailyRevenue(ctx, "INR", week)
		return firstError(topErr, err)
	}
	most := query(b, p, []any{new(int64)}, `SELECT MAX(students) FROM courses`)
	sum := query(b, p, []any{new(int64)}, `SELECT SUM(amount) FROM purchases WHERE status = 'completed' AND completed_at >= ? AND currency = ?`,
		week.Format(timestampLayout), "INR")
	baseline.Run(b, aThird, repeat(b, ours), repeat(b, func(ctx context.Context) error { return firstError(most(ctx), sum(ctx)) }))
}

func benchCourseReports(b *testing.B, s *Store, p baseline.Pools) {
	ours := func(ctx context.Context) error { _, err := s.CourseReports(ctx, "INR"); return err }
	baseline.Run(b, aThird, repeat(b, ours), repeat(b, query(b, p, []any{new(sql.RawBytes), new(int64), new(int64)}, `
		SELECT course_id, COUNT(*), SUM(amount) FROM purchases WHERE status = 'completed' GROUP BY course_id`)))
}

// benchEachPurchase reports allocs/row, which are those of ours.
func benchEachPurchase(b *testing.B, s *Store, p baseline.Pools) {
	rows := 0
	ours := func(ctx context.Context) error {
		return s.EachPurchase(ctx, "", learning.Page{Limit: math.MaxInt32}, func(learning.PurchaseReport) error { rows++; return nil })
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := ours(b.Context()); err != nil {
		b.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	perRow := float64(after.Mallocs-before.Mallocs) / float64(rows)
	var text [6]string
	baseline.Run(b, aThird, repeat(b, ours), repeat(b, query(b, p, []any{&text[0], &text[1], &text[2], new(int64), &text[3], &text[4], &text[5]},
		`SELECT id, user_id, course_id, amount, currency, status, created_at FROM purchases`+s.dialect.forceIndex("purchases_by_creation")+` ORDER BY created_at DESC, id DESC`)))
	b.ReportMetric(perRow, "allocs/row")
}

// aThird is the minimum speed of a report, as a share of that of its sums: the rest of the
// report may take twice as long as the sums.
const aThird = 1.0 / 3

// query returns a hand-written query whose rows are scanned into dest.
func query(b *testing.B, p baseline.Pools, dest []any, text string, args ...any) func(ctx context.Context) error {
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
