package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// courseThumbnail sets a thumbnail: the version of the course grows, and no other course changes.
func courseThumbnail(t *testing.T, f *fixture) {
	f.add(course("c"), course("other"))
	at := noon.Add(time.Minute)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.SetThumbnail(ctx, "c",
			"new.png", at)
	})
	want := course("c")
	want.Thumbnail = "new.png"
	want.Version = 2
	want.UpdatedAt = at
	got, err := f.Course(t.Context(), "c")
	equal(t, got, err, want)
	got, err = f.Course(t.Context(), "other")
	equal(t, got, err, course("other"))
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.SetThumbnail(ctx, "nobody", "x",
				at)
		})
}

// courseInUse checks that a course is in use if it has or had a student, or a purchase that has not
// failed.
func courseInUse(t *testing.T, f *fixture) {
	failed := purchaseIn("failed", purchase.Failed)
	failed.CourseID = "failed"
	f.add(failed, study.Enrollment{UserID: "ada", CourseID: "enrolled", PurchaseID: "p",
		CreatedAt: noon},
		study.Enrollment{UserID: "ada", CourseID: "past", PurchaseID: "q", CreatedAt: noon})
	past := study.PastEnrollment{ID: "end",
		Enrollment: study.Enrollment{UserID: "ada", CourseID: "past", CreatedAt: noon},
		EndedAt:    noon}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertPastEnrollment(ctx,
			past)
	})
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.DeleteEnrollment(ctx, "ada", "past")
	})
	inUse := map[string]bool{"failed": false, "unknown": false, "enrolled": true, "past": true}
	for _, status := range []purchase.Status{purchase.Created,
		purchase.Pending, purchase.Completed, purchase.Refunded} {
		p := purchaseIn(string(status), status)
		p.CourseID = string(status)
		f.add(p)
		inUse[p.CourseID] = true
	}
	for id, want := range inUse {
		got, err := f.CourseInUse(t.Context(), id)
		if err != nil || got != want {
			t.Errorf("%s: in use: %v, want %v (%v)", id, got, want, err)
		}
	}
}

// courseDelete deletes a course with what belongs to it, twice with the same id. Its purchases keep
// a title, and the revision of the catalogue grows.
func courseDelete(t *testing.T, f *fixture) {
	failed := purchaseIn("failed", purchase.Failed)
	coupons := []offer.Coupon{coupon("MINE"), coupon("OTHER"), coupon("ALL")}
	coupons[0].CourseID, coupons[1].CourseID = "course", "other"
	for _, c := range coupons {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertCoupon(ctx, c) })
	}
	f.add(course("course"), course("other"), quiz("one"), quiz("two"), failed)
	before, err := f.CatalogueRevision(t.Context())
	equal(t, before, err, catalog.Revision{Courses: 2, Changes: 2})
	remove := func(id string) {
		t.Helper()
		f.do(func(ctx context.Context, tx learning.Tx) error {
			if err := tx.InsertDeletedCourse(ctx, id, "course", noon); err != nil {
				return err
			}
			if err := tx.DeleteQuizzes(ctx, "course"); err != nil {
				return err
			}
			if err := tx.DeleteCoupons(ctx, "course"); err != nil {
				return err
			}
			if err := tx.DeleteContent(ctx, "course"); err != nil {
				return err
			}
			return tx.DeleteCourse(ctx, "course")
		})
	}
	remove("first")
	after, err := f.CatalogueRevision(t.Context())
	equal(t, after, err, catalog.Revision{Courses: 1, Changes: 3})
	got, err := f.Course(t.Context(), "course")
	missing(t, got, err)
	content, err := f.CourseContent(t.Context(), "course")
	missing(t, content, err)
	chapters, err := f.QuizChapters(t.Context(), "course")
	equal(t, chapters, err, nil)
	mine, err := f.Coupon(t.Context(), "MINE")
	missing(t, mine, err)
	f.keptCoupon(coupons[1])
	f.keptCoupon(coupons[2])
	got, err = f.Course(t.Context(), "other")
	equal(t, got, err, course("other"))
	f.soldAs("Course course") // the title of the deleted course

	f.do(func(ctx context.Context, tx learning.Tx) error {
		return errors.Join(tx.DeleteWords(ctx, catalog.CourseWords, []string{"course"}, nil),
			tx.DeleteWords(ctx, catalog.CoursePairs, []string{"course"}, nil))
	})
	again := course("course")
	again.Title = "Again"
	f.add(again)
	f.soldAs("Again")
	remove("second")
	f.soldAs("Again") // the title of the last deletion
	after, err = f.CatalogueRevision(t.Context())
	equal(t, after, err, catalog.Revision{Courses: 1, Changes: 5})
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error { return tx.DeleteCourse(ctx, "course") })
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error { return tx.DeleteContent(ctx, "course") })
}

// soldAs checks the title of the course of the only purchase.
func (f *fixture) soldAs(want string) {
	f.t.Helper()
	var titles []string
	purchases, err := f.PurchaseReports(f.t.Context(), staff.PurchaseSelection{},
		core.PageRequest{Limit: 10})
	for _, p := range purchases {
		titles = append(titles, p.CourseTitle)
	}
	equal(f.t, titles, err, []string{want})
}

// unusedFiles adds files to the list of unused ones, lists them by time and name, and deletes and
// postpones them.
func unusedFiles(t *testing.T, f *fixture) {
	for _, name := range []string{"b.png", "a.png", "c.png"} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertUnusedFile(ctx, name,
				noon)
		})
	}
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertUnusedFile(ctx, "a.png",
				noon)
		})
	names, err := f.UnusedFiles(t.Context(), noon, 2)
	equal(t, names, err, []string{"a.png", "b.png"})
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.DeleteUnusedFile(ctx,
				"a.png")
		})
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.DeleteUnusedFile(ctx,
				"a.png")
		})
	names, err = f.UnusedFiles(t.Context(), noon, 9)
	equal(t, names, err, []string{"b.png", "c.png"})
	names, err = f.UnusedFiles(t.Context(), noon.Add(-time.Microsecond), 9)
	equal(t, names, err, nil)
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.PostponeUnusedFile(ctx, "b.png", noon.Add(time.Hour))
	})
	f.reports(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.PostponeUnusedFile(ctx, "a.png", noon)
	})
	names, err = f.UnusedFiles(t.Context(), noon.Add(time.Hour-time.Microsecond), 9)
	equal(t, names, err, []string{"c.png"})
	names, err = f.UnusedFiles(t.Context(), noon.Add(time.Hour), 9)
	equal(t, names, err, []string{"c.png", "b.png"})

	// A marked file is not used any more, and stays in the list.
	use := func(name string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UseReservedFile(ctx, name)
		}
	}
	mark := func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.MarkFileRemoving(ctx, "b.png")
	}
	f.reports(true, mark)
	f.reports(true, mark)
	f.reports(false, use("b.png"))
	f.reports(true, use("c.png"))
	f.reports(false, use("c.png"))
	names, err = f.UnusedFiles(t.Context(), noon.Add(time.Hour), 9)
	equal(t, names, err, []string{"b.png"})
}
