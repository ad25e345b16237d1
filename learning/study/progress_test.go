package study_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

func TestProgress_LecturesInOrderOfCompletion(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a", "b"), roomtest.Chapter("2"),
			roomtest.Chapter("3", "c"))
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		if p, err := w.Platform.Study.Progress(ctx(), ada, course); p != nil || err != nil {
			t.Errorf("before the first completion the progress is %+v (%v)", p, err)
		}
		w.Learns(t, ada, course, false, "c", "a")
		p := w.WantProgress(t, ada, course, false, "c", "a")
		began := w.Clock.Now().Add(-time.Second)
		if !p.CreatedAt.Equal(began) || !p.UpdatedAt.Equal(w.Clock.Now()) ||
			!p.CompletedAt.IsZero() {
			t.Errorf("times %v, %v and %v", p.CreatedAt, p.UpdatedAt, p.CompletedAt)
		}
		w.Learns(t, ada, course, true, "b")
		at := w.Clock.Now()
		again, err := w.Platform.Study.CompleteLecture(ctx(), ada, course, "c")
		w.Clock.Advance(time.Hour)
		if done := w.WantProgress(t, ada, course, true, "c", "a", "b"); err != nil || !again ||
			!done.CompletedAt.Equal(at) || done.ID != p.ID {
			t.Errorf("completed %v at %v, want %v (%v); the id is %s, and was %s", again,
				done.CompletedAt, at, err, done.ID, p.ID)
		}
		if p, err := w.Platform.Study.Progress(ctx(), bob, course); p != nil || err != nil {
			t.Errorf("another user's progress is %+v (%v)", p, err)
		}
	})
}

func TestCompleteLecture_ConcurrentCallsAreAllStored(t *testing.T) {
	const lectures, each = 12, 4
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		other := w.OtherInstance(t)
		var ids []string
		for i := range lectures {
			ids = append(ids, fmt.Sprint("l", i))
		}
		course := w.Publish(t, "course", roomtest.Chapter("1", ids...))
		ada := w.Enrolls(t, "ada", course)
		errs := roomtest.Concurrently(lectures*each, func(i int) error {
			_, err := []*roomtest.World{w, other}[i%2].Platform.Study.CompleteLecture(ctx(), ada,
				course,
				ids[i/each])
			return err
		})
		if diff := cmp.Diff(map[string]int{"": lectures * each}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Count(t, "completed_lectures"); n != lectures {
			t.Errorf("%d rows, want %d", n, lectures)
		}
		if p, err := w.Platform.Study.Progress(ctx(), ada, course); err != nil || !p.Completed() ||
			len(p.Lectures) != lectures {
			t.Errorf("%+v (%v)", p, err)
		}
	})
}

// The last two lectures are completed concurrently, on two platforms. If the answer were
// computed from the state before the commit, both answers would miss a lecture.
func TestCompleteLecture_ConcurrentLastLectures(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		both := []*roomtest.World{w, w.OtherInstance(t)}
		course, lectures := w.Publish(t, "course", roomtest.Chapter("1", "a", "b")), []string{"a", "b"}
		for round := range 25 {
			student := w.Enrolls(t, fmt.Sprint("student-", round), course)
			told := make([]bool, 2)
			errs := roomtest.Concurrently(2, func(i int) (err error) {
				told[i], err = both[i].Platform.Study.CompleteLecture(ctx(), student, course,
					lectures[i])
				return err
			})
			if !slices.Contains(told, true) || roomtest.CountErrors(errs)[""] != 2 {
				t.Errorf("round %d: %v %v", round, told, errs)
			}
		}
	})
}

func TestUncompleteLecture_TakesTheMarkBack(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		r := &roomtest.Receiver{}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithEvents("test", r)))
		course := w.Publish(t, "course", roomtest.Chapter("1", "a", "b"))
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		for _, student := range []learning.Actor{ada, bob} {
			w.Learns(t, student, course, true, "a", "b")
		}
		_, err := w.Platform.Certify.GenerateCertificate(ctx(), ada, course)
		roomtest.Must(t, err)
		for range 2 { // a repetition changes nothing
			completed, err := w.Platform.Study.UncompleteLecture(ctx(), ada, course, "a")
			if err != nil || completed {
				t.Errorf("after the mark was removed the course is completed: %v (%v)",
					completed, err)
			}
			w.WantProgress(t, ada, course, false, "b")
		}
		w.WantProgress(t, bob, course, true, "a", "b")
		if n := w.Count(t, "certificates WHERE is_revoked = 0"); n != 1 {
			t.Errorf("%d certificates", n)
		}
		// The course can be completed again. The event was told before.
		w.Learns(t, ada, course, true, "a")
		w.WantProgress(t, ada, course, true, "b", "a")
		if n := w.Count(t, "event_deliveries WHERE type = 'course.completed'"); n != 2 {
			t.Errorf("%d events of a completed course, want one for each student", n)
		}
		for lecture, want := range map[string]error{"gone": catalog.ErrInvalidLecture, "b": nil} {
			_, err := w.Platform.Study.UncompleteLecture(ctx(), ada, course, lecture)
			if !errors.Is(err, want) {
				t.Errorf("lecture %q: %v, want %v", lecture, err, want)
			}
		}
		eve := w.Person(t, "eve", core.Student)
		if _, err := w.Platform.Study.UncompleteLecture(ctx(), eve, course, "b"); !errors.Is(err,
			study.ErrNotPurchased) {
			t.Errorf("not enrolled: %v", err)
		}
	})
}

// Marks are set and removed concurrently, on two platforms. The last call of all is seen, whatever
// the others did, and other lectures and students are as they were.
func TestUncompleteLecture_RaceWithCompleteLecture(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		both := []*roomtest.World{w, w.OtherInstance(t)}
		course := w.Publish(t, "course", roomtest.Chapter("1", "a", "b"))
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		w.Learns(t, ada, course, false, "b")
		w.Learns(t, bob, course, true, "a", "b")
		for round := range 10 {
			errs := roomtest.Concurrently(8, func(i int) error {
				change := both[i%2].Platform.Study.CompleteLecture
				if i/2%2 == 1 {
					change = both[i%2].Platform.Study.UncompleteLecture
				}
				_, err := change(ctx(), ada, course, "a")
				return err
			})
			if roomtest.CountErrors(errs)[""] != 8 {
				t.Errorf("round %d: %v", round, errs)
			}
			n := w.Count(t, "completed_lectures WHERE user_id = 'ada' AND lecture_id = 'a'")
			p, err := w.Platform.Study.Progress(ctx(), ada, course)
			if err != nil || len(p.Lectures) != 1+n || p.Completed() != (n == 1) || n > 1 {
				t.Errorf("round %d: %d marks, progress %+v (%v)", round, n, p, err)
			}
		}
		if _, err := w.Platform.Study.UncompleteLecture(ctx(), ada, course, "a"); err != nil {
			t.Error(err)
		}
		w.WantProgress(t, ada, course, false, "b")
		w.WantProgress(t, bob, course, true, "a", "b")
	})
}

func TestCompleteLecture_RequiresEnrolmentAndALectureOfTheCourse(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
	draft := w.Publish(t, "draft", roomtest.Chapter("1", "a"))
	ada, bob := w.Enrolls(t, "ada", course), w.Person(t, "bob", core.Student)
	w.Order(t, ada, draft)
	w.Exec(t, "UPDATE courses SET is_published = 0 WHERE id = ?", draft)
	admin, educator := w.Person(t, "admin", core.Admin),
		learning.Actor{UserID: "educator", Role: core.Educator}
	for _, c := range []struct {
		actor           learning.Actor
		course, lecture string
		want            error
	}{
		{learning.Actor{}, course, "a", core.ErrUnauthenticated},
		{bob, course, "a", study.ErrNotPurchased},
		{bob, course, "nothing", study.ErrNotPurchased},
		{admin, course, "a", study.ErrNotPurchased},
		{educator, course, "a", study.ErrNotPurchased},
		{bob, draft, "a", catalog.ErrCourseNotFound},
		{educator, draft, "a", catalog.ErrCourseNotFound},
		{ada, "unknown", "a", catalog.ErrCourseNotFound},
		{ada, course + " ", "a", catalog.ErrCourseNotFound},
		{ada, course, "", catalog.ErrInvalidLecture},
		{ada, course, "1", catalog.ErrInvalidLecture},
		{ada, course, "A", catalog.ErrInvalidLecture},
		{ada, course, "a ", catalog.ErrInvalidLecture},
		{ada, course, "\xff", catalog.ErrInvalidLecture},
		{ada, course, strings.Repeat("a", 10_000), catalog.ErrInvalidLecture},
		{ada, draft, "a", nil}, // the enrolment in a draft stays
	} {
		if _, err := w.Platform.Study.CompleteLecture(ctx(), c.actor, c.course,
			c.lecture); !errors.Is(err, c.want) {
			t.Errorf("%q completes %q of %q: %v, want %v", c.actor.UserID, c.lecture, c.course, err,
				c.want)
		}
	}
	if n := w.Count(t, "completed_lectures"); n != 1 {
		t.Errorf("%d lectures are completed", n)
	}
}

func TestCompleteLecture_FaultAtEachStep(t *testing.T) {
	told := map[string]error{}
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			w.Enrolls(t, "ada-"+w.ID,
				w.Publish(t, w.ID, roomtest.Chapter("1", "a")))
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			completed, err := w.Platform.Study.CompleteLecture(ctx(),
				learning.Actor{UserID: "ada-" + w.ID}, w.ID, "a")
			if err == nil && !completed {
				t.Error("the answer says that the course is not completed")
			}
			if _, again := told[w.Database+w.ID]; !again {
				told[w.Database+w.ID] = err
			}
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) {
			if n := w.Count(t, "completed_lectures WHERE user_id = ? AND course_id = ?",
				"ada-"+w.ID, w.ID); n != 1 {
				t.Errorf("%d rows", n)
			}
			if err := told[w.Database+w.ID]; w.Lost && err != nil {
				t.Errorf("the operation took effect, and its error is %v", err)
			}
		},
		Stages: true, // the answer is computed after the commit
		Leaves: []string{"enrollments"},
		Steps: []string{"read an enrolment", "read a course's content",
			"insert a completed lecture", "list the completed lectures"},
	}
	roomtest.OnEnginesRepeatedly(t, s.Run)
}

// A lecture is added after the commit that completes the last one and before the answer.
func TestCompleteLecture_LectureAddedBeforeTheAnswer(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		store := &roomtest.FaultyStore{}
		w := roomtest.New(t, database, roomtest.WithFaultyStore(store))
		other := w.OtherInstance(t)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		ada := w.Enrolls(t, "ada", course)
		store.AfterFault = func() { other.Revise(t, course, roomtest.Chapter("1", "a", "b")) }
		store.FailOn(roomtest.LostAnswer)
		completed, err := w.Platform.Study.CompleteLecture(ctx(), ada, course, "a")
		if at := store.Disarm(); at != roomtest.LostAnswer || err != nil || completed {
			t.Errorf("fault at %q: the answer says completed: %v (%v)", at, completed, err)
		}
	})
}

func TestUserDeleted_ProgressAndRatingsStayHidden(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
	ada := w.Enrolls(t, "ada", course)
	w.Learns(t, ada, course, true, "a")
	w.Rates(t, ada, course, 4)
	err := w.Platform.System().ApplyIdentityEvent(ctx(),
		people.IdentityEvent{Type: people.UserDeleted, User: people.IdentityUser{ID: "ada"}})
	if err != nil {
		t.Fatal(err)
	}
	if n := w.Count(t, "completed_lectures") + w.Count(t, "ratings"); n != 2 {
		t.Errorf("%d rows are left, want 2", n)
	}
	w.WantRatings(t, course, catalog.Ratings{Sum: 4, Count: 1})
	actor, err := w.Platform.People.Identify(ctx(), people.Claims{UserID: "ada"})
	if err != nil || actor.SignedIn() {
		t.Errorf("the deleted user is %+v (%v)", actor, err)
	}
	if _, err := w.Platform.Study.Progress(ctx(), actor, course); !errors.Is(err,
		core.ErrUnauthenticated) {
		t.Errorf("read the deleted user's progress: %v", err)
	}
}
