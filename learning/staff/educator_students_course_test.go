package staff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// roster lists the students that a query selects, each by the id and the completed lectures.
func roster(t *testing.T, w *roomtest.World, q staff.StudentQuery) string {
	t.Helper()
	var list []string
	for s, err := range core.All(
		func(page core.PageRequest) (core.Page[staff.TaughtStudent], error) {
			page.Limit = 2
			return w.Platform.Staff.TaughtStudents(ctx(), roomtest.Teacher, q, page)
		}) {
		roomtest.Must(t, err)
		list = append(list, fmt.Sprint(s.Student.ID, " ", s.CompletedLectures, "/", s.Lectures))
	}
	return strings.Join(list, ", ")
}

// An educator sees how far students are, finds them by name, and has them in three orders.
func TestTaughtStudents_OfACourse(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "go", roomtest.Chapter("one", "a", "b", "c"))
		other := w.Publish(t, "sql", roomtest.Chapter("one", "a"))
		var students []core.Actor
		for _, id := range []string{"Ada", "Adam", "Bea", "Carl"} {
			w.Clock.Advance(time.Minute)
			students = append(students, w.Enrolls(t, id, course))
		}
		w.Enrolls(t, "Dora", other)
		ada, bea := students[0], students[2]
		w.Learns(t, ada, course, false, "a", "b")
		w.Learns(t, bea, course, true, "a", "b", "c")
		w.Revise(t, course, roomtest.Chapter("one", "a", "c"), roomtest.Chapter("two", "d"))
		w.Clock.Advance(time.Minute)
		w.Save(t, ada, course, "a", 1)
		w.Clock.Advance(time.Minute)
		w.Save(t, bea, course, "a", 1)
		for _, c := range []struct {
			q    staff.StudentQuery
			want string
		}{
			{staff.StudentQuery{}, "Ada 1/3, Adam 0/3, Bea 2/3, Carl 0/3, Dora 0/1"},
			{staff.StudentQuery{CourseID: course}, "Ada 1/3, Adam 0/3, Bea 2/3, Carl 0/3"},
			{staff.StudentQuery{CourseID: course, Sort: staff.StudentsRecent},
				"Carl 0/3, Bea 2/3, Adam 0/3, Ada 1/3"},
			{staff.StudentQuery{CourseID: course, Sort: staff.StudentsActive},
				"Bea 2/3, Ada 1/3, Carl 0/3, Adam 0/3"},
			{staff.StudentQuery{CourseID: course, Search: "ADA"}, "Ada 1/3, Adam 0/3"},
			{staff.StudentQuery{CourseID: course, Search: "ada", Sort: staff.StudentsRecent},
				"Adam 0/3, Ada 1/3"},
			{staff.StudentQuery{CourseID: course, Search: "dora"}, ""},
			// Of an e-mail address an educator learns nothing.
			{staff.StudentQuery{CourseID: course, Search: "example"}, ""},
			{staff.StudentQuery{CourseID: course, Search: "?"}, ""},
		} {
			if got := roster(t, w, c.q); got != c.want {
				t.Errorf("%+v: %q, want %q", c.q, got, c.want)
			}
		}

		// The whole list has the same.
		all, err := roomtest.OrderedRows(
			w.Platform.Staff.AllTaughtStudents(ctx(), roomtest.Teacher))
		roomtest.Must(t, err)
		var completed []int
		for _, s := range all {
			completed = append(completed, s.CompletedLectures)
		}
		if !slices.Equal(completed, []int{1, 0, 2, 0, 0}) {
			t.Errorf("completed in the whole list: %v", completed)
		}
	})
}

func TestTaughtStudents_EndOfAccess(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Publish(t, "go", roomtest.Chapter("one", "a"))
	ends := w.Clock.Now().Add(time.Hour)
	w.Enrolls(t, "ada", course)
	_, err := w.Platform.Study.ChangeEnrollment(ctx(), roomtest.Boss, study.EnrollmentChange{
		UserID: "ada", CourseID: course, ExpiresAt: &ends})
	roomtest.Must(t, err)
	for _, want := range []bool{false, true} {
		page, err := w.Platform.Staff.TaughtStudents(ctx(), roomtest.Teacher,
			staff.StudentQuery{CourseID: course}, roomtest.WholeList)
		roomtest.Must(t, err)
		if s := page.Rows[0]; s.IsExpired != want || !s.ExpiresAt.Equal(ends) {
			t.Errorf("expired: %v, want %v, at %v", s.IsExpired, want, s.ExpiresAt)
		}
		w.Clock.Advance(time.Hour)
	}
}

func TestTaughtStudents_Refuses(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Publish(t, "go", roomtest.Chapter("one", "a"))
	eve := w.Person(t, "eve", core.Educator)
	for _, c := range []struct {
		actor learning.Actor
		q     staff.StudentQuery
		want  error
	}{
		{eve, staff.StudentQuery{CourseID: course}, core.ErrForbidden},
		{roomtest.Teacher, staff.StudentQuery{CourseID: "no"}, catalog.ErrCourseNotFound},
		{roomtest.Boss, staff.StudentQuery{CourseID: course}, core.ErrForbidden},
		{roomtest.Teacher, staff.StudentQuery{Search: "ada"}, core.ErrInvalidRequest},
		{roomtest.Teacher, staff.StudentQuery{Sort: staff.StudentsActive}, core.ErrInvalidRequest},
		{roomtest.Teacher, staff.StudentQuery{CourseID: course, Sort: "name"},
			core.ErrInvalidRequest},
		{roomtest.Teacher, staff.StudentQuery{CourseID: course, Search: strings.Repeat("a", 201)},
			core.ErrInvalidRequest},
	} {
		_, err := w.Platform.Staff.TaughtStudents(ctx(), c.actor, c.q, roomtest.WholeList)
		roomtest.WantFailure(t, err, c.want, fmt.Sprintf("%+v", c.q))
	}
}

// A page of a search for words that many users have reads a bounded number of enrolments, and the
// next one goes on where it ended.
func TestTaughtStudents_SearchReadsABoundedPart(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Publish(t, "go", roomtest.Chapter("one", "a"))
	const elsewhere, others = 2_100, 210
	w.InsertTx(t, func(tx learning.Tx) error {
		for i := range elsewhere {
			id := fmt.Sprint("elsewhere-", i)
			roomtest.Must(t, tx.InsertWords(ctx(), []core.RowWords{{List: people.NameWords,
				RowID: id, PersonID: id, Name: []string{"ada", "king"}}}))
		}
		for i := range others {
			roomtest.Must(t, tx.InsertEnrollment(ctx(), study.Enrollment{
				UserID: fmt.Sprint("here-", i), CourseID: course, PurchaseID: "p",
				CreatedAt: w.Clock.Now()}))
		}
		return tx.InsertWords(ctx(), []core.RowWords{{List: people.NameWords, RowID: "wanted",
			PersonID: "wanted", Name: []string{"ada", "king"}}})
	})
	w.Clock.Advance(time.Second)
	w.InsertTx(t, func(tx learning.Tx) error {
		return tx.InsertEnrollment(ctx(), study.Enrollment{UserID: "wanted", CourseID: course,
			PurchaseID: "p", CreatedAt: w.Clock.Now()})
	})
	q := staff.StudentQuery{CourseID: course, Search: "ada king"}
	read := func(after core.Position) core.Page[staff.TaughtStudent] {
		page, err := w.Platform.Staff.TaughtStudents(ctx(), roomtest.Teacher, q,
			core.PageRequest{Limit: 10, After: after})
		roomtest.Must(t, err)
		return page
	}
	first := read(core.Position{})
	if len(first.Rows) != 0 || first.Next.IsZero() {
		t.Fatalf("the first page has %d students and ends with %v", len(first.Rows), first.Next)
	}
	second := read(first.Next)
	if len(second.Rows) != 1 || second.Rows[0].Student.ID != "wanted" || !second.Next.IsZero() {
		t.Errorf("the second page is %+v", second)
	}
}
