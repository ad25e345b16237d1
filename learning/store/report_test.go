package store

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
)

// reports are the methods of learning.Tx over the whole platform, with the indexes that they
// must use so that they do not read large tables completely.
var reports = map[string]struct {
	method     func(ctx context.Context, tx learning.Tx)
	indexes    []string
	forceIndex bool // whether rows must be read in order, because a sort would delay the first row
}{
	"Stats": {func(ctx context.Context, tx learning.Tx) { _, _ = tx.Stats(ctx, "INR") },
		[]string{totalsKey}, false},
	"DailyRevenue": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.DailyRevenue(ctx, "INR", seedEnd.AddDate(0, 0, -6))
	}, []string{totalsKey}, false},
	"CourseReports": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.CourseReports(ctx, "INR", firstPage)
	}, []string{"courses_by_creation", totalsKey}, true},
	"PurchaseReports": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.PurchaseReports(ctx, staff.PurchaseSelection{}, firstPage)
	}, []string{"purchases_by_creation"}, true},
	"PurchaseReports, next page": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.PurchaseReports(ctx, staff.PurchaseSelection{}, nextPage)
	}, []string{"purchases_by_creation"}, true},
	"UserReports, next page": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.UserReports(ctx, core.WordSearch{}, "", nextPage)
	}, []string{"users_by_creation", "courses_by_educator or courses_of_educator"}, true},
	"PurchaseReports of a status": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.PurchaseReports(ctx, failedPurchases, firstPage)
	}, []string{"purchases_of_status"}, true},
	"PurchaseReports of a status, next page": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.PurchaseReports(ctx, failedPurchases, nextPage)
	}, []string{"purchases_of_status"}, true},
	"PurchaseReports of a user, next page": {purchasesPage(staff.PurchaseQuery{UserID: "user-3",
		CourseID: "course-3", Status: purchase.Failed, From: seedEnd.AddDate(0, 0, -30)}),
		[]string{"purchases_of_user"}, true},
	"PurchaseReports of a course, next page": {purchasesPage(staff.PurchaseQuery{
		CourseID: "course-3", From: seedEnd.AddDate(0, 0, -30)}),
		[]string{"purchases_of_course"}, true},
	"PurchaseReports of some days, next page": {purchasesPage(staff.PurchaseQuery{
		From: seedEnd.AddDate(0, 0, -30), To: seedEnd}), []string{"purchases_by_creation"}, true},
	"PurchasesNumbered of an order": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.PurchasesNumbered(ctx, staff.OrderNumber, "order-3", 32)
	}, []string{"purchases_by_order"}, false},
	"Courses": {coursesPage(catalog.CourseQuery{}, firstPage),
		[]string{byCreationIndex}, true},
	"Courses of the newest, next page": {
		coursesPage(catalog.CourseQuery{Sort: catalog.NewestCourses}, nextPage),
		[]string{byCreationIndex}, true},
	"Courses of the popular, next page": {
		coursesPage(catalog.CourseQuery{Sort: catalog.PopularCourses}, nextPage),
		[]string{"courses_by_students"}, true},
	"Courses of the rated, next page": {
		coursesPage(catalog.CourseQuery{Sort: catalog.RatedCourses}, nextPage),
		[]string{"courses_by_rating"}, true},
	"Courses of the cheap, next page": {
		coursesPage(catalog.CourseQuery{Sort: catalog.CheapCourses}, nextPage),
		[]string{"courses_by_price"}, true},
	"Courses of an educator, next page": {coursesPage(catalog.CourseQuery{EducatorID: "user-3"},
		nextPage), []string{"courses_of_educator"}, true},
	"CourseReports, next page": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.CourseReports(ctx, "INR", nextPage)
	}, []string{"courses_by_creation", totalsKey}, true},
	"UserReports": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.UserReports(ctx, core.WordSearch{}, "", firstPage)
	}, []string{"users_by_creation", "courses_by_educator or courses_of_educator"}, true},
	"UserReports of a role": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.UserReports(ctx, core.WordSearch{}, core.Educator, firstPage)
	}, []string{"roles_by_role", "courses_by_educator or courses_of_educator"}, true},
	"UserReports of a role, next page": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.UserReports(ctx, core.WordSearch{}, core.Educator, nextPage)
	}, []string{"roles_by_role", "courses_by_educator or courses_of_educator"}, true},
	"UserReports who is a student, next page": {func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.UserReports(ctx, core.WordSearch{}, core.Student, nextPage)
	}, []string{"users_by_creation", "courses_by_educator or courses_of_educator"}, true},
	"TopCourses": {func(ctx context.Context, tx learning.Tx) { _, _ = tx.TopCourses(ctx, 6) },
		[]string{"courses_by_students"}, false},
}

// failedPurchases selects purchases by their status.
var failedPurchases = staff.PurchaseSelection{
	Query: staff.PurchaseQuery{Status: purchase.Failed},
}

// byCreationIndex is in a step of a plan that reads the published courses by creation. PostgreSQL,
// which has no hints, may leave out the few drafts while it reads.
const byCreationIndex = "courses_by_publication or using courses_by_creation"

// totalsKey is in a step of a plan that reads totals by the beginning of their key.
const totalsKey = "table=totals type=range key=PRIMARY or table=t type=ref key=PRIMARY or SEARCH " +
	"totals USING PRIMARY KEY (course_id=? AND kind=? or " +
	"SEARCH t USING PRIMARY KEY (course_id=? AND kind=? or " +
	"Index Scan using totals_pkey"

var (
	firstPage = learning.PageRequest{Limit: 400}
	nextPage  = learning.PageRequest{After: core.Position{At: seedEnd.AddDate(0, 0, -20),
		Value: 250, ID: "0198"}, Limit: 400}
)

func purchasesPage(q staff.PurchaseQuery) func(ctx context.Context, tx learning.Tx) {
	return func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.PurchaseReports(ctx, staff.PurchaseSelection{Query: q}, nextPage)
	}
}

func coursesPage(q catalog.CourseQuery,
	page learning.PageRequest) func(ctx context.Context, tx learning.Tx) {
	return func(ctx context.Context, tx learning.Tx) {
		_, _ = tx.Courses(ctx, q, core.WordSearch{}, page)
	}
}

// withoutLines returns the statements of a report without the second one of the purchases of a
// course, which must use the index of lines. The test has no lines, so PostgreSQL uses no index.
func withoutLines(
	tb testing.TB, e enginetest.Engine, s *Store, name string, statements []recordedStatement,
) []recordedStatement {
	tb.Helper()
	isOfCourse := strings.HasPrefix(strings.ToLower(name), "purchase") &&
		strings.Contains(name, "of a course")
	if !isOfCourse || len(statements) != 2 {
		return statements
	}
	const index = "purchase_lines_of_course"
	steps := strings.Join(plan(tb, e, s, statements[1]), "\n")
	if e.Name != "PostgreSQL" && !strings.Contains(steps, index) {
		tb.Errorf("%s does not use %s:\n%s", name, index, steps)
	}
	return statements[:1]
}

func TestReports_OneStatementThatUsesItsIndexes(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		s := migrated(t, e.URL(t))
		seed(t, s, size{courses: 500, users: 5_000, purchases: 50_000})
		for name, report := range reports {
			statements := recordStatements(t, s, report.method)
			statements = withoutLines(t, e, s, name, statements)
			if len(statements) != 1 {
				t.Errorf("%s: %d statements, want 1", name, len(statements))
				continue
			}
			steps := plan(t, e, s, statements[0])
			t.Logf("%s:\n\t%s", name, strings.Join(steps, "\n\t"))
			for _, index := range report.indexes {
				if !slices.ContainsFunc(strings.Split(index, " or "),
					func(name string) bool {
						return strings.Contains(strings.Join(steps, "\n"),
							name)
					}) {
					t.Errorf("%s does not use %s", name, index)
				}
			}
			isSorted := slices.ContainsFunc(steps, func(step string) bool {
				return sorts(step) || strings.Contains(step, "temporary")
			})
			fromTheMiddle := slices.ContainsFunc(steps, func(step string) bool {
				return strings.Contains(step, "type=range") ||
					strings.Contains(step, "id)<(?,?)") || strings.Contains(step, "id)>(?,?)") ||
					(strings.Contains(step, "Index Cond: ") && strings.Contains(step, "ROW("))
			})
			if strings.HasSuffix(name, "next page") && !fromTheMiddle {
				t.Errorf("%s reads rows of earlier pages", name)
			}
			if report.forceIndex && isSorted {
				t.Errorf("%s sorts rows, want rows in the order of an index", name)
			}
		}
	})
}
