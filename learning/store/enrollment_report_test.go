package store

import (
	"context"
	"reflect"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
)

// TestMethods_OneStatementThatUsesAnIndex explains one selection. Each has an index of its own. The
// first page of all is left out, because it is the beginning of an index.
func TestEnrollmentReports_EachSelectionUsesAnIndex(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		s := populated(t, e)
		page := ofType[reflect.TypeFor[learning.Page]()].(learning.Page)
		for _, q := range []learning.EnrollmentQuery{{}, {UserID: "0020"}, {CourseID: "0020"}} {
			for _, page := range []learning.Page{page, {Limit: 10}} {
				if q == (learning.EnrollmentQuery{}) && page.After.IsZero() {
					continue
				}
				for _, st := range recordStatements(t, s, func(ctx context.Context, tx learning.Tx) { _, _ = tx.EnrollmentReports(ctx, q, page) }) {
					for _, scan := range scans(t, e, s, st) {
						t.Errorf("%+v from %+v: %s", q, page.After, scan)
					}
				}
			}
		}
	})
}
