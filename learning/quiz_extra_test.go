package learning_test

import (
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// sets decides about extra attempts of a student at the quiz of a course, as its educator.
func sets(w *roomtest.World, course, studentID string, attempts int) error {
	return w.Platform.Assess.SetExtraAttempts(ctx(), roomtest.Teacher, assess.ExtraAttempts{
		UserID: studentID, CourseID: course, ChapterID: roomtest.TheChapter, Attempts: attempts})
}

// limitedQuiz publishes a course whose quiz has one attempt.
func limitedQuiz(t *testing.T, database string) (w *roomtest.World, course string) {
	w, course = roomtest.NewWithCourse(t, database, learning.Without("WithAI"))
	e := bank(course)
	e.Settings.Attempts = 1
	w.Saves(t, e)
	return w, course
}

// A decision counts for one student, at the next start and in what an open attempt shows.
func TestSetExtraAttempts_AddsToTheLimitOfTheQuiz(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := limitedQuiz(t, database)
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		submits := func(a assess.QuizAttempt) {
			t.Helper()
			_, err := w.Platform.Assess.SubmitAttempt(ctx(), ada, a.ID, nil)
			roomtest.Must(t, err)
		}
		wantLeft := func(want int) {
			t.Helper()
			got, err := w.Platform.Assess.QuizAttempts(ctx(), ada, course, roomtest.TheChapter,
				learning.PageRequest{Limit: 1})
			if err != nil || got.Left == nil || *got.Left != want {
				t.Errorf("attempts left: %v, want %d (%v)", got.Left, want, err)
			}
		}
		first := w.Starts(t, ada, course)
		roomtest.Must(t, sets(w, course, "ada", 2))
		if a := w.Starts(t, ada, course); a.ID != first.ID || *a.Left != 2 {
			t.Errorf("the open attempt is %s with %d left", a.ID, *a.Left)
		}
		wantLeft(2)
		roomtest.Must(t, sets(w, course, "ada", 1)) // a repetition sets, and does not add
		roomtest.Must(t, sets(w, course, "ada", 1))
		if a := w.Starts(t, ada, course); *a.Left != 1 {
			t.Errorf("after less was set, the open attempt has %d left", *a.Left)
		}
		submits(first)
		submits(w.Starts(t, ada, course))
		wantLeft(0)
		_, err := w.Platform.Assess.StartAttempt(ctx(), ada, course, roomtest.TheChapter)
		roomtest.WantFailure(t, err, assess.ErrNoAttempts, "a third start")

		// Fewer than were taken is as none left, and more opens the quiz again.
		roomtest.Must(t, sets(w, course, "ada", 0))
		wantLeft(0)
		roomtest.Must(t, sets(w, course, "ada", 10))
		wantLeft(9)
		if a := w.Starts(t, bob, course); *a.Left != 0 {
			t.Errorf("another student has %d left", *a.Left)
		}
		p, err := w.Platform.Staff.StudentProgress(ctx(), roomtest.Teacher, course, "ada")
		if err != nil || p.ExtraAttempts[roomtest.TheChapter] != 10 {
			t.Errorf("the educator sees %v (%v)", p.ExtraAttempts, err)
		}
		if n := w.Count(t, "quiz_extra_attempts WHERE decided_by = 'educator' AND attempts = 10"); n != 1 {
			t.Errorf("%d decisions are kept", n)
		}
	})
}

// Only editors of the course decide, about a student who is enrolled, within the bounds.
func TestSetExtraAttempts_Refuses(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := limitedQuiz(t, database)
		ada := w.Enrolls(t, "ada", course)
		for _, id := range []string{"left", "gone"} {
			w.Enrolls(t, id, course)
		}
		w.End(t, true, "left", course)
		w.DeleteUser(t, "gone")
		w.Person(t, "stranger", core.Student)
		valid := assess.ExtraAttempts{UserID: "ada", CourseID: course,
			ChapterID: roomtest.TheChapter, Attempts: 1}
		other := learning.Actor{UserID: "eve", Role: core.Educator}
		for name, c := range map[string]struct {
			actor  learning.Actor
			change func(e *assess.ExtraAttempts)
			want   error
		}{
			"the student": {
				actor: ada,
				want:  core.ErrForbidden,
			},
			"another educator": {
				actor: other,
				want:  core.ErrForbidden,
			},
			"nobody": {
				actor: learning.Actor{},
				want:  core.ErrUnauthenticated,
			},
			"an unknown course": {
				actor:  roomtest.Boss,
				change: func(e *assess.ExtraAttempts) { e.CourseID = "no" },
				want:   catalog.ErrCourseNotFound,
			},
			"no enrolment": {
				actor:  roomtest.Boss,
				change: func(e *assess.ExtraAttempts) { e.UserID = "stranger" },
				want:   study.ErrEnrollmentNotFound,
			},
			"a past enrolment": {
				actor:  roomtest.Boss,
				change: func(e *assess.ExtraAttempts) { e.UserID = "left" },
				want:   study.ErrEnrollmentNotFound,
			},
			"a deleted student": {
				actor:  roomtest.Boss,
				change: func(e *assess.ExtraAttempts) { e.UserID = "gone" },
				want:   study.ErrEnrollmentNotFound,
			},
			"an unknown chapter": {
				actor:  roomtest.Boss,
				change: func(e *assess.ExtraAttempts) { e.ChapterID = "no" },
				want:   assess.ErrQuizNotFound,
			},
			"too many": {
				actor:  roomtest.Boss,
				change: func(e *assess.ExtraAttempts) { e.Attempts = 11 },
				want:   core.ErrInvalidRequest,
			},
			"less than none": {
				actor:  roomtest.Boss,
				change: func(e *assess.ExtraAttempts) { e.Attempts = -1 },
				want:   core.ErrInvalidRequest,
			},
		} {
			e := valid
			if c.change != nil {
				c.change(&e)
			}
			err := w.Platform.Assess.SetExtraAttempts(ctx(), c.actor, e)
			roomtest.WantFailure(t, err, c.want, name)
		}
		if n := w.Count(t, "quiz_extra_attempts"); n != 0 {
			t.Errorf("%d decisions are stored", n)
		}
		roomtest.Must(t, w.Platform.Assess.SetExtraAttempts(ctx(), roomtest.Boss, valid))
	})
}

// However decisions and starts race, no more attempts are given than the limit with the last
// decision allows, and what is left adds up.
func TestSetExtraAttempts_RaceWithStarts(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, course := limitedQuiz(t, database)
		two := w.OtherInstance(t)
		ada := w.Enrolls(t, "ada", course)
		errs := roomtest.Concurrently(24, func(i int) error {
			p := []*roomtest.World{w, two}[i%2]
			if i%3 == 0 {
				return sets(p, course, "ada", 3)
			}
			a, err := p.Platform.Assess.StartAttempt(ctx(), ada, course, roomtest.TheChapter)
			if err == nil {
				_, err = p.Platform.Assess.SubmitAttempt(ctx(), ada, a.ID, nil)
			}
			return err
		})
		for _, err := range errs {
			if err != nil && !errors.Is(err, assess.ErrNoAttempts) {
				t.Error(err)
			}
		}
		for range 4 {
			a, err := w.Platform.Assess.StartAttempt(ctx(), ada, course, roomtest.TheChapter)
			if err == nil {
				_, err = w.Platform.Assess.SubmitAttempt(ctx(), ada, a.ID, nil)
			}
			if err != nil && !errors.Is(err, assess.ErrNoAttempts) {
				t.Fatal(err)
			}
		}
		if n := w.Count(t, "quiz_extra_attempts WHERE attempts = 3"); n != 1 {
			t.Errorf("%d decisions are kept", n)
		}
		w.WantAttempts(t, 4) // one of the quiz, and three more
	})
}
