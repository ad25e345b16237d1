package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

var courseTests = []test{
	{"a course is read as it was stored, with its chapters in order", courseRoundTrip},
	{"the longest texts and largest numbers fit", courseLimits},
	{"a course that does not exist is ErrNoRecord", courseMissing},
	{"the id of a course is unique", courseDuplicate},
	{"ids differ by case and by spaces at the end", courseIDs},
	{"published courses are listed, the oldest first, by id on a tie", courseList},
	{"a course has its educator's name and picture, also if deleted or unknown", courseEducator},
	{"an enrolment is counted, and updated_at stays", courseCount},
	{"a course of the same version gets other values and content, and nothing else changes",
		courseEdit},
	{"a lock changes nothing, and reports whether there is a course", courseLock},
	{"a thumbnail is replaced, and the version grows", courseThumbnail},
	{"a course is in use if it has or had a student, or a purchase that has not failed",
		courseInUse},
	{"a deleted course is gone, its revision stays, and its purchases keep the title",
		courseDelete},
	{"files that no course uses are listed by name", unusedFiles},
	{"the revision changes with every change of the list", courseRevision},
	{"times are UTC and whole microseconds", courseTimes},
}

var chapters = []catalog.Chapter{
	{ID: "c2", Order: 1, Title: "Größe <b>&\u2028 \"x\" \\ 🎓", Lectures: []catalog.Lecture{
		{ID: "l1", Order: 2, Title: "One", Minutes: 12.75, URL: "https://v.example.com/1?a=1&b=2",
			PreviewFree: true},
		{ID: "l2", Order: 1, Title: "Two", Minutes: 1.0 / 3, URL: "https://v.example.com/2"},
	}},
	{ID: "c1", Order: 2, Title: "Empty", Opens: catalog.Opening{AfterDays: 7}},
	{ID: "c3", Order: 3, Title: "Empty too", Opens: catalog.Opening{At: noon}},
}

func courseRoundTrip(t *testing.T, f *fixture) {
	c := course("c")
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertCourse(ctx, c,
			chapters)
	})
	got, err := f.Course(t.Context(), "c")
	equal(t, got, err, c)
	several, err := f.CoursesByID(t.Context(), []string{"none", "c", "C"})
	equal(t, several, err, []catalog.Course{c})
	content, err := f.CourseContent(t.Context(), "c")
	equal(t, content, err, chapters)
	lectures, err := f.LectureIDs(t.Context(), "c")
	equal(t, lectures, err, []string{"l1", "l2"})

	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.Course(ctx, "c")
		equal(t, got, err, c)
		return nil
	})
}

func courseLimits(t *testing.T, f *fixture) {
	c := course("c")
	c.ID = long(10)
	c.Title = long(catalog.MaxCourseTitle)
	c.Description = long(catalog.MaxCourseDescription)
	c.Thumbnail = long(50) + ".png"
	c.Price, c.Discount = 1<<62, 100_00
	lecture := catalog.Lecture{Title: long(catalog.MaxCourseTitle),
		Minutes: catalog.MaxLectureMinutes, URL: long(catalog.MaxLectureURL)}
	content := []catalog.Chapter{{ID: long(catalog.MaxContentID),
		Title:    long(catalog.MaxCourseTitle),
		Lectures: slices.Repeat([]catalog.Lecture{lecture}, catalog.MaxLectures)}}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertCourse(ctx, c,
			content)
	})
	got, err := f.Course(t.Context(), c.ID)
	equal(t, got, err, c)
	gotContent, err := f.CourseContent(t.Context(), c.ID)
	equal(t, gotContent, err, content)
}

func courseMissing(t *testing.T, f *fixture) {
	for _, id := range []string{"", "nobody", "'; DROP TABLE courses; --", "\x00", "\xff\xfe",
		long(500)} {
		got, err := f.Course(t.Context(), id)
		missing(t, got, err)
		content, err := f.CourseContent(t.Context(), id)
		missing(t, content, err)
		lectures, err := f.LectureIDs(t.Context(), id)
		missing(t, lectures, err)
	}
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.AddToStudentCount(ctx,
				"nobody", 1)
		})
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.AddToStudentCount(ctx,
				"nobody", -1)
		})
}

func courseDuplicate(t *testing.T, f *fixture) {
	f.add(course("c"))
	other := course("c")
	other.Title = "Another"
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertCourse(ctx, other,
				chapters)
		})
	got, err := f.Course(t.Context(), "c")
	equal(t, got, err, course("c"))
	content, err := f.CourseContent(t.Context(), "c")
	equal(t, content, err, nil)
	lectures, err := f.LectureIDs(t.Context(), "c")
	equal(t, lectures, err, nil)
}

func courseIDs(t *testing.T, f *fixture) {
	f.add(course("id"), course("Id"), course("íd"))
	for _, id := range []string{"id", "Id", "íd"} {
		got, err := f.Course(t.Context(), id)
		equal(t, got, err, course(id))
	}
	for _, id := range []string{"id ", " id", "ID", "id\t", "id\x00", "i\u0301d"} {
		got, err := f.Course(t.Context(), id)
		missing(t, got, err)
	}
	if err := f.try(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertCourse(ctx,
			course("blank "), nil)
	}); err == nil {
		t.Error(
			"an id with a space at its end was stored; some engines cannot distinguish it from " +
				"the same id without the space")
	}
}

func courseList(t *testing.T, f *fixture) {
	list, err := f.publishedCourses(t.Context())
	equal(t, list, err, nil)

	a := course("a")
	b := course("b")
	c := course("c")
	draft := course("d")
	draft.Published = false
	c.CreatedAt = noon.Add(-time.Microsecond)
	f.add(b, draft, a, c)
	list, err = f.publishedCourses(t.Context())
	equal(t, list, err, []catalog.Course{c, a, b})
	got, err := f.Course(t.Context(), "d")
	equal(t, got, err, draft)
}

func courseEducator(t *testing.T, f *fixture) {
	c := course("c")
	check := func(p core.Person) {
		t.Helper()
		c.Educator = p
		got, err := f.Course(t.Context(), "c")
		equal(t, got, err, c)
		list, err := f.publishedCourses(t.Context())
		equal(t, list, err, []catalog.Course{c})
	}
	f.add(c)
	check(core.Person{ID: "educator", Name: core.UnknownUser})
	f.add(user("educator"))
	check(core.Person{ID: "educator", Name: "Name of educator",
		ImageURL: "https://img.example.com/educator"})
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ScrubUser(ctx,
				"educator", noon)
		})
	check(core.Person{ID: "educator", Name: core.DeletedUser})
}

func courseCount(t *testing.T, f *fixture) {
	f.add(course("c"), course("other"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToStudentCount(ctx,
			"c", 1)
	})
	want := course("c")
	want.Students++
	got, err := f.Course(t.Context(), "c")
	equal(t, got, err, want)
	got, err = f.Course(t.Context(), "other")
	equal(t, got, err, course("other"))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToStudentCount(ctx,
			"c", -1)
	})
	got, err = f.Course(t.Context(), "c")
	equal(t, got, err, course("c"))
}

func courseEdit(t *testing.T, f *fixture) {
	f.add(course("c"), course("other"))
	want := course("c")
	want.Title = "Another"
	want.Description = "New"
	want.Price = 1_00
	want.Discount = 0
	want.Published = false
	want.Terms = catalog.Terms{Certificate: catalog.CertificateTerms{Assignments: true}}
	want.Metadata = core.Metadata{"lang": long(core.MaxMetadataValue), "empty": "",
		"signs": "\x01\\\"'<&> \u2028"}
	want.Lectures = 12
	want.Minutes = 345
	want.UpdatedAt = noon.Add(time.Minute)
	given := want // with changes that UpdateCourse must not store
	given.Thumbnail = "other.png"
	given.Students = 99
	given.CreatedAt = noon.Add(time.Hour)
	given.Educator, given.Ratings = core.Person{ID: "other"}, catalog.Ratings{}
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateCourse(ctx,
				given)
		})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.UpdateContent(ctx, "c",
			chapters)
	})
	want.Version++
	check := func() {
		t.Helper()
		got, err := f.Course(t.Context(), "c")
		equal(t, got, err, want)
	}
	check()
	content, err := f.CourseContent(t.Context(), "c")
	equal(t, content, err, chapters)

	given.Title = "Stale"
	for _, version := range []int64{0, 1, 3} { // the stored one is 2
		given.Version = version
		f.reports(false,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.UpdateCourse(ctx,
					given)
			})
	}
	check()
	given.Version = 2
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateCourse(ctx,
				given)
		})
	want.Title, want.Version = "Stale", 3
	check()
	got, err := f.Course(t.Context(), "other")
	equal(t, got, err, course("other"))
	content, err = f.CourseContent(t.Context(), "other")
	equal(t, content, err, nil)

	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateCourse(ctx,
				course("nobody"))
		})
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.UpdateContent(ctx, "nobody",
				chapters)
		})
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.MarkCourseChanged(ctx,
				"nobody")
		})
}

func courseLock(t *testing.T, f *fixture) {
	f.add(course("c"))
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.LockCourse(ctx, "c") })
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.LockCourse(ctx, "C") })
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.LockRequirements(ctx) })
	got, err := f.Course(t.Context(), "c")
	equal(t, got, err, course("c"))
}

func courseRevision(t *testing.T, f *fixture) {
	last, err := f.CatalogueRevision(t.Context())
	equal(t, last, err, catalog.Revision{})
	moved := func(what string) {
		t.Helper()
		now, err := f.CatalogueRevision(t.Context())
		if err != nil || now == last {
			t.Errorf("after %s the revision is still %+v (%v)", what, now, err)
		}
		last = now
	}
	f.add(course("c"))
	moved("the first course")
	f.add(course("d"))
	moved("the second course")
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToStudentCount(ctx,
			"c", 1)
	})
	moved("an enrolment")
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToStudentCount(ctx,
			"c", -1)
	})
	moved("the end of an enrolment")
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.MarkCoursesChanged(ctx,
				"educator")
		})
	moved("a change of the educator")
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.MarkCourseChanged(ctx, "c") })
	moved("a touch")
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateCourse(ctx,
				course("c"))
		})
	moved("an edit")

	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.MarkCoursesChanged(ctx,
				"nobody")
		})
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertCourse(ctx, course("d"),
				nil)
		})
	now, err := f.CatalogueRevision(t.Context())
	equal(t, now, err, last)
}

func courseTimes(t *testing.T, f *fixture) {
	c := course("c")
	// The nanoseconds and the zone are lost.
	c.CreatedAt = noon.Add(999 * time.Nanosecond).In(time.FixedZone("IST", 19_800))
	c.UpdatedAt = time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	f.add(c)
	got, err := f.Course(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	if got.CreatedAt != noon || got.UpdatedAt != c.UpdatedAt {
		t.Errorf("times are %v and %v, want %v and %v", got.CreatedAt, got.UpdatedAt, noon,
			c.UpdatedAt)
	}
}

// publishedCourses lists all published courses, the oldest first.
func (f *fixture) publishedCourses(ctx context.Context) ([]catalog.Course, error) {
	return f.Courses(ctx, catalog.CourseQuery{}, core.WordSearch{}, allRows)
}
