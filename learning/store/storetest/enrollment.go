package storetest

import (
	"context"
	"testing"

	"github.com/openlectern/learning/learning"
)

var enrollmentTests = []test{
	{"somebody is enrolled once, in that course", enrollmentOnce},
	{"ids differ by case and by blanks at the end", enrollmentIDs},
}

func enrolled(t *testing.T, w *world, userID, courseID string, want bool) {
	t.Helper()
	got, err := w.Enrolled(t.Context(), userID, courseID)
	equal(t, got, err, want)
}

func enrollmentOnce(t *testing.T, w *world) {
	e := learning.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon}
	enrolled(t, w, "u", "c", false)
	w.add(e)
	enrolled(t, w, "u", "c", true)
	enrolled(t, w, "c", "u", false)
	enrolled(t, w, "u", "d", false)
	e.PurchaseID = "another"
	w.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error { return tx.InsertEnrollment(ctx, e) })
	e.CourseID = "d"
	w.add(e)
	enrolled(t, w, "u", "d", true)
}

func enrollmentIDs(t *testing.T, w *world) {
	w.add(learning.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon},
		learning.Enrollment{UserID: "U", CourseID: "c", PurchaseID: "p", CreatedAt: noon})
	enrolled(t, w, "U", "c", true)
	enrolled(t, w, "U", "C", false)
	enrolled(t, w, "u ", "c", false)
	enrolled(t, w, "u", "c ", false)
}
