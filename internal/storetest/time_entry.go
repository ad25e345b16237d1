package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

var timeEntryTests = []test{
	{"an entry is read as it was stored, with the longest texts", timeEntryRoundTrip},
	{"there is one entry for a user, day, page and path", timeEntryUnique},
	{"the entries of a day are counted for each user and day", timeEntryPlaces},
	{"the row of a day is inserted once, locked, and deleted with its user", timeDays},
	{"time is added only to the entry of its day, page and path", timeEntryAdd},
	{"time is summed by page and path, over all days", timeEntryByPlace},
	{"a page and path have their last visit, over all days", timeEntryLastVisit},
	{"time is summed by day and page, from a day on", timeEntryByDay},
	{"sums may be larger than the maximum of an entry", timeEntryLargeSums},
	{"the courses of entries have the fields that analytics need", timeEntryCourses},
	{"entries are deleted with their user", timeEntryDelete},
	{"of concurrent inserts one succeeds, and concurrent additions are summed", timeEntryRace},
}

// today is the day of most entries.
var today = time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)

// timeEntry returns an entry of "student" of today, with a value in every field.
func timeEntry(page, path string) study.TimeEntry {
	return study.TimeEntry{UserID: "student", Day: today, LastVisit: today.Add(9 * time.Hour),
		Page: page, Path: path,
		CourseID: "course", ChapterID: "chapter", Spent: study.Spent{Time: 1_500, Visits: 2}}
}

// overAll returns an entry in the form of a sum over all days.
func overAll(e study.TimeEntry, spent study.Spent) study.TimeEntry {
	e.Day, e.Spent = time.Time{}, spent
	return e
}

// times checks the sums of a user by page and path, in any order.
func (f *fixture) times(userID string, want ...study.TimeEntry) {
	f.t.Helper()
	got, err := f.TimeByPlace(f.t.Context(), userID)
	equal(f.t, sorted(got), err, sorted(want))
}

// sorted sorts a list by day, page and path in place, and returns it.
func sorted(list []study.TimeEntry) []study.TimeEntry {
	slices.SortFunc(list, func(a, b study.TimeEntry) int {
		return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Page, b.Page),
			cmp.Compare(a.Path, b.Path))
	})
	return list
}

// known checks how many entries an entry's day has, and whether the entry exists.
func (f *fixture) known(e study.TimeEntry, places int, known bool) {
	f.t.Helper()
	got, err := f.TimeDayOf(f.t.Context(), e)
	if err != nil || got.Places != places || got.Known != known {
		f.t.Errorf("%q %q: %+v (%v), want %d places, known %v", e.Page, e.Path, got, err, places,
			known)
	}
}

func timeEntryRoundTrip(t *testing.T, f *fixture) {
	longest := timeEntry(long(study.MaxPageName), long(study.MaxPath))
	longest.UserID = long(47) + "abc"
	longest.CourseID = long(10)
	longest.ChapterID = long(catalog.MaxContentID)
	longest.Spent = study.Spent{Time: 1 << 60, Visits: 1 << 60}
	empty := study.TimeEntry{UserID: "empty", Day: today, LastVisit: today}
	for _, e := range []study.TimeEntry{longest, empty,
		timeEntry("Quiz & <co>", "/quiz/é%2F?a=\"b\"#\\")} {
		f.add(e)
		f.times(e.UserID, overAll(e, e.Spent))
		got, err := f.TimeByDay(t.Context(), e.UserID, today)
		equal(t, got, err,
			[]study.TimeEntry{{UserID: e.UserID, Day: today, Page: e.Page, Spent: e.Spent}})
	}
}

func timeEntryUnique(t *testing.T, f *fixture) {
	e := timeEntry("page", "/path")
	f.add(e)
	same := timeEntry("page", "/path")
	same.CourseID = "another"
	same.ChapterID = ""
	same.Spent = study.Spent{}
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertTimeEntry(ctx, same) })
	person, day := e, e
	person.UserID, day.Day = "Student", today.AddDate(0, 0, 1)
	others := []study.TimeEntry{timeEntry("page/", "path"), timeEntry("Page", "/path"),
		timeEntry("page", "/Path"), timeEntry("page", "/path/"), timeEntry("pagé", "/path")}
	for _, other := range append(others, person, day) {
		f.add(other)
	}
	// The entries of both days are one sum.
	want := []study.TimeEntry{overAll(e, study.Spent{Time: 3_000, Visits: 4})}
	for _, other := range others {
		want = append(want, overAll(other, other.Spent))
	}
	f.times("student", want...)
	f.times("Student", overAll(person, person.Spent))
}

func timeEntryPlaces(t *testing.T, f *fixture) {
	e := timeEntry("page", "/path")
	f.known(e, 0, false)
	f.add(e)
	f.known(e, 1, true)
	f.known(timeEntry("page", "/other"), 1, false)
	f.add(timeEntry("page", "/other"))
	f.known(e, 2, true)
	another, tomorrow := e, e
	another.UserID, tomorrow.Day = "another", today.AddDate(0, 0, 1)
	f.known(another, 0, false)
	f.known(tomorrow, 0, false)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.TimeDayOf(ctx, e)
		equal(t, got, err, study.TimeDay{Places: 2, Known: true, Time: 3_000})
		return nil
	})
}

func timeEntryAdd(t *testing.T, f *fixture) {
	e := timeEntry("page", "/path")
	add := func(e study.TimeEntry, want bool) {
		t.Helper()
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.AddTime(ctx, e) })
	}
	add(e, false)
	f.add(e)
	for _, change := range []func(*study.TimeEntry){
		func(e *study.TimeEntry) { e.UserID = "another" },
		func(e *study.TimeEntry) { e.Day = today.AddDate(0, 0, 1) },
		func(e *study.TimeEntry) { e.Page = "Page" },
		func(e *study.TimeEntry) { e.Path = "/path/" },
	} {
		other := e
		change(&other)
		add(other, false)
	}
	more := e
	more.CourseID = ""
	more.ChapterID = ""
	more.Spent = study.Spent{Time: 0, Visits: 1}
	add(more, true)
	more.Spent = study.Spent{Time: 250, Visits: 3}
	add(more, true)
	f.times("student", overAll(e, study.Spent{Time: 1_750, Visits: 6}))
}

func timeEntryByPlace(t *testing.T, f *fixture) {
	f.times("student")
	learned, quizzed := timeEntry("Player", "/player/course"),
		timeEntry("Quiz", "/quiz/course/chapter")
	learned.ChapterID = ""
	for i := range 3 {
		e := learned
		e.Day = today.AddDate(0, 0, -i)
		e.Time = core.Milliseconds(100 * i)
		f.add(e)
	}
	other := timeEntry("Quiz", "/quiz/course/chapter")
	other.UserID = "another"
	f.add(quizzed, other)
	f.times("student", overAll(learned, study.Spent{Time: 300, Visits: 6}),
		overAll(quizzed, quizzed.Spent))
	f.times("another", overAll(other, other.Spent))
	f.times("nobody")
}

func timeEntryLastVisit(t *testing.T, f *fixture) {
	e := timeEntry("page", "/path")
	e.Day, e.LastVisit = today.AddDate(0, 0, 1),
		today.AddDate(0, 0, 1).Add(time.Hour+time.Microsecond)
	f.add(timeEntry("page", "/path"), e)
	f.times("student", overAll(e, study.Spent{Time: 3_000, Visits: 4}))
	e.LastVisit = e.LastVisit.Add(time.Minute)
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.AddTime(ctx, e) })
	f.times("student", overAll(e, study.Spent{Time: 4_500, Visits: 6}))
	f.do(deletePrivate("timeEntries", "student"))
	e.LastVisit = time.Time{} // like rows of before the column existed
	f.add(timeEntry("page", "/path"), e)
	e.LastVisit = e.Day
	f.times("student", overAll(e, study.Spent{Time: 3_000, Visits: 4}))
}

func timeEntryByDay(t *testing.T, f *fixture) {
	for i, page := range []string{"a", "a", "b", "B"} {
		for day := range 4 {
			e := timeEntry(page, fmt.Sprint("/", i))
			e.Day = today.AddDate(0, 0, -day)
			f.add(e)
		}
	}
	other := timeEntry("a", "/")
	other.UserID = "another"
	f.add(other)
	got, err := f.TimeByDay(t.Context(), "student", today.AddDate(0, 0, -1))
	var want []study.TimeEntry
	for _, day := range []time.Time{today, today.AddDate(0, 0, -1)} {
		want = append(want, study.TimeEntry{UserID: "student", Day: day, Page: "a",
			Spent: study.Spent{Time: 3_000, Visits: 4}},
			study.TimeEntry{UserID: "student", Day: day, Page: "b",
				Spent: study.Spent{Time: 1_500, Visits: 2}},
			study.TimeEntry{UserID: "student", Day: day, Page: "B",
				Spent: study.Spent{Time: 1_500, Visits: 2}})
	}
	equal(t, sorted(got), err, sorted(want))
	got, err = f.TimeByDay(t.Context(), "student", today.AddDate(0, 0, 1))
	equal(t, got, err, nil)
}

func timeEntryLargeSums(t *testing.T, f *fixture) {
	e := timeEntry("page", "/path")
	for i := range 5 {
		e.Day = today.AddDate(0, 0, -i)
		e.Spent = study.Spent{Time: 1 << 60, Visits: 1 << 60}
		f.add(e)
	}
	f.times("student", overAll(e, study.Spent{Time: 5 << 60, Visits: 5 << 60}))
}

func timeEntryCourses(t *testing.T, f *fixture) {
	chapters := []catalog.Chapter{{ID: "one", Order: 1, Title: "One",
		Lectures: []catalog.Lecture{}},
		{ID: "two", Order: 2, Title: "Two", Lectures: []catalog.Lecture{}}}
	for _, id := range []string{"learned", "quizzed", "draft", "of nobody"} {
		c := course(id)
		c.Published = id != "draft"
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertCourse(ctx, c,
				chapters)
		})
	}
	spend := func(userID, courseID, chapterID string) {
		e := timeEntry("page", "/"+courseID+"/"+chapterID)
		e.UserID = userID
		e.CourseID = courseID
		e.ChapterID = chapterID
		f.add(e)
	}
	for _, id := range []string{"learned", "quizzed", "draft", "never made", ""} {
		spend("student", id, "")
	}
	spend("student", "quizzed", "two")
	spend("student", "quizzed", "never made")
	spend("another", "of nobody", "one")
	f.add(study.Enrollment{UserID: "student", CourseID: "draft", PurchaseID: "p",
		CreatedAt: noon},
		study.Enrollment{UserID: "another", CourseID: "learned", PurchaseID: "p",
			CreatedAt: noon})
	brief := func(id string) study.TimedCourse {
		c := course(id)
		return study.TimedCourse{Course: catalog.Course{ID: id, Title: c.Title,
			Thumbnail: c.Thumbnail, Published: true, Educator: core.Person{ID: "educator"}}}
	}
	draft, quizzed := brief("draft"), brief("quizzed")
	draft.Course.Published = false
	draft.Enrolled = true
	quizzed.Content = chapters
	got, err := f.TimedCourses(t.Context(), "student")
	slices.SortFunc(got,
		func(a, b study.TimedCourse) int { return cmp.Compare(a.Course.ID, b.Course.ID) })
	equal(t, got, err, []study.TimedCourse{draft, brief("learned"), quizzed})
	got, err = f.TimedCourses(t.Context(), "nobody")
	equal(t, got, err, nil)
}

func timeEntryDelete(t *testing.T, f *fixture) {
	for i := range 3 {
		f.add(timeEntry("page", fmt.Sprint("/", i)))
	}
	other := timeEntry("page", "/0")
	other.UserID = "students"
	f.add(other)
	remove := deletePrivate("timeEntries", "student")
	f.do(remove)
	f.do(remove) // deleting a missing row is not an error
	f.times("student")
	f.times("students", overAll(other, other.Spent))
	f.add(timeEntry("page", "/0"))
}

func timeEntryRace(t *testing.T, f *fixture) {
	e := timeEntry("page", "/path")
	if wins := f.race(20, func(ctx context.Context, tx learning.Tx, _ int) (bool, error) {
		return true, tx.InsertTimeEntry(ctx, e)
	}); wins != 1 {
		t.Errorf("%d inserts succeeded", wins)
	}
	if wins := f.race(50,
		func(ctx context.Context, tx learning.Tx, _ int) (bool, error) {
			return tx.AddTime(ctx,
				e)
		}); wins != 50 {
		t.Errorf("%d additions succeeded", wins)
	}
	f.times("student", overAll(e, study.Spent{Time: 51 * 1_500, Visits: 51 * 2}))
}

func timeDays(t *testing.T, f *fixture) {
	has := func(userID string, day time.Time, want bool) {
		t.Helper()
		got, err := f.HasTimeDay(t.Context(), userID, day)
		equal(t, got, err, want)
	}
	insert := func(userID string, day time.Time) func(context.Context, learning.Tx) error {
		return func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertTimeDay(ctx,
				userID, day)
		}
	}
	has("student", today, false)
	f.do(insert("student", today))
	f.do(insert("Student", today))
	f.fails(core.ErrDuplicate, insert("student", today))
	has("student", today, true)
	has("student", today.AddDate(0, 0, 1), false)
	for user, want := range map[string]bool{"student": true, "other": false} {
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.LockTimeDay(ctx,
					user, today)
			})
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteTimeDays(ctx,
			"student")
	})
	has("student", today, false)
	has("Student", today, true)
}
