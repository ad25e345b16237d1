package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// BenchmarkStreamedRows writes a streamed list of a thousand rows, without a database. The baseline
// is a loop that encodes a struct of plain fields. allocs/row counts the allocations of the
// handler.
func BenchmarkStreamedRows(b *testing.B) {
	const n = 1000
	for path, field := range streams {
		b.Run(field, func(b *testing.B) {
			produce := func(_ context.Context, from int,
				row func(int) error) error {
				return rows(row, from, n)
			}
			kit := wrapped(b,
				func(st learning.Store) learning.Store { return &rowStore{st, produce} })
			kit.Person(b, "admin", core.Admin)
			h := newSite(b, kit, httpapi.WithLimiters(unlimited)).handler
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Header.Set("Authorization", "Bearer "+kit.Token(b, "admin"))
			ours := func(lists int) {
				for range lists {
					h.ServeHTTP(&closedWriter{}, r)
				}
			}
			perRow := allocations(func() { ours(10) }) / (10 * n)
			baseline.Run(b, 0.5, baseline.Side{Do: ours},
				baseline.Side{Do: func(lists int) { encodePlainly(b, lists*n) }})
			b.ReportMetric(perRow, "allocs/row")
		})
	}
}

// allocations returns the number of allocations of a function.
func allocations(do func()) float64 {
	var before, after runtime.MemStats
	do()
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

// encodePlainly encodes rows with the fields of a purchase.
func encodePlainly(b *testing.B, rows int) {
	type course struct {
		ID    string `json:"_id"`
		Title string `json:"courseTitle"`
	}
	out := bufio.NewWriter(io.Discard)
	e := json.NewEncoder(out)
	for range rows {
		err := e.Encode(struct {
			ID        string `json:"_id"`
			UserID    string `json:"userId"`
			Course    course `json:"courseId"`
			Amount    int    `json:"amount"`
			Currency  string `json:"currency"`
			Status    string `json:"status"`
			CreatedAt string `json:"createdAt"`
		}{"row_000001", "", course{}, 0, "INR", "completed",
			learningtest.Start.Format("2006-01-02T15:04:05.000Z")})
		check(b, err)
	}
}
