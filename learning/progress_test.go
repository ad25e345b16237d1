package learning_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// learns completes lectures, one a second. Only the last may complete the course; want says
// whether it must.
func (w *fixture) learns(t *testing.T, student learning.Actor, courseID string, want bool,
	lectures ...string) {
	t.Helper()
	for i, l := range lectures {
		w.Clock.Advance(time.Second)
		completed, err := w.Platform.CompleteLecture(ctx(), student, courseID, l)
		if err != nil || completed != (want && i == len(lectures)-1) {
			t.Errorf("after lecture %s the course is completed: %v (%v)", l, completed, err)
		}
	}
}

// wantProgress checks the completed lectures, in their order, and whether the course is
// completed.
func (w *fixture) wantProgress(t *testing.T, student learning.Actor, courseID string,
	completed bool, lectures ...string) *learning.Progress {
	t.Helper()
	p, err := w.Platform.Progress(ctx(), student, courseID)
	if err != nil || p == nil {
		t.Fatalf("there is no progress (%v)", err)
	}
	if diff := cmp.Diff(append([]string{}, lectures...), p.Lectures); diff != "" ||
		p.Completed() != completed {
		t.Errorf("completed: %v, want %v; lectures (-want +got): %s", p.Completed(), completed,
			diff)
	}
	return p
}

func TestProgress_LecturesInOrderOfCompletion(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.publish(t, "course", chapter("1", "a", "b"), chapter("2"), chapter("3", "c"))
		ada, bob := w.enrolls(t, "ada", course), w.enrolls(t, "bob", course)
		if p, err := w.Platform.Progress(ctx(), ada, course); p != nil || err != nil {
			t.Errorf("before the first completion the progress is %+v (%v)", p, err)
		}
		w.learns(t, ada, course, false, "c", "a")
		p := w.wantProgress(t, ada, course, false, "c", "a")
		began := w.Clock.Now().Add(-time.Second)
		if !p.CreatedAt.Equal(began) || !p.UpdatedAt.Equal(w.Clock.Now()) ||
			!p.CompletedAt.IsZero() {
			t.Errorf("times %v, %v and %v", p.CreatedAt, p.UpdatedAt, p.CompletedAt)
		}
		w.learns(t, ada, course, true, "b")
		at := w.Clock.Now()
		again, err := w.Platform.CompleteLecture(ctx(), ada, course, "c")
		w.Clock.Advance(time.Hour)
		if done := w.wantProgress(t, ada, course, true, "c", "a", "b"); err != nil || !again ||
			!done.CompletedAt.Equal(at) || done.ID != p.ID {
			t.Errorf("completed %v at %v, want %v (%v); the id is %s, and was %s", again,
				done.CompletedAt, at, err, done.ID, p.ID)
		}
		if p, err := w.Platform.Progress(ctx(), bob, course); p != nil || err != nil {
			t.Errorf("another user's progress is %+v (%v)", p, err)
		}
	})
}

func TestCompleteLecture_ConcurrentCallsAreAllStored(t *testing.T) {
	const lectures, each = 12, 4
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		other := w.otherInstance(t)
		var ids []string
		for i := range lectures {
			ids = append(ids, fmt.Sprint("l", i))
		}
		course := w.publish(t, "course", chapter("1", ids...))
		ada := w.enrolls(t, "ada", course)
		errs := concurrently(lectures*each, func(i int) error {
			_, err := []*fixture{w, other}[i%2].Platform.CompleteLecture(ctx(), ada, course,
				ids[i/each])
			return err
		})
		if diff := cmp.Diff(map[string]int{"": lectures * each}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.count(t, "completed_lectures"); n != lectures {
			t.Errorf("%d rows, want %d", n, lectures)
		}
		if p, err := w.Platform.Progress(ctx(), ada, course); err != nil || !p.Completed() ||
			len(p.Lectures) != lectures {
			t.Errorf("%+v (%v)", p, err)
		}
	})
}

// The last two lectures are completed concurrently, on two platforms. If the answer were
// computed from the state before the commit, both answers would miss a lecture.
func TestCompleteLecture_ConcurrentLastLectures(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		both := []*fixture{w, w.otherInstance(t)}
		course, lectures := w.publish(t, "course", chapter("1", "a", "b")), []string{"a", "b"}
		for round := range 25 {
			student := w.enrolls(t, fmt.Sprint("student-", round), course)
			told := make([]bool, 2)
			errs := concurrently(2, func(i int) (err error) {
				told[i], err = both[i].Platform.CompleteLecture(ctx(), student, course, lectures[i])
				return err
			})
			if !slices.Contains(told, true) || countErrors(errs)[""] != 2 {
				t.Errorf("round %d: %v %v", round, told, errs)
			}
		}
	})
}

func TestUncompleteLecture_TakesTheMarkBack(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		r := &receiver{}
		w := newFixture(t, database, learningtest.WithPlatform(learning.WithEvents("test", r)))
		course := w.publish(t, "course", chapter("1", "a", "b"))
		ada, bob := w.enrolls(t, "ada", course), w.enrolls(t, "bob", course)
		for _, student := range []learning.Actor{ada, bob} {
			w.learns(t, student, course, true, "a", "b")
		}
		_, err := w.Platform.GenerateCertificate(ctx(), ada, course)
		must(t, err)
		for range 2 { // a repetition changes nothing
			completed, err := w.Platform.UncompleteLecture(ctx(), ada, course, "a")
			if err != nil || completed {
				t.Errorf("after the mark was removed the course is completed: %v (%v)",
					completed, err)
			}
			w.wantProgress(t, ada, course, false, "b")
		}
		w.wantProgress(t, bob, course, true, "a", "b")
		if n := w.count(t, "certificates WHERE is_revoked = 0"); n != 1 {
			t.Errorf("%d certificates", n)
		}
		// The course can be completed again. The event was told before.
		w.learns(t, ada, course, true, "a")
		w.wantProgress(t, ada, course, true, "b", "a")
		if n := w.count(t, "event_deliveries WHERE type = 'course.completed'"); n != 2 {
			t.Errorf("%d events of a completed course, want one for each student", n)
		}
		for lecture, want := range map[string]error{"gone": learning.ErrInvalidLecture, "b": nil} {
			_, err := w.Platform.UncompleteLecture(ctx(), ada, course, lecture)
			if !errors.Is(err, want) {
				t.Errorf("lecture %q: %v, want %v", lecture, err, want)
			}
		}
		eve := w.Person(t, "eve", learning.Student)
		if _, err := w.Platform.UncompleteLecture(ctx(), eve, course, "b"); !errors.Is(err,
			learning.ErrNotPurchased) {
			t.Errorf("not enrolled: %v", err)
		}
	})
}

// Marks are set and removed concurrently, on two platforms. The last call of all is seen, whatever
// the others did, and other lectures and students are as they were.
func TestUncompleteLecture_RaceWithCompleteLecture(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		both := []*fixture{w, w.otherInstance(t)}
		course := w.publish(t, "course", chapter("1", "a", "b"))
		ada, bob := w.enrolls(t, "ada", course), w.enrolls(t, "bob", course)
		w.learns(t, ada, course, false, "b")
		w.learns(t, bob, course, true, "a", "b")
		for round := range 10 {
			errs := concurrently(8, func(i int) error {
				change := both[i%2].Platform.CompleteLecture
				if i/2%2 == 1 {
					change = both[i%2].Platform.UncompleteLecture
				}
				_, err := change(ctx(), ada, course, "a")
				return err
			})
			if countErrors(errs)[""] != 8 {
				t.Errorf("round %d: %v", round, errs)
			}
			n := w.count(t, "completed_lectures WHERE user_id = 'ada' AND lecture_id = 'a'")
			p, err := w.Platform.Progress(ctx(), ada, course)
			if err != nil || len(p.Lectures) != 1+n || p.Completed() != (n == 1) || n > 1 {
				t.Errorf("round %d: %d marks, progress %+v (%v)", round, n, p, err)
			}
		}
		if _, err := w.Platform.UncompleteLecture(ctx(), ada, course, "a"); err != nil {
			t.Error(err)
		}
		w.wantProgress(t, ada, course, false, "b")
		w.wantProgress(t, bob, course, true, "a", "b")
	})
}

func TestCompleteLecture_RequiresEnrolmentAndALectureOfTheCourse(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	course := w.publish(t, "course", chapter("1", "a"))
	draft := w.publish(t, "draft", chapter("1", "a"))
	ada, bob := w.enrolls(t, "ada", course), w.Person(t, "bob", learning.Student)
	w.order(t, ada, draft)
	w.exec(t, "UPDATE courses SET is_published = 0 WHERE id = ?", draft)
	admin, educator := w.Person(t, "admin", learning.Admin),
		learning.Actor{UserID: "educator", Role: learning.Educator}
	for _, c := range []struct {
		actor           learning.Actor
		course, lecture string
		want            error
	}{
		{learning.Actor{}, course, "a", learning.ErrUnauthenticated},
		{bob, course, "a", learning.ErrNotPurchased},
		{bob, course, "nothing", learning.ErrNotPurchased},
		{admin, course, "a", learning.ErrNotPurchased},
		{educator, course, "a", learning.ErrNotPurchased},
		{bob, draft, "a", learning.ErrCourseNotFound},
		{educator, draft, "a", learning.ErrCourseNotFound},
		{ada, "unknown", "a", learning.ErrCourseNotFound},
		{ada, course + " ", "a", learning.ErrCourseNotFound},
		{ada, course, "", learning.ErrInvalidLecture},
		{ada, course, "1", learning.ErrInvalidLecture},
		{ada, course, "A", learning.ErrInvalidLecture},
		{ada, course, "a ", learning.ErrInvalidLecture},
		{ada, course, "\xff", learning.ErrInvalidLecture},
		{ada, course, strings.Repeat("a", 10_000), learning.ErrInvalidLecture},
		{ada, draft, "a", nil}, // the enrolment in a draft stays
	} {
		if _, err := w.Platform.CompleteLecture(ctx(), c.actor, c.course,
			c.lecture); !errors.Is(err, c.want) {
			t.Errorf("%q completes %q of %q: %v, want %v", c.actor.UserID, c.lecture, c.course, err,
				c.want)
		}
	}
	if n := w.count(t, "completed_lectures"); n != 1 {
		t.Errorf("%d lectures are completed", n)
	}
}

func TestCompleteLecture_FaultAtEachStep(t *testing.T) {
	told := map[string]error{}
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.enrolls(t, "ada-"+w.id,
				w.publish(t, w.id, chapter("1", "a")))
		},
		do: func(t *testing.T, w faultRun) error {
			completed, err := w.Platform.CompleteLecture(ctx(),
				learning.Actor{UserID: "ada-" + w.id}, w.id, "a")
			if err == nil && !completed {
				t.Error("the answer says that the course is not completed")
			}
			if _, again := told[w.database+w.id]; !again {
				told[w.database+w.id] = err
			}
			return err
		},
		check: func(t *testing.T, w faultRun) {
			if n := w.count(t, "completed_lectures WHERE user_id = ? AND course_id = ?",
				"ada-"+w.id, w.id); n != 1 {
				t.Errorf("%d rows", n)
			}
			if err := told[w.database+w.id]; w.lost && err != nil {
				t.Errorf("the operation took effect, and its error is %v", err)
			}
		},
		stages: true, // the answer is computed after the commit
		steps: []string{"read an enrolment", "read a course's content",
			"insert a completed lecture", "list the completed lectures"},
	}
	onEnginesRepeatedly(t, s.run)
}

// A lecture is added after the commit that completes the last one and before the answer.
func TestCompleteLecture_LectureAddedBeforeTheAnswer(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		store := &faultyStore{}
		w := newFixture(t, database, withFaultyStore(store))
		other := w.otherInstance(t)
		course := w.publish(t, "course", chapter("1", "a"))
		ada := w.enrolls(t, "ada", course)
		store.afterFault = func() { other.revise(t, course, chapter("1", "a", "b")) }
		store.failOn(lostAnswer)
		completed, err := w.Platform.CompleteLecture(ctx(), ada, course, "a")
		if at := store.disarm(); at != lostAnswer || err != nil || completed {
			t.Errorf("fault at %q: the answer says completed: %v (%v)", at, completed, err)
		}
	})
}

func TestUserDeleted_ProgressAndRatingsStayHidden(t *testing.T) {
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db")
	course := w.publish(t, "course", chapter("1", "a"))
	ada := w.enrolls(t, "ada", course)
	w.learns(t, ada, course, true, "a")
	w.rates(t, ada, course, 4)
	err := w.Platform.System().ApplyIdentityEvent(ctx(),
		learning.IdentityEvent{Type: learning.UserDeleted, User: learning.IdentityUser{ID: "ada"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := w.count(t, "completed_lectures") + w.count(t, "ratings"); n != 2 {
		t.Errorf("%d rows are left, want 2", n)
	}
	w.wantRatings(t, course, learning.Ratings{Sum: 4, Count: 1})
	actor, err := w.Platform.Identify(ctx(), learning.Claims{UserID: "ada"})
	if err != nil || actor.SignedIn() {
		t.Errorf("the deleted user is %+v (%v)", actor, err)
	}
	if _, err := w.Platform.Progress(ctx(), actor, course); !errors.Is(err,
		learning.ErrUnauthenticated) {
		t.Errorf("read the deleted user's progress: %v", err)
	}
}
