package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

var enrollmentTests = []test{
	{"a user is enrolled once in a course", enrollmentOnce},
	{"ids differ by case and by spaces at the end", enrollmentIDs},
	{"the courses of a user are listed, the oldest enrolment first, by course on a tie", enrollmentCourses},
}

func enrolled(t *testing.T, f *fixture, userID, courseID string, want bool) {
	t.Helper()
	got, err := f.Enrolled(t.Context(), userID, courseID)
	equal(t, got, err, want)
}

func enrollmentOnce(t *testing.T, f *fixture) {
	e := learning.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon}
	enrolled(t, f, "u", "c", false)
	f.add(e)
	enrolled(t, f, "u", "c", true)
	enrolled(t, f, "c", "u", false)
	enrolled(t, f, "u", "d", false)
	e.PurchaseID = "another"
	f.fails(learning.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error { return tx.InsertEnrollment(ctx, e) })
	e.CourseID = "d"
	f.add(e)
	enrolled(t, f, "u", "d", true)
}

func enrollmentIDs(t *testing.T, f *fixture) {
	f.add(learning.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon},
		learning.Enrollment{UserID: "U", CourseID: "c", PurchaseID: "p", CreatedAt: noon})
	enrolled(t, f, "U", "c", true)
	enrolled(t, f, "U", "C", false)
	enrolled(t, f, "u ", "c", false)
	enrolled(t, f, "u", "c ", false)
}

func enrollmentCourses(t *testing.T, f *fixture) {
	list, err := f.EnrolledCourses(t.Context(), "u")
	equal(t, list, err, nil)

	draft := course("draft")
	draft.Published = false
	f.add(course("b"), course("a"), draft, course("last"), course("not hers"), user("educator"), rating("u", "b", 4), rating("v", "a", 1))
	for id, after := range map[string]time.Duration{"draft": 0, "a": time.Second, "b": time.Second, "last": 2 * time.Second} {
		f.add(learning.Enrollment{UserID: "u", CourseID: id, PurchaseID: "p", CreatedAt: noon.Add(after)})
	}
	f.add(learning.Enrollment{UserID: "v", CourseID: "not hers", PurchaseID: "p", CreatedAt: noon})

	want := []learning.EnrolledCourse{{Course: draft}, {Course: course("a")}, {Course: course("b"), Stars: 4}, {Course: course("last")}}
	for i := range want {
		want[i].Educator = learning.Person{ID: "educator", Name: "Name of educator", ImageURL: "https://img.example.com/educator"}
	}
	list, err = f.EnrolledCourses(t.Context(), "u")
	equal(t, list, err, want)
	for _, c := range want {
		got, err := f.EnrolledCourse(t.Context(), "u", c.ID)
		equal(t, got, err, c)
	}
	for _, other := range [][2]string{{"u", "not hers"}, {"v", "a"}, {"U", "a"}, {"u", "A"}, {"u ", "a"}, {"u", "a "}, {"", ""}, {"\xff", "a"}} {
		got, err := f.EnrolledCourse(t.Context(), other[0], other[1])
		missing(t, got, err)
	}
}
