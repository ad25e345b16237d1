package httpapi_test

import (
	"database/sql"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/internal/baseline"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// TestEveryRoute_IsMeasuredAsTablesGrow fails for a route that BenchmarkGrowth does not request and
// that is not left out with a reason, so that none is forgotten.
func TestEveryRoute_IsMeasuredAsTablesGrow(t *testing.T) {
	t.Parallel()
	const file = "learning/httpapi/growth_requests_test.go"
	known, cases := map[string]bool{}, successCases(t)
	for _, row := range httpapi.Table() {
		known[row.ID] = true
		if cases[row.ID] == nil {
			continue // TestContractCases_CoverTheTable fails
		}
		requests := grownRequestsOf(cases, row)
		measured, reason := len(requests) > 0, notMeasured[row.ID]
		if measured == (reason != "") {
			t.Errorf(
				"%s %s: add %q either to grownRequests or, with a reason, to notMeasured in %s",
				row.Method, row.Path, row.ID, file)
		}
		checkNames(t, row.ID, requests)
	}
	for id := range grownRequests {
		if !known[id] {
			t.Errorf("%s is no route: remove it from grownRequests in %s", id, file)
		}
	}
	for id := range notMeasured {
		if !known[id] {
			t.Errorf("%s is no route: remove it from notMeasured in %s", id, file)
		}
	}
}

func checkNames(t *testing.T, id string, requests []grownRequest) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range requests {
		if seen[r.of] || (len(requests) > 1) == (r.of == "") {
			t.Errorf("%s: several requests to a route need different names; one is %q", id, r.of)
		}
		seen[r.of] = true
	}
}

// TestBenchmarkGrowth_RequestsSucceed sends two of the requests to each route, with the rows of the
// small database, and checks these rows first.
func TestBenchmarkGrowth_RequestsSucceed(t *testing.T) {
	t.Parallel()
	url := enginetest.SQLite(t)
	fewRows.fill(t, url)
	db := baseline.Open(t, url).Read
	checkInvariants(t, db, invariants.Community)
	checkInvariants(t, db, invariants.Courses)
	checkInvariants(t, db, invariants.Refunds)
	checkInvariants(t, db, invariants.Papers)
	checkInvariants(t, db, invariants.Totals)
	checkGrown(t, db)
	s := fewRows.serve(t, url)
	cases := successCases(t)
	for _, row := range httpapi.Table() {
		for _, r := range grownRequestsOf(cases, row) {
			for i := range 2 {
				if _, err := s.send(t, r.text(fewRows, row, i)); err != nil {
					t.Errorf("%s: %v\nThe request is that of grownRequests in "+
						"learning/httpapi/growth_requests_test.go or, if it is not there, follows "+
						"from the path and the case success: add one to grownRequests. The rows are "+
						"those of grownTables in growth_tables_test.go or follow from the names of "+
						"the columns.", r.name(row), err)
				}
			}
		}
	}
}

// The columns of the other engines have lengths, which a text in a new table may exceed.
func TestBenchmarkGrowth_FillsEachEngine(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.Dialects, func(t *testing.T, e enginetest.Engine) {
		fewRows.fill(t, e.URL(t))
	})
}

// checkGrown fails the test for a table that has no rows, or that notGrown has and the schema not.
func checkGrown(t *testing.T, db *sql.DB) {
	t.Helper()
	tables := enginetest.TableNames(t, db)
	for _, table := range tables {
		var rows int
		check(t, db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&rows))
		if rows < 2 && notGrown[table] == "" {
			t.Errorf("the table %s has %d rows: add a line to grownTables in "+
				"learning/httpapi/growth_tables_test.go or, with a reason, to notGrown there", table,
				rows)
		}
	}
	for table := range notGrown {
		if !slices.Contains(tables, table) {
			t.Errorf("%s is no table: remove it from notGrown in "+
				"learning/httpapi/growth_tables_test.go", table)
		}
	}
}

// checkInvariants fails the test if a query finds rows, such as kept numbers that are not those of
// their rows.
func checkInvariants(t *testing.T, db *sql.DB, queries map[string]string) {
	t.Helper()
	for name, query := range queries {
		var rows int
		query = "SELECT COUNT(*) FROM " + sqldb.Names{}.Expand(query)
		err := db.QueryRowContext(t.Context(), query).Scan(&rows)
		if err != nil || rows != 0 {
			t.Errorf("%s: %d rows (%v)", name, rows, err)
		}
	}
}
