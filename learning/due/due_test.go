package due_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/due"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// tellsDue does the scheduled work once.
func tellsDue(t *testing.T, w *roomtest.World) {
	t.Helper()
	roomtest.Must(t, w.Platform.Due.System().TellDue(ctx()))
}

// hourly lets the time pass, with the scheduled work in each hour.
func hourly(t *testing.T, w *roomtest.World, hours int) {
	t.Helper()
	for range hours {
		w.Clock.Advance(time.Hour)
		tellsDue(t, w)
	}
}

// A student who has submitted nothing is told once, a day before the due time, which may depend on
// the enrolment.
func TestAssignmentDue_IsToldADayBefore(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, _ := roomtest.NewWithFiles(t, database)
		course := w.Publish(t, "go", roomtest.Chapter("one", "a"),
			roomtest.Essay(catalog.Assignment{DueAfterDays: new(5)}))
		ada := w.Enrolls(t, "ada", course)
		tellsDue(t, w)
		hourly(t, w, 12)
		w.Enrolls(t, "bob", course)
		eve := w.Enrolls(t, "eve", course)
		w.Drafts(t, eve, course, "a draft is no submission")
		zoe := w.Enrolls(t, "zoe", course)
		w.Drafts(t, zoe, course, "work")
		w.SubmitsWork(t, zoe, course)
		hourly(t, w, 4*24-13)
		w.WantTold(t, "ada")
		hourly(t, w, 2)
		w.WantTold(t, "ada", due.NotifyAssignmentDue)
		for _, id := range []string{"bob", "eve", "zoe"} {
			w.WantTold(t, id)
		}
		unread := func(want int) []inbox.Notification {
			t.Helper()
			page, err := w.Platform.Inbox.Notifications(ctx(), ada, true, roomtest.WholeList)
			if err != nil || len(page.Rows) != want {
				t.Errorf("%d unread notifications, want %d (%v)", len(page.Rows), want, err)
			}
			return page.Rows
		}
		roomtest.Must(t, w.Platform.Inbox.MarkReadUntil(ctx(), ada, w.Clock.Now()))
		hourly(t, w, 12)
		unread(0)
		w.WantTold(t, "bob", due.NotifyAssignmentDue)
		w.WantTold(t, "eve", due.NotifyAssignmentDue)
		w.WantTold(t, "zoe")
		if n := w.Count(t, "notifications"); n != 4 { // with that of the submission
			t.Errorf("%d notifications", n)
		}

		// Another time is told anew, and one that is removed is not.
		w.Edit(t, course, catalog.CourseEdit{Content: []catalog.Chapter{
			roomtest.Chapter("one", "a"),
			roomtest.Essay(catalog.Assignment{DueAt: w.Clock.Now().Add(3 * day)})}})
		hourly(t, w, 47)
		unread(0)
		hourly(t, w, 2)
		for _, n := range unread(1) {
			if n.Title() != "Essay" {
				t.Errorf("the notification is %+v", n)
			}
		}
		w.Edit(t, course, catalog.CourseEdit{Content: []catalog.Chapter{
			roomtest.Chapter("one", "a")}})
		if n := w.Count(t, "assignment_dues"); n != 0 {
			t.Errorf("%d due times are left", n)
		}
	})
}

// Nobody is told of a lecture that is not open, or after the access has ended.
func TestAssignmentDue_IsToldToWhoMayReadIt(t *testing.T) {
	t.Parallel()
	w, _ := roomtest.NewWithFiles(t, roomtest.SQLite(t))
	essay := roomtest.Essay(catalog.Assignment{DueAfterDays: new(3)})
	essay.Opens = catalog.Opening{AfterDays: 4}
	closed := w.Publish(t, "closed", roomtest.Chapter("one", "a"), essay)
	open := w.Publish(t, "open", roomtest.Chapter("one", "a"),
		roomtest.Essay(catalog.Assignment{DueAfterDays: new(3)}))
	w.Edit(t, open, catalog.CourseEdit{Terms: &catalog.Terms{Days: 1}})
	w.Enrolls(t, "ada", closed)
	w.Enrolls(t, "bob", open)
	w.Edit(t, open, catalog.CourseEdit{Terms: &catalog.Terms{}})
	w.Enrolls(t, "eve", open)
	hourly(t, w, 4*24)
	w.WantTold(t, "ada")
	if told := w.Told(t, "bob"); len(told) > 0 && told[0] == due.NotifyAssignmentDue {
		t.Errorf("bob is told %v", told)
	}
	w.WantTold(t, "eve", due.NotifyAssignmentDue)
}

// Several instances tell at once, with crashes between the transactions. Each student gets one
// event, and nobody is left out.
func TestAssignmentDue_IsToldToNobodyTwice(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		faults, r := &roomtest.FaultyStore{}, &roomtest.Receiver{}
		w := roomtest.New(t, database, roomtest.WithFaultyStore(faults),
			learningtest.WithPlatform(learning.WithEvents("test", r)))
		course := w.Publish(t, "go", roomtest.Chapter("one", "a"),
			roomtest.Essay(catalog.Assignment{DueAfterDays: new(2)}))
		const students = 150 // which take two transactions
		for i := range students {
			w.Enrolls(t, fmt.Sprintf("student-%03d", i), course)
		}
		w.Clock.Advance(day + time.Hour)
		for _, step := range []string{"move a due time", "replace notifications", "COMMIT"} {
			faults.FailOn(step)
			if err := w.Platform.Due.System().TellDue(ctx()); err == nil {
				t.Fatalf("no error at %q", step)
			}
			faults.Disarm()
		}
		for _, err := range roomtest.Concurrently(3, func(int) error {
			return w.Platform.Due.System().TellDue(ctx())
		}) {
			roomtest.Must(t, err)
		}
		tellsDue(t, w)
		if n := w.Count(t, "notifications"); n != students {
			t.Errorf("%d students are told, want %d", n, students)
		}
		n := w.Count(t, "event_deliveries WHERE type = 'notification.created'")
		if n != students {
			t.Errorf("%d events are written, want %d", n, students)
		}
	})
}
