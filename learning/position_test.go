package learning_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning"
)

// save saves a position, which must succeed.
func (w *fixture) save(t *testing.T, who learning.Actor, course, lecture string, seconds float64) {
	t.Helper()
	if err := w.Platform.SavePosition(ctx(), who, course, lecture, seconds); err != nil {
		t.Fatal(err)
	}
}

func TestSavePosition_ShownInTheCourseAndInLists(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		first := w.publish(t, "first", chapter("1", "a", "b"), chapter("2", "c"))
		second := w.publish(t, "second", chapter("1", "a"))
		ada, bob := w.enrolls(t, "ada", first), w.enrolls(t, "bob", first)
		w.Clock.Advance(time.Hour)
		w.enrolls(t, "ada", second)
		w.learns(t, ada, first, false, "a", "c")
		w.save(t, ada, first, "a", 12.3456)
		w.Clock.Advance(time.Minute)
		w.save(t, ada, first, "c", 700)
		w.save(t, ada, first, "c", 0)
		w.save(t, ada, first, "b", 59.5)
		w.save(t, bob, first, "a", 1)

		c, err := w.Platform.EnrolledCourse(ctx(), ada, first)
		want := map[string]learning.Milliseconds{"a": 12_346, "b": 59_500, "c": 0}
		if diff := cmp.Diff(want, c.Positions); diff != "" || err != nil ||
			c.LastLectureID != "b" || !c.LastActiveAt.Equal(w.Clock.Now()) {
			t.Errorf("last lecture %q at %v (%v): %s", c.LastLectureID, c.LastActiveAt, err, diff)
		}
		w.wantCourses(t, ada, (*learning.Platform).EnrolledCourses, "first 2/3 b", "second 0/1 -")
		w.wantCourses(t, ada, (*learning.Platform).RecentCourses, "first 2/3 b", "second 0/1 -")
		w.Clock.Advance(time.Minute)
		w.save(t, ada, second, "a", 1)
		w.wantCourses(t, ada, (*learning.Platform).EnrolledCourses, "first 2/3 b", "second 0/1 a")
		w.wantCourses(t, ada, (*learning.Platform).RecentCourses, "second 0/1 a", "first 2/3 b")
		w.wantCourses(t, bob, (*learning.Platform).RecentCourses, "first 0/3 a")

		// A course in which the user was just enrolled comes first.
		w.Clock.Advance(time.Minute)
		third := w.publish(t, "third", chapter("1", "a"))
		w.enrolls(t, "ada", third)
		w.wantCourses(t, ada, (*learning.Platform).RecentCourses, "third 0/1 -", "second 0/1 a",
			"first 2/3 b")

		// Removed lectures count no more, and are no last lecture. They do if they come back.
		w.revise(t, first, chapter("1", "a", "d"))
		w.wantCourses(t, ada, (*learning.Platform).EnrolledCourses, "first 1/2 -", "second 0/1 a",
			"third 0/1 -")
		if c, err := w.Platform.EnrolledCourse(ctx(), ada, first); err != nil ||
			c.LastLectureID != "" {
			t.Errorf("a removed lecture %q is the last one (%v)", c.LastLectureID, err)
		}
		if err := w.Platform.SavePosition(ctx(), ada, first, "b", 1); !errors.Is(err,
			learning.ErrInvalidLecture) {
			t.Errorf("a position in a removed lecture: %v", err)
		}
		w.revise(t, first, chapter("1", "a", "b", "c"))
		w.wantCourses(t, ada, (*learning.Platform).EnrolledCourses, "first 2/3 b", "second 0/1 a",
			"third 0/1 -")
	})
}

// pageOfCourses reads a page of the courses of a user.
type pageOfCourses = func(*learning.Platform, context.Context, learning.Actor,
	learning.PageRequest) (learning.Page[learning.EnrolledCourse], error)

// wantCourses checks the list of the courses of a user: id, completed and all lectures, and the
// last lecture. It reads it in pages of one row, too.
func (w *fixture) wantCourses(
	t *testing.T, who learning.Actor, read pageOfCourses, want ...string,
) {
	t.Helper()
	for _, limit := range []int{1, 10} {
		var got []string
		for c, err := range learning.All(
			func(page learning.PageRequest) (learning.Page[learning.EnrolledCourse], error) {
				page.Limit = limit
				return read(w.Platform, ctx(), who, page)
			}) {
			must(t, err)
			last := c.LastLectureID
			if last == "" {
				last = "-"
			}
			got = append(got, fmt.Sprintf("%s %d/%d %s", c.ID, c.CompletedLectures, c.Lectures,
				last))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d: %s", limit, diff)
		}
	}
}

func TestSavePosition_Refuses(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.publish(t, "course", chapter("1", "a"))
		draft := w.publish(t, "draft", chapter("1", "a"))
		ada, bob := w.enrolls(t, "ada", course), w.Person(t, "bob", learning.Student)
		w.enrolls(t, "ada", draft)
		w.exec(t, "UPDATE courses SET is_published = 0 WHERE id = ?", draft)
		for _, c := range []struct {
			actor           learning.Actor
			course, lecture string
			seconds         float64
			want            error
		}{
			{learning.Actor{}, course, "a", 1, learning.ErrUnauthenticated},
			{bob, course, "a", 1, learning.ErrNotPurchased},
			{bob, course, "nothing", 1, learning.ErrNotPurchased},
			{bob, draft, "a", 1, learning.ErrCourseNotFound},
			{ada, "unknown", "a", 1, learning.ErrCourseNotFound},
			{ada, course + " ", "a", 1, learning.ErrCourseNotFound},
			{ada, course, "b", 1, learning.ErrInvalidLecture},
			{ada, course, "A", 1, learning.ErrInvalidLecture},
			{ada, course, "a ", 1, learning.ErrInvalidLecture},
			{ada, course, "", 1, learning.ErrInvalidLecture},
			{ada, course, "\xff", 1, learning.ErrInvalidLecture},
			{ada, course, "a\x00", 1, learning.ErrInvalidLecture},
			{ada, course, strings.Repeat("a", 10_000), 1, learning.ErrInvalidLecture},
			{bob, course, "\xff", 1, learning.ErrNotPurchased},
			{learning.Actor{UserID: "eve "}, course, "a", 1, learning.ErrNotPurchased},
			{ada, course, "a", -1, learning.ErrInvalidRequest},
			{ada, course, "a", math.NaN(), learning.ErrInvalidRequest},
			{ada, course, "a", learning.MaxPosition + 1, learning.ErrInvalidRequest},
			{ada, course, "a", learning.MaxPosition, nil},
			{ada, draft, "a", 1, nil}, // the enrolment in a draft stays
		} {
			err := w.Platform.SavePosition(ctx(), c.actor, c.course, c.lecture, c.seconds)
			if !errors.Is(err, c.want) {
				t.Errorf("%q saves %v in %q of %q: %v, want %v", c.actor.UserID, c.seconds,
					c.lecture, c.course, err, c.want)
			}
		}
		if n := w.count(t, "lecture_positions"); n != 2 {
			t.Errorf("%d positions are stored, want 2", n)
		}
		if n := w.count(t, "enrollments WHERE last_active_at IS NOT NULL"); n != 2 {
			t.Errorf("%d enrolments are in use, want 2", n)
		}
	})
}

// Calls that share a transaction do not share their errors, and each call that succeeds has stored
// its position.
func TestSavePosition_ConcurrentCallsAreStoredOrRefusedEachByItself(t *testing.T) {
	const students, rounds = 24, 4
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		both := []*fixture{w, w.otherInstance(t)}
		courses := []string{w.publish(t, "one", chapter("1", "a", "b")),
			w.publish(t, "two", chapter("1", "a", "b"))}
		var all []learning.Actor
		for i := range students {
			name := fmt.Sprint("student-", i)
			who := w.Person(t, name, learning.Student)
			if i%6 != 5 { // the others are not enrolled
				w.enrolls(t, name, courses[0])
				w.enrolls(t, name, courses[1])
			}
			all = append(all, who)
		}
		want := map[string]int{}
		errs := concurrently(students*rounds*2, func(i int) error {
			who, course := all[i%students], courses[i/students%2]
			lecture := []string{"a", "b", "a", "gone"}[i/students/2%rounds]
			return both[i%2].Platform.SavePosition(ctx(), who, course, lecture, 5)
		})
		for i := range students * rounds * 2 {
			switch {
			case i%students%6 == 5:
				want[learning.ErrNotPurchased.Message]++
			case i/students/2%rounds == 3:
				want[learning.ErrInvalidLecture.Message]++
			default:
				want[""]++
			}
		}
		if diff := cmp.Diff(want, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.count(t, "lecture_positions WHERE milliseconds = 5000"); n != 20*4 {
			t.Errorf("%d positions, want %d", n, 20*4)
		}
		if n := w.count(t, "enrollments WHERE last_active_at IS NOT NULL"); n != 20*2 {
			t.Errorf("%d enrolments are in use, want %d", n, 20*2)
		}
	})
}

// A position that is saved while the user is deleted, or while the enrolment ends, is refused or
// deleted too.
func TestSavePosition_RaceWithDeletionAndEnd(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		other := w.otherInstance(t)
		course := w.publish(t, "course", chapter("1", "a"))
		boss := w.Person(t, "boss", learning.Admin)
		w.Clock.Advance(time.Minute) // the deletion is later than the record
		for round := range 8 {
			name := fmt.Sprint("ada-", round)
			ada := w.enrolls(t, name, course)
			w.Clock.Advance(time.Minute)
			errs := concurrently(5, func(i int) error {
				if i == 4 && round%2 == 0 {
					return w.Platform.System().ApplyIdentityEvent(ctx(), learning.IdentityEvent{
						Type: learning.UserDeleted, SentAt: w.Clock.Now(),
						User: learning.IdentityUser{ID: name}})
				}
				if i == 4 {
					return w.Platform.EndEnrollment(ctx(), boss, name, course)
				}
				return []*fixture{w, other}[i%2].Platform.SavePosition(ctx(), ada, course, "a", 1)
			})
			refused := learning.ErrUnauthenticated
			if round%2 == 1 {
				refused = learning.ErrNotPurchased
			}
			for i, err := range errs {
				if err != nil && (i == 4 || !errors.Is(err, refused)) {
					t.Errorf("round %d, call %d: %v", round, i, err)
				}
			}
		}
		for _, name := range []string{"lost last lectures", "positions of deleted users",
			"last lectures of deleted users"} {
			if n := w.count(t, invariants.Courses[name]); n != 0 {
				t.Errorf("%s: %d", name, n)
			}
		}
	})
}

// The positions are there again after a new enrolment, whose use begins anew.
func TestSavePosition_StaysWhenTheEnrolmentEnds(t *testing.T) {
	w := newFixture(t, sqlite(t))
	course := w.publish(t, "course", chapter("1", "a"))
	ada, boss := w.enrolls(t, "ada", course), w.Person(t, "boss", learning.Admin)
	w.save(t, ada, course, "a", 30)
	must(t, w.Platform.EndEnrollment(ctx(), boss, "ada", course))
	if err := w.Platform.SavePosition(ctx(), ada, course, "a", 40); !errors.Is(err,
		learning.ErrNotPurchased) {
		t.Errorf("after the end: %v", err)
	}
	_, err := w.Platform.GrantEnrollment(ctx(), boss, "ada", course, "")
	must(t, err)
	c, err := w.Platform.EnrolledCourse(ctx(), ada, course)
	must(t, err)
	if c.Positions["a"] != 30_000 || c.LastLectureID != "" || !c.LastActiveAt.IsZero() {
		t.Errorf("position %v, last lecture %q at %v", c.Positions["a"], c.LastLectureID,
			c.LastActiveAt)
	}
}
