package learning_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func (w *fixture) wantInvariants(t *testing.T) {
	t.Helper()
	for name, from := range invariants.Courses {
		if n := w.count(t, from); n != 0 {
			t.Errorf("%d rows break %q", n, name)
		}
	}
	w.wantRightTotals(t)
}

func TestDeleteCourse_RemovesEverything(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		media, r := &memoryMedia{}, &receiver{}
		w := newFixture(t, database, r.option(),
			learningtest.WithPlatform(learning.WithMedia(media)))
		course, draft := w.Course(t, "go", 499_00), w.Course(t, "draft", 0)
		no := false
		w.edit(t, draft, learning.CourseEdit{Published: &no})
		w.rewrites(t, course)
		revision := w.revision(t)
		for _, id := range []string{course, draft} {
			changes := w.Platform.CatalogueChanges()
			if err := w.Platform.DeleteCourse(ctx(), teacher, id); err != nil {
				t.Fatal(err)
			}
			if w.Platform.CatalogueChanges() == changes {
				t.Error("the list has not changed")
			}
			if err := w.Platform.DeleteCourse(ctx(), teacher, id); !errors.Is(err,
				learning.ErrCourseNotFound) {
				t.Errorf("delete twice: %v", err)
			}
			if _, err := w.Platform.EditableCourse(ctx(), teacher, id); !errors.Is(err,
				learning.ErrCourseNotFound) {
				t.Errorf("show a deleted course: %v", err)
			}
		}
		if now := w.revision(t); now.Changes <= revision.Changes || len(w.list(t)) != 0 {
			t.Errorf("the revision is %+v after %+v", now, revision)
		}
		if n := w.count(t, "courses") + w.count(t, "course_contents") + w.count(t, "quizzes") +
			w.count(t, "unused_files"); n != 0 || len(media.files) != 0 {
			t.Errorf("%d rows and %d files are left", n, len(media.files))
		}
		w.wantEvents(t, map[learning.EventType]int{learning.EventCoursePublished: 2,
			learning.EventCourseUnpublished: 2})
	})
}

func TestDeleteCourse_InUseStays(t *testing.T) {
	w := newFixture(t, sqlite(t))
	enrolled := w.Course(t, "enrolled", 0)
	ordered := w.Course(t, "ordered", 499_00)
	ended := w.Course(t, "ended", 0)
	w.enrolls(t, "ada", enrolled)
	w.enrolls(t, "ada", ended)
	w.exec(t,
		"INSERT INTO past_enrollments (id, user_id, course_id, purchase_id, created_at, ended_at) "+
			"SELECT user_id, user_id, course_id, purchase_id, created_at, created_at FROM "+
			"enrollments WHERE course_id = ?", ended)
	w.exec(t, "DELETE FROM enrollments WHERE course_id = ?", ended)
	w.exec(t, "DELETE FROM purchases WHERE course_id = ?", ended)
	w.order(t, w.Person(t, "bob", learning.Student), ordered)
	for _, id := range []string{enrolled, ordered, ended} {
		before := w.dump(t)
		if err := w.Platform.DeleteCourse(ctx(), teacher, id); !errors.Is(err,
			learning.ErrCourseHasStudents) {
			t.Errorf("delete %q: %v", id, err)
		}
		if diff := cmp.Diff(before, w.dump(t)); diff != "" {
			t.Errorf("rows have changed: %s", diff)
		}
	}
}

// A purchase failed, its course was deleted, and then its order is paid: the money is in the books
// and in the log.
func TestDeleteCourse_LatePaymentOfAFailedPurchase(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		order := w.order(t, ada, course)
		w.exec(t, "UPDATE purchases SET status = 'failed', is_open = NULL WHERE id = ?",
			order.PurchaseID)
		if err := w.Platform.DeleteCourse(ctx(), teacher, course); err != nil {
			t.Fatal(err)
		}
		payment := w.pay(t, order.OrderID)
		for range 2 {
			if err := w.Platform.VerifyPayment(ctx(), ada,
				w.proof(order.OrderID, payment.ID)); err != nil {
				t.Fatal(err)
			}
		}
		if p := w.purchase(t, order.PurchaseID); p.Status != learning.PurchaseCompleted ||
			p.PaymentID != payment.ID {
			t.Errorf("the purchase is %+v", p)
		}
		w.wantLogged(t, "payment for a deleted course", 1)
		w.wantInvariants(t)
	})
}

// The media store fails after the deletion: tidying removes the file.
func TestDeleteCourse_FileIsRemovedLater(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		media := &undeletable{}
		w := newFixture(t, database, learningtest.WithPlatform(learning.WithMedia(media)))
		course := w.Course(t, "go", 0)
		media.fails = true
		if err := w.Platform.DeleteCourse(ctx(), teacher, course); err != nil {
			t.Fatal(err)
		}
		w.wantLogged(t, "remove an unused file", 1)
		if len(media.files) != 1 || w.count(t, "unused_files") != 1 {
			t.Errorf("%d files, %d rows", len(media.files), w.count(t, "unused_files"))
		}
		media.fails = false
		w.tidy(t)
		if len(media.files) != 0 || w.count(t, "unused_files") != 0 {
			t.Errorf("%d files, %d rows after tidying", len(media.files),
				w.count(t, "unused_files"))
		}
	})
}

func TestSetThumbnail_ReplacesTheFile(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		media, r := &memoryMedia{}, &receiver{}
		w := newFixture(t, database, r.option(),
			learningtest.WithPlatform(learning.WithMedia(media)))
		course := w.Course(t, "go", 0)
		w.Clock.Advance(time.Hour)
		name, err := w.Platform.SetThumbnail(ctx(), teacher, course, learningtest.Thumbnail(t))
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.Store.Course(ctx(), course)
		if err != nil || c.Thumbnail != name || c.Version != 2 ||
			!c.UpdatedAt.Equal(w.Clock.Now()) {
			t.Errorf("the course is %+v (%v)", c, err)
		}
		for _, refused := range []struct {
			actor  learning.Actor
			course string
			image  []byte
			want   error
		}{
			{teacher, course, nil, learning.ErrThumbnailMissing},
			{teacher, course, []byte("text"), learning.ErrThumbnailRefused},
			{teacher, "unknown", learningtest.Thumbnail(t), learning.ErrCourseNotFound},
			{w.Person(t, "other", learning.Educator), course, learningtest.Thumbnail(t),
				learning.ErrForbidden},
			{w.Person(t, "ada", learning.Student), course, learningtest.Thumbnail(t),
				learning.ErrForbidden},
		} {
			if _, err := w.Platform.SetThumbnail(ctx(), refused.actor, refused.course,
				refused.image); !errors.Is(err, refused.want) {
				t.Errorf("%v, want %v", err, refused.want)
			}
		}
		if len(media.files) != 1 || w.count(t, "unused_files") != 0 {
			t.Errorf("%d files, %d unused", len(media.files), w.count(t, "unused_files"))
		}
		w.wantEvents(t, map[learning.EventType]int{learning.EventCoursePublished: 1,
			learning.EventCourseUpdated: 1})
	})
}

// undeletable is a media store that cannot delete while fails is set.
type undeletable struct {
	memoryMedia
	fails bool
}

func (m *undeletable) Delete(ctx context.Context, name string) error {
	if m.fails {
		return errInjected
	}
	return m.memoryMedia.Delete(ctx, name)
}
