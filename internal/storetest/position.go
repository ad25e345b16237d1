package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

var positionTests = []test{
	{"positions are added and replaced, several in one call", positionReplace},
	{"the last lecture of enrolments is set, and orders the recent courses", positionLast},
	{"the lectures of several courses, and the completed ones, are read", positionLectures},
}

// at returns a position of a user in lecture "l" of a course.
func at(userID, courseID string, ms core.Milliseconds) study.LecturePosition {
	return study.LecturePosition{UserID: userID, CourseID: courseID, LectureID: "l", At: ms,
		SavedAt: noon.Add(time.Duration(ms))}
}

func positionReplace(t *testing.T, f *fixture) {
	replace := func(list ...study.LecturePosition) {
		t.Helper()
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.ReplacePositions(ctx, list)
		})
	}
	has := func(userID, courseID string, want map[string]core.Milliseconds) {
		t.Helper()
		got, err := f.Positions(t.Context(), userID, courseID)
		equal(t, got, err, want)
		studied, err := f.Studied(t.Context(),
			study.StudiedQuery{UserID: userID, CourseID: courseID, Positions: true})
		equal(t, studied, err, study.Studied{Positions: want})
	}
	has("u", "c", nil)
	capital := at("u", "c", 8)
	capital.LectureID = "L"
	longest := at(long(47)+"abc", long(16), 9)
	longest.LectureID = long(catalog.MaxContentID)
	replace(at("u", "c", 1), capital)
	replace(at("u", "c", 5), at("u", "d", 6), at("v", "c", 1_000_000_000), longest)
	has("u", "c", map[string]core.Milliseconds{"l": 5, "L": 8})
	has("u", "d", map[string]core.Milliseconds{"l": 6})
	has(longest.UserID, longest.CourseID, map[string]core.Milliseconds{longest.LectureID: 9})
	for _, other := range [][2]string{{"U", "c"}, {"u", "C"}, {"u ", "c"}, {"u", "c "},
		{"\xff", "c"}} {
		has(other[0], other[1], nil)
	}
	f.do(deletePrivate("positions", "u"))
	has("u", "c", nil)
	has("u", "d", nil)
	has("v", "c", map[string]core.Milliseconds{"l": 1_000_000_000})
}

func positionLast(t *testing.T, f *fixture) {
	f.add(course("a"), course("b"), course("c"), user("u"), user("v"))
	for i, e := range []study.EnrollmentKey{{UserID: "u", CourseID: "a"},
		{UserID: "u", CourseID: "b"}, {UserID: "u", CourseID: "c"}, {UserID: "v", CourseID: "a"},
		{UserID: "w", CourseID: "a"}, {UserID: "x", CourseID: "a"}} {
		f.add(study.Enrollment{UserID: e.UserID, CourseID: e.CourseID, PurchaseID: "p",
			CreatedAt: noon.Add(time.Duration(i) * time.Second)})
	}
	f.add(people.User{ID: "x", CreatedAt: noon, ChangedAt: noon, DeletedAt: noon})
	last := func(want ...string) {
		t.Helper()
		list, err := f.RecentCourses(t.Context(), "u", core.PageRequest{Limit: 10})
		var got []string
		for _, c := range list {
			got = append(got, c.ID+" "+c.LastLectureID)
		}
		equal(t, got, err, want)
		pages := paged(t,
			func(ctx context.Context, page core.PageRequest) ([]study.EnrolledCourse,
				error) {
				return f.RecentCourses(ctx, "u", page)
			},
			func(c study.EnrolledCourse) core.Position {
				used := c.LastActiveAt
				if used.IsZero() {
					used = c.EnrolledAt
				}
				return core.Position{At: used, ID: c.ID}
			})
		equal(t, pages, nil, list)
	}
	last("c ", "b ", "a ")
	minute := core.Milliseconds(time.Minute)
	used := []study.LecturePosition{at("u", "a", 2*minute), at("u", "b", minute),
		at("v", "a", 0), at("not enrolled", "a", 0)}
	used[1].LectureID = "other"
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.SetLastLectures(ctx, used) })
	last("b other", "a l", "c ") // both have the time of the latest
	c, err := f.EnrolledCourse(t.Context(), "u", "b")
	equal(t, c.LastActiveAt, err, noon.Add(time.Duration(2*minute)))
	c, err = f.EnrolledCourse(t.Context(), "w", "a")
	equal(t, c.LastActiveAt, err, time.Time{})

	// Users without a record are not deleted.
	asked := []study.LecturePosition{at("u", "a", 0), at("v", "a", 0), at("v", "b", 0),
		at("w", "a", 0), at("x", "a", 0)}
	got, err := f.EnrolledVersions(t.Context(), asked, noon)
	version := study.EnrolledVersion{CourseVersion: catalog.CourseVersion{Number: 1,
		UpdatedAt: course("a").UpdatedAt}, IsGated: true}
	equal(t, got, err, map[study.EnrollmentKey]study.EnrolledVersion{
		{UserID: "u", CourseID: "a"}: version,
		{UserID: "v", CourseID: "a"}: version,
		{UserID: "w", CourseID: "a"}: version,
	})

	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.ForgetLastLectures(ctx, "u") })
	last("c ", "b ", "a ")
	c, err = f.EnrolledCourse(t.Context(), "v", "a")
	equal(t, c.LastLectureID, err, "l")
}

func positionLectures(t *testing.T, f *fixture) {
	var ids []string
	want := map[string][]string{}
	for _, id := range []string{"c", "d", "empty"} {
		content := []catalog.Chapter{{ID: "1",
			Lectures: []catalog.Lecture{{ID: id + " z"}, {ID: id + " a"}}}}
		if id == "empty" {
			content = nil
		}
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertCourse(ctx, course(id), content)
		})
		ids = append(ids, id)
	}
	want["c"], want["d"], want["empty"] = []string{"c z", "c a"}, []string{"d z", "d a"}, nil
	for range 40 { // more than one statement reads
		ids = append(ids, "no course")
	}
	got, err := f.LectureIDsOf(t.Context(), ids)
	equal(t, got, err, want)

	f.add(completed{userID: "u", courseID: "c", CompletedLecture: done("c z", 0)},
		completed{userID: "u", courseID: "d", CompletedLecture: done("gone", 0)},
		completed{userID: "u", courseID: "other", CompletedLecture: done("l", 0)},
		completed{userID: "v", courseID: "c", CompletedLecture: done("c a", 0)})
	got, err = f.CompletedLecturesOf(t.Context(), "u", ids)
	equal(t, got, err, map[string][]string{"c": {"c z"}, "d": {"gone"}})

	// The last activity never goes back.
	f.add(study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon})
	for _, step := range []struct{ at, want time.Duration }{{2, 2}, {1, 2}, {3, 3}} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.SetLastActivity(ctx, "u", "c", noon.Add(step.at*time.Second))
		})
		s, err := f.StudentIn(t.Context(), "u", "c")
		equal(t, s.LastActiveAt, err, noon.Add(step.want*time.Second))
	}

	// The completed lectures of many students, of whom more than one statement reads.
	asked := []study.EnrollmentKey{{UserID: "v", CourseID: "d"}}
	for i := range 40 {
		asked = append(asked, study.EnrollmentKey{UserID: "none", CourseID: fmt.Sprint(i)})
	}
	asked = append(asked, study.EnrollmentKey{UserID: "u", CourseID: "c"},
		study.EnrollmentKey{UserID: "v", CourseID: "c"})
	of, err := f.CompletionsOf(t.Context(), asked)
	equal(t, of, err, map[study.EnrollmentKey][]string{
		{UserID: "u", CourseID: "c"}: {"c z"}, {UserID: "v", CourseID: "c"}: {"c a"}})
	of, err = f.CompletionsOf(t.Context(), nil)
	equal(t, of, err, map[study.EnrollmentKey][]string{})
}
