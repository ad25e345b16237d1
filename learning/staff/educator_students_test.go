package staff_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// partsOfStudents is a store that records the largest page of students that was asked for.
type partsOfStudents struct {
	learning.Store
	largest int
	fail    error // of the next page
}

func (s *partsOfStudents) StudentsIn(
	ctx context.Context, selected staff.StudentSelection, page learning.PageRequest,
) ([]staff.TaughtStudent, error) {
	if s.fail != nil {
		return nil, s.fail
	}
	s.largest = max(s.largest, page.Limit)
	return s.Store.StudentsIn(ctx, selected, page)
}

// manyStudents adds enrolments in courses of ada, none in the last one and some at the same time.
// It returns them, the oldest first.
func manyStudents(t *testing.T, w *roomtest.World, courses int) (want []staff.TaughtStudent) {
	t.Helper()
	for c := range courses {
		course := catalog.Course{
			ID: fmt.Sprintf("course-%d", c), Title: fmt.Sprintf("Course %d", c),
			Educator: core.Person{ID: "ada"}, Students: 600 / (c + 1),
			CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now(),
		}
		if c == courses-1 {
			course.Students = 0
		}
		roomtest.Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
			return tx.InsertCourse(ctx(), course, nil)
		}))
		for i := range course.Students {
			e := study.Enrollment{
				UserID: fmt.Sprintf("user-%d", i), CourseID: course.ID, PurchaseID: course.ID,
				CreatedAt: w.Clock.Now().Add(time.Duration((i*7+c)%50) * time.Second),
			}
			roomtest.Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
				return tx.InsertEnrollment(ctx(), e)
			}))
			want = append(want, staff.TaughtStudent{
				CourseID: course.ID, CourseTitle: course.Title, EnrolledAt: e.CreatedAt,
				Version: catalog.CourseVersion{Number: 1, UpdatedAt: course.UpdatedAt},
				Student: core.Person{ID: e.UserID, Name: core.UnknownUser},
			})
		}
	}
	slices.SortFunc(want, func(a, b staff.TaughtStudent) int {
		return cmp.Or(a.EnrolledAt.Compare(b.EnrolledAt),
			strings.Compare(a.Student.ID, b.Student.ID),
			strings.Compare(a.CourseID, b.CourseID))
	})
	return want
}

// The students of many courses are listed in one order, and are read in parts that do not grow with
// their number.
func TestTaughtStudents_OfManyCoursesInOrderAndInParts(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		parts := &partsOfStudents{}
		w := roomtest.New(t, database, learningtest.WithStore(func(s learning.Store) learning.Store {
			parts.Store = s
			return parts
		}))
		want := manyStudents(t, w, 8)
		ada := w.Person(t, "ada", core.Educator)
		list, err := w.Platform.Staff.AllTaughtStudents(ctx(), ada)
		roomtest.Must(t, err)
		if list.Held > 400_000 {
			t.Errorf("the list holds %d bytes", list.Held)
		}
		got, err := roomtest.RowsOf(list.All, nil)
		roomtest.Must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("%d students, want %d in their order", len(got), len(want))
		}
		d, err := w.Platform.Staff.Dashboard(ctx(), ada)
		roomtest.Must(t, err)
		got, err = roomtest.OrderedRows(d.Students, nil)
		roomtest.Must(t, err)
		slices.Reverse(want)
		if !slices.Equal(got, want) {
			t.Errorf("the dashboard has %d students, want %d in their order", len(got), len(want))
		}
		if parts.largest < 1 || parts.largest > 1000/7 {
			t.Errorf("%d students of a course are read at once", parts.largest)
		}
		list, err = w.Platform.Staff.AllTaughtStudents(ctx(), ada)
		roomtest.Must(t, err)
		parts.fail = errors.New("the database is gone")
		if _, err := roomtest.RowsOf(list.All, nil); !errors.Is(err, parts.fail) {
			t.Errorf("a failed read: %v", err)
		}
	})
}
