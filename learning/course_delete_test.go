package learning_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
)

func TestDeleteCourse_RemovesEverything(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		media, r := &roomtest.MemoryMedia{}, &roomtest.Receiver{}
		w := roomtest.New(t, database, r.Option(),
			learningtest.WithPlatform(learning.WithMedia(media)))
		course, draft := w.Course(t, "go", 499_00), w.Course(t, "draft", 0)
		no := false
		w.Edit(t, draft, catalog.CourseEdit{Published: &no})
		w.Rewrites(t, course)
		revision := w.Revision(t)
		for _, id := range []string{course, draft} {
			changes := w.Platform.Catalog.CatalogueChanges()
			if err := w.Platform.DeleteCourse(ctx(), roomtest.Teacher, id); err != nil {
				t.Fatal(err)
			}
			if w.Platform.Catalog.CatalogueChanges() == changes {
				t.Error("the list has not changed")
			}
			if err := w.Platform.DeleteCourse(ctx(), roomtest.Teacher, id); !errors.Is(err,
				catalog.ErrCourseNotFound) {
				t.Errorf("delete twice: %v", err)
			}
			if _, err := w.Platform.Catalog.EditableCourse(ctx(), roomtest.Teacher,
				id); !errors.Is(err,
				catalog.ErrCourseNotFound) {
				t.Errorf("show a deleted course: %v", err)
			}
		}
		if now := w.Revision(t); now.Changes <= revision.Changes || len(w.List(t)) != 0 {
			t.Errorf("the revision is %+v after %+v", now, revision)
		}
		if n := w.Count(t, "courses") + w.Count(t, "course_contents") + w.Count(t, "quizzes") +
			w.Count(t, "unused_files"); n != 0 || len(media.Files) != 0 {
			t.Errorf("%d rows and %d files are left", n, len(media.Files))
		}
		w.WantEvents(t, map[core.EventType]int{catalog.EventCoursePublished: 2,
			catalog.EventCourseUnpublished: 2})
	})
}

func TestDeleteCourse_InUseStays(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	enrolled := w.Course(t, "enrolled", 0)
	ordered := w.Course(t, "ordered", 499_00)
	ended := w.Course(t, "ended", 0)
	w.Enrolls(t, "ada", enrolled)
	w.Enrolls(t, "ada", ended)
	w.Exec(t,
		"INSERT INTO past_enrollments (id, user_id, course_id, purchase_id, created_at, ended_at) "+
			"SELECT user_id, user_id, course_id, purchase_id, created_at, created_at FROM "+
			"enrollments WHERE course_id = ?", ended)
	w.Exec(t, "DELETE FROM enrollments WHERE course_id = ?", ended)
	w.Exec(t, "DELETE FROM purchases WHERE course_id = ?", ended)
	w.Order(t, w.Person(t, "bob", core.Student), ordered)
	for _, id := range []string{enrolled, ordered, ended} {
		before := w.Dump(t)
		if err := w.Platform.DeleteCourse(ctx(), roomtest.Teacher, id); !errors.Is(err,
			catalog.ErrCourseHasStudents) {
			t.Errorf("delete %q: %v", id, err)
		}
		if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
			t.Errorf("rows have changed: %s", diff)
		}
	}
}

// A purchase failed, its course was deleted, and then its order is paid: the money is in the books
// and in the log.
func TestDeleteCourse_LatePaymentOfAFailedPurchase(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		order := w.Order(t, ada, course)
		w.Exec(t, "UPDATE purchases SET status = 'failed', is_open = NULL WHERE id = ?",
			order.PurchaseID)
		if err := w.Platform.DeleteCourse(ctx(), roomtest.Teacher, course); err != nil {
			t.Fatal(err)
		}
		payment := w.Pay(t, order.OrderID)
		for range 2 {
			if err := w.Platform.Sales.VerifyPayment(ctx(), ada,
				w.Proof(order.OrderID, payment.ID)); err != nil {
				t.Fatal(err)
			}
		}
		if p := w.Purchase(t, order.PurchaseID); p.Status != purchase.Completed ||
			p.PaymentID != payment.ID {
			t.Errorf("the purchase is %+v", p)
		}
		w.WantLogged(t, "payment for a deleted course", 1)
		w.WantInvariants(t)
	})
}

// The media store fails after the deletion: tidying removes the file.
func TestDeleteCourse_FileIsRemovedLater(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		media := &roomtest.UndeletableMedia{}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithMedia(media)))
		course := w.Course(t, "go", 0)
		media.Fails = true
		if err := w.Platform.DeleteCourse(ctx(), roomtest.Teacher, course); err != nil {
			t.Fatal(err)
		}
		w.WantLogged(t, "remove an unused file", 1)
		if len(media.Files) != 1 || w.Count(t, "unused_files") != 1 {
			t.Errorf("%d files, %d rows", len(media.Files), w.Count(t, "unused_files"))
		}
		media.Fails = false
		w.Tidy(t)
		if len(media.Files) != 0 || w.Count(t, "unused_files") != 0 {
			t.Errorf("%d files, %d rows after tidying", len(media.Files),
				w.Count(t, "unused_files"))
		}
	})
}

func TestSetThumbnail_ReplacesTheFile(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		media, r := &roomtest.MemoryMedia{}, &roomtest.Receiver{}
		w := roomtest.New(t, database, r.Option(),
			learningtest.WithPlatform(learning.WithMedia(media)))
		course := w.Course(t, "go", 0)
		w.Clock.Advance(time.Hour)
		name, err := w.Platform.Catalog.SetThumbnail(ctx(), roomtest.Teacher, course,
			learningtest.Thumbnail(t))
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
			{roomtest.Teacher, course, nil, file.ErrThumbnailMissing},
			{roomtest.Teacher, course, []byte("text"), file.ErrThumbnailRefused},
			{roomtest.Teacher, "unknown", learningtest.Thumbnail(t), catalog.ErrCourseNotFound},
			{w.Person(t, "other", core.Educator), course, learningtest.Thumbnail(t),
				core.ErrForbidden},
			{w.Person(t, "ada", core.Student), course, learningtest.Thumbnail(t),
				core.ErrForbidden},
		} {
			if _, err := w.Platform.Catalog.SetThumbnail(ctx(), refused.actor, refused.course,
				refused.image); !errors.Is(err, refused.want) {
				t.Errorf("%v, want %v", err, refused.want)
			}
		}
		if len(media.Files) != 1 || w.Count(t, "unused_files") != 0 {
			t.Errorf("%d files, %d unused", len(media.Files), w.Count(t, "unused_files"))
		}
		w.WantEvents(t, map[core.EventType]int{catalog.EventCoursePublished: 1,
			catalog.EventCourseUpdated: 1})
	})
}
