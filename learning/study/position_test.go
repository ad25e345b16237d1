package study_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

func TestSavePosition_ShownInTheCourseAndInLists(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		first := w.Publish(t, "first", roomtest.Chapter("1", "a", "b"), roomtest.Chapter("2", "c"))
		second := w.Publish(t, "second", roomtest.Chapter("1", "a"))
		ada, bob := w.Enrolls(t, "ada", first), w.Enrolls(t, "bob", first)
		w.Clock.Advance(time.Hour)
		w.Enrolls(t, "ada", second)
		w.Learns(t, ada, first, false, "a", "c")
		w.Save(t, ada, first, "a", 12.3456)
		w.Clock.Advance(time.Minute)
		w.Save(t, ada, first, "c", 700)
		w.Save(t, ada, first, "c", 0)
		w.Save(t, ada, first, "b", 59.5)
		w.Save(t, bob, first, "a", 1)

		c, err := w.Platform.Study.EnrolledCourse(ctx(), ada, first)
		want := map[string]core.Milliseconds{"a": 12_346, "b": 59_500, "c": 0}
		if diff := cmp.Diff(want, c.Positions); diff != "" || err != nil ||
			c.LastLectureID != "b" || !c.LastActiveAt.Equal(w.Clock.Now()) {
			t.Errorf("last lecture %q at %v (%v): %s", c.LastLectureID, c.LastActiveAt, err, diff)
		}
		w.WantCourses(t, ada, roomtest.EnrolledCourses, "first 2/3 b", "second 0/1 -")
		w.WantCourses(t, ada, roomtest.RecentCourses, "first 2/3 b", "second 0/1 -")
		w.Clock.Advance(time.Minute)
		w.Save(t, ada, second, "a", 1)
		w.WantCourses(t, ada, roomtest.EnrolledCourses, "first 2/3 b", "second 0/1 a")
		w.WantCourses(t, ada, roomtest.RecentCourses, "second 0/1 a", "first 2/3 b")
		w.WantCourses(t, bob, roomtest.RecentCourses, "first 0/3 a")

		// A course in which the user was just enrolled comes first.
		w.Clock.Advance(time.Minute)
		third := w.Publish(t, "third", roomtest.Chapter("1", "a"))
		w.Enrolls(t, "ada", third)
		w.WantCourses(t, ada, roomtest.RecentCourses, "third 0/1 -", "second 0/1 a",
			"first 2/3 b")

		// Removed lectures count no more, and are no last lecture. They do if they come back.
		w.Revise(t, first, roomtest.Chapter("1", "a", "d"))
		w.WantCourses(t, ada, roomtest.EnrolledCourses, "first 1/2 -", "second 0/1 a",
			"third 0/1 -")
		if c, err := w.Platform.Study.EnrolledCourse(ctx(), ada, first); err != nil ||
			c.LastLectureID != "" {
			t.Errorf("a removed lecture %q is the last one (%v)", c.LastLectureID, err)
		}
		if err := w.Platform.Study.SavePosition(ctx(), ada, first, "b", 1); !errors.Is(err,
			catalog.ErrInvalidLecture) {
			t.Errorf("a position in a removed lecture: %v", err)
		}
		w.Revise(t, first, roomtest.Chapter("1", "a", "b", "c"))
		w.WantCourses(t, ada, roomtest.EnrolledCourses, "first 2/3 b", "second 0/1 a",
			"third 0/1 -")
	})
}

func TestSavePosition_Refuses(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		draft := w.Publish(t, "draft", roomtest.Chapter("1", "a"))
		ada, bob := w.Enrolls(t, "ada", course), w.Person(t, "bob", core.Student)
		w.Enrolls(t, "ada", draft)
		w.Exec(t, "UPDATE courses SET is_published = 0 WHERE id = ?", draft)
		for _, c := range []struct {
			actor           learning.Actor
			course, lecture string
			seconds         float64
			want            error
		}{
			{learning.Actor{}, course, "a", 1, core.ErrUnauthenticated},
			{bob, course, "a", 1, study.ErrNotPurchased},
			{bob, course, "nothing", 1, study.ErrNotPurchased},
			{bob, draft, "a", 1, catalog.ErrCourseNotFound},
			{ada, "unknown", "a", 1, catalog.ErrCourseNotFound},
			{ada, course + " ", "a", 1, catalog.ErrCourseNotFound},
			{ada, course, "b", 1, catalog.ErrInvalidLecture},
			{ada, course, "A", 1, catalog.ErrInvalidLecture},
			{ada, course, "a ", 1, catalog.ErrInvalidLecture},
			{ada, course, "", 1, catalog.ErrInvalidLecture},
			{ada, course, "\xff", 1, catalog.ErrInvalidLecture},
			{ada, course, "a\x00", 1, catalog.ErrInvalidLecture},
			{ada, course, strings.Repeat("a", 10_000), 1, catalog.ErrInvalidLecture},
			{bob, course, "\xff", 1, study.ErrNotPurchased},
			{learning.Actor{UserID: "eve "}, course, "a", 1, study.ErrNotPurchased},
			{ada, course, "a", -1, core.ErrInvalidRequest},
			{ada, course, "a", math.NaN(), core.ErrInvalidRequest},
			{ada, course, "a", study.MaxPosition + 1, core.ErrInvalidRequest},
			{ada, course, "a", study.MaxPosition, nil},
			{ada, draft, "a", 1, nil}, // the enrolment in a draft stays
		} {
			err := w.Platform.Study.SavePosition(ctx(), c.actor, c.course, c.lecture, c.seconds)
			if !errors.Is(err, c.want) {
				t.Errorf("%q saves %v in %q of %q: %v, want %v", c.actor.UserID, c.seconds,
					c.lecture, c.course, err, c.want)
			}
		}
		if n := w.Count(t, "lecture_positions"); n != 2 {
			t.Errorf("%d positions are stored, want 2", n)
		}
		if n := w.Count(t, "enrollments WHERE last_active_at IS NOT NULL"); n != 2 {
			t.Errorf("%d enrolments are in use, want 2", n)
		}
	})
}

// Calls that share a transaction do not share their errors, and each call that succeeds has stored
// its position.
func TestSavePosition_ConcurrentCallsAreStoredOrRefusedEachByItself(t *testing.T) {
	const students, rounds = 24, 4
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		both := []*roomtest.World{w, w.OtherInstance(t)}
		courses := []string{w.Publish(t, "one", roomtest.Chapter("1", "a", "b")),
			w.Publish(t, "two", roomtest.Chapter("1", "a", "b"))}
		var all []learning.Actor
		for i := range students {
			name := fmt.Sprint("student-", i)
			who := w.Person(t, name, core.Student)
			if i%6 != 5 { // the others are not enrolled
				w.Enrolls(t, name, courses[0])
				w.Enrolls(t, name, courses[1])
			}
			all = append(all, who)
		}
		want := map[string]int{}
		errs := roomtest.Concurrently(students*rounds*2, func(i int) error {
			who, course := all[i%students], courses[i/students%2]
			lecture := []string{"a", "b", "a", "gone"}[i/students/2%rounds]
			return both[i%2].Platform.Study.SavePosition(ctx(), who, course, lecture, 5)
		})
		for i := range students * rounds * 2 {
			switch {
			case i%students%6 == 5:
				want[study.ErrNotPurchased.Message]++
			case i/students/2%rounds == 3:
				want[catalog.ErrInvalidLecture.Message]++
			default:
				want[""]++
			}
		}
		if diff := cmp.Diff(want, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Count(t, "lecture_positions WHERE milliseconds = 5000"); n != 20*4 {
			t.Errorf("%d positions, want %d", n, 20*4)
		}
		if n := w.Count(t, "enrollments WHERE last_active_at IS NOT NULL"); n != 20*2 {
			t.Errorf("%d enrolments are in use, want %d", n, 20*2)
		}
	})
}

// A position that is saved while the user is deleted, or while the enrolment ends, is refused or
// deleted too.
func TestSavePosition_RaceWithDeletionAndEnd(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		boss := w.Person(t, "boss", core.Admin)
		w.Clock.Advance(time.Minute) // the deletion is later than the record
		for round := range 8 {
			name := fmt.Sprint("ada-", round)
			ada := w.Enrolls(t, name, course)
			w.Clock.Advance(time.Minute)
			errs := roomtest.Concurrently(5, func(i int) error {
				if i == 4 && round%2 == 0 {
					return w.Platform.System().ApplyIdentityEvent(ctx(), people.IdentityEvent{
						Type: people.UserDeleted, SentAt: w.Clock.Now(),
						User: people.IdentityUser{ID: name}})
				}
				if i == 4 {
					return w.Platform.Study.EndEnrollment(ctx(), boss, name, course)
				}
				return []*roomtest.World{w, other}[i%2].Platform.Study.SavePosition(ctx(), ada,
					course, "a", 1)
			})
			refused := core.ErrUnauthenticated
			if round%2 == 1 {
				refused = study.ErrNotPurchased
			}
			for i, err := range errs {
				if err != nil && (i == 4 || !errors.Is(err, refused)) {
					t.Errorf("round %d, call %d: %v", round, i, err)
				}
			}
		}
		for _, name := range []string{"lost last lectures", "positions of deleted users",
			"last lectures of deleted users"} {
			if n := w.Count(t, invariants.Courses[name]); n != 0 {
				t.Errorf("%s: %d", name, n)
			}
		}
	})
}

// The positions are there again after a new enrolment, whose use begins anew.
func TestSavePosition_StaysWhenTheEnrolmentEnds(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
	ada, boss := w.Enrolls(t, "ada", course), w.Person(t, "boss", core.Admin)
	w.Save(t, ada, course, "a", 30)
	roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), boss, "ada", course))
	if err := w.Platform.Study.SavePosition(ctx(), ada, course, "a", 40); !errors.Is(err,
		study.ErrNotPurchased) {
		t.Errorf("after the end: %v", err)
	}
	_, err := w.Platform.Study.GrantEnrollment(ctx(), boss,
		study.Grant{UserID: "ada", CourseID: course})
	roomtest.Must(t, err)
	c, err := w.Platform.Study.EnrolledCourse(ctx(), ada, course)
	roomtest.Must(t, err)
	if c.Positions["a"] != 30_000 || c.LastLectureID != "" || !c.LastActiveAt.IsZero() {
		t.Errorf("position %v, last lecture %q at %v", c.Positions["a"], c.LastLectureID,
			c.LastActiveAt)
	}
}
