package inbox_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// announce publishes an announcement of the educator.
func announce(t *testing.T, w *roomtest.World, course string) inbox.Announcement {
	t.Helper()
	a, err := w.Platform.Inbox.Announce(ctx(), w.Person(t, "educator", core.Educator),
		inbox.NewAnnouncement{CourseID: course, Title: "Title", Text: "Text"})
	roomtest.Must(t, err)
	return a
}

// tell does the scheduled work once.
func tell(t *testing.T, w *roomtest.World) {
	t.Helper()
	roomtest.Must(t, w.Platform.Inbox.System().TellAnnouncements(ctx()))
}

func TestAnnouncement_TellsWhoIsEnrolledThen(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 0)
		boss := w.Person(t, "boss", core.Admin)
		w.Enrolls(t, "ada", course)
		w.Enrolls(t, "educator", course)
		w.Enrolls(t, "gone", course)
		roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), boss, "gone", course))
		a := announce(t, w, course)
		w.Clock.Advance(time.Second)
		late := w.Enrolls(t, "late", course)
		tell(t, w)
		tell(t, w)
		w.WantTold(t, "ada", inbox.NotifyAnnouncement)
		for _, id := range []string{"educator", "gone", "late"} {
			w.WantTold(t, id)
		}

		// Whoever enrols later reads it, and nobody without access does.
		list, err := w.Platform.Inbox.OwnAnnouncements(ctx(), late, course, roomtest.WholeList)
		if err != nil || len(list.Rows) != 1 || list.Rows[0].ID != a.ID {
			t.Errorf("a late student reads %+v (%v)", list.Rows, err)
		}
		_, err = w.Platform.Inbox.OwnAnnouncements(ctx(), w.Person(t, "gone", core.Student),
			course, roomtest.WholeList)
		if !errors.Is(err, study.ErrNotPurchased) {
			t.Errorf("a former student: %v", err)
		}

		// It goes with its notifications.
		roomtest.Must(t, w.Platform.Inbox.DeleteAnnouncement(ctx(), boss, course, a.ID))
		tell(t, w)
		w.WantTold(t, "ada")
		if n := w.Count(t, "announcements"); n != 0 {
			t.Errorf("%d announcements are left", n)
		}
	})
}

// Unpublishing and deletion stop what is not told yet.
func TestAnnouncement_StopsWithItsCourse(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 0)
		boss := w.Person(t, "boss", core.Admin)
		w.Enrolls(t, "ada", course)
		announce(t, w, course)
		w.Edit(t, course, catalog.CourseEdit{Published: new(false)})
		tell(t, w)
		w.Edit(t, course, catalog.CourseEdit{Published: new(true)})
		tell(t, w)
		w.WantTold(t, "ada")
		a := announce(t, w, course)
		roomtest.Must(t, w.Platform.Inbox.DeleteAnnouncement(ctx(), boss, course, a.ID))
		tell(t, w)
		w.WantTold(t, "ada")
	})
}

// A user who enrols while students are told of an announcement is told once or not at all.
func TestAnnouncement_BesideEnrolmentsAtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for round := range 6 {
			course := w.Course(t, fmt.Sprint("go-", round), 0)
			before, during := fmt.Sprint("before-", round), fmt.Sprint("during-", round)
			w.Enrolls(t, before, course)
			w.Person(t, during, core.Student)
			announce(t, w, course)
			roomtest.Must(t, errors.Join(roomtest.Concurrently(4, func(i int) error {
				if i == 0 {
					w.Enrolls(t, during, course)
					return nil
				}
				return w.Platform.Inbox.System().TellAnnouncements(ctx())
			})...))
			tell(t, w)
			w.WantTold(t, before, inbox.NotifyAnnouncement)
			if n := w.Count(t, "notifications WHERE user_id = ?", during); n > 1 {
				t.Errorf("told %d times", n)
			}
		}
	})
}

// What unpublishing has stopped stays untold when the course is published again.
func TestAnnouncement_BesideUnpublishingAtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for round := range 6 {
			course, ada := w.Course(t, fmt.Sprint("go-", round), 0), fmt.Sprint("ada-", round)
			w.Enrolls(t, ada, course)
			announce(t, w, course)
			roomtest.Must(t, errors.Join(roomtest.Concurrently(3, func(i int) error {
				if i == 0 {
					_, err := w.TryEdit(roomtest.Teacher, course,
						catalog.CourseEdit{Published: new(false)})
					return err
				}
				return w.Platform.Inbox.System().TellAnnouncements(ctx())
			})...))
			told := w.Count(t, "notifications WHERE user_id = ?", ada)
			w.Edit(t, course, catalog.CourseEdit{Published: new(true)})
			tell(t, w)
			if n := w.Count(t, "notifications WHERE user_id = ?", ada); n != told || n > 1 {
				t.Errorf("told %d times, and %d times after it was published again", told, n)
			}
		}
	})
}

// Several instances tell at once, with crashes between the transactions. Each student gets one
// event, and nobody is left out.
func TestAnnouncement_TellsNobodyTwice(t *testing.T) {
	t.Parallel()
	faults, r := &roomtest.FaultyStore{}, &roomtest.Receiver{}
	w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(faults),
		learningtest.WithPlatform(learning.WithEvents("test", r)))
	const students = 700 // which take three transactions
	course := w.Course(t, "go", 0)
	for i := range students {
		w.Exec(t, `INSERT INTO enrollments (user_id, course_id, purchase_id, created_at)
			VALUES (?, ?, '', '2026-01-01 12:00:00.000000')`, fmt.Sprintf("student-%03d", i), course)
	}
	announce(t, w, course)
	for _, step := range []string{"move an announcement", "replace notifications", "COMMIT"} {
		faults.FailOn(step)
		if err := w.Platform.Inbox.System().TellAnnouncements(ctx()); err == nil {
			t.Fatalf("no error at %q", step)
		}
		faults.Disarm()
	}
	for _, err := range roomtest.Concurrently(3, func(int) error {
		return w.Platform.Inbox.System().TellAnnouncements(ctx())
	}) {
		roomtest.Must(t, err)
	}
	if n := w.Count(t, "notifications"); n != students {
		t.Errorf("%d students are told, want %d", n, students)
	}
	if n := w.Count(t, "event_deliveries WHERE type = 'notification.created'"); n != students {
		t.Errorf("%d events are written, want %d", n, students)
	}
}
