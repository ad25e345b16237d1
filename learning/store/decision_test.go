package store

import (
	"context"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/staff"
)

// TestMethods_OneStatementThatUsesAnIndex explains one selection. Each has an index of its own.
func TestDecisions_EachSelectionUsesAnIndex(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		s := populated(t, e)
		for _, q := range []staff.DecisionQuery{{}, {UserID: "0020"}, {CourseID: "0020"},
			{UserID: "0020", CourseID: "0020"}} {
			statements := recordStatements(t, s, func(ctx context.Context, tx learning.Tx) {
				_, _ = tx.Decisions(ctx, q, nextOfPopulated)
			})
			for _, scan := range scans(t, e, s, statements[0]) {
				t.Errorf("%+v: %s", q, scan)
			}
		}
	})
}
