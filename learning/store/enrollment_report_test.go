package store

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/study"
)

// TestMethods_OneStatementThatUsesAnIndex explains one selection. Each has an index of its own. The
// first page of all reads the beginning of an index, which is a scan that ends after a page.
func TestEnrollmentReports_EachSelectionUsesAnIndex(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		s := populated(t, e)
		page := ofType[reflect.TypeFor[learning.PageRequest]()].(learning.PageRequest)
		for _, q := range []study.EnrollmentQuery{{}, {UserID: "0020"}, {CourseID: "0020"}} {
			for _, page := range []learning.PageRequest{page, {Limit: 10}} {
				statements := recordStatements(t, s, func(ctx context.Context, tx learning.Tx) {
					_, _ = tx.EnrollmentReports(ctx, q, page)
				})
				for _, scan := range scans(t, e, s, statements[0]) {
					if q != (study.EnrollmentQuery{}) || !page.After.IsZero() ||
						!readsInOrder(scan) {
						t.Errorf("%+v from %+v: %s", q, page.After, scan)
					}
				}
			}
		}
	})
}

// readsInOrder reports whether a step reads an index of enrolments by their creation, without a
// sort.
func readsInOrder(step string) bool {
	isIndex := strings.Contains(step, "USING INDEX") || strings.Contains(step, " type=index ") ||
		strings.Contains(step, "Index Scan")
	return isIndex && strings.Contains(step, "enrollments_by_creation") && !sorts(step)
}
