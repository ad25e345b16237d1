package learning_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// The kept figures are those of all attempts, after random submissions by students at the same
// time, edits of the quiz, ends of the time, and deletions of the quiz and of students. A recount
// finds nothing wrong, and corrects what is.
func TestQuizStats_AreThoseOfAllAttempts(t *testing.T) {
	roomtest.OnEnginesRepeatedly(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.Without("WithAI")))
		for seed := range uint64(4) {
			course := w.Course(t, fmt.Sprint("course-", seed), 0)
			w.RandomAttempts(t, course, rand.New(rand.NewPCG(seed, 26)))
		}
	})
}

// A quiz that is submitted without an attempt counts too, without a time. The AI gives its
// questions new ids, so that those of a new version do not get the figures of the old ones.
func TestQuizStats_OfAQuizOfTheAI(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		ada := w.Enrolls(t, "ada", course)
		w.Rewrites(t, course)
		w.Takes(t, ada, course, answers(10, 4, 0))
		w.Rewrites(t, course)
		w.Takes(t, ada, course, answers(10, 10, 0))
		w.Takes(t, ada, course, answers(10, 0, 0))
		stats, err := w.Platform.Assess.QuizStats(ctx(), roomtest.Teacher, course,
			roomtest.TheChapter)
		if err != nil || stats.Attempts != 3 || stats.Timed != 0 || len(stats.Questions) != 20 {
			t.Fatalf("the figures are %+v (%v)", stats, err)
		}
		for i, q := range stats.Questions {
			wantGiven := 2
			if i >= 10 { // those of the first version, by their ids
				wantGiven = 1
			}
			if q.Given != wantGiven || q.Timed != 0 || q.Kind != assess.SingleChoice ||
				q.Text == "" {
				t.Errorf("question %d: %+v", i, q)
			}
		}
		w.WantRightTotals(t)

		// Only the educator of the course and admins see it, and results have no answers.
		for _, who := range []learning.Actor{ada, w.Person(t, "other", core.Educator)} {
			_, err := w.Platform.Assess.QuizStats(ctx(), who, course, roomtest.TheChapter)
			roomtest.WantFailure(t, err, core.ErrForbidden, "the figures")
			_, err = w.Platform.Assess.StudentResults(ctx(), who, course, roomtest.TheChapter,
				learning.PageRequest{Limit: 1})
			roomtest.WantFailure(t, err, core.ErrForbidden, "the results")
		}
	})
}

func TestStudentResults_PagesOfTheNewestFirst(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database, learning.Without("WithAI"))
		e := bank(course)
		e.Settings.Minutes = 10
		w.Saves(t, e)
		want := []string{}
		for i := range 3 {
			who := w.Enrolls(t, fmt.Sprint("student-", i), course)
			a := w.Starts(t, who, course)
			w.Clock.Advance(90 * time.Second)
			if i == 1 { // its time ends
				w.Clock.Advance(time.Hour)
				roomtest.Must(t, w.Platform.System().Tidy(ctx()))
			} else {
				_, err := w.Platform.Assess.SubmitAttempt(ctx(), who, a.ID, rightAnswers())
				roomtest.Must(t, err)
			}
			want = slices.Insert(want, 0, a.ID)
		}
		w.DeleteUser(t, "student-0")
		var got []string
		page := learning.PageRequest{Limit: 2}
		for {
			list, err := w.Platform.Assess.StudentResults(ctx(), roomtest.Teacher, course,
				roomtest.TheChapter,
				page)
			roomtest.Must(t, err)
			for _, r := range list.Rows {
				got = append(got, r.ID)
				took, name := core.Milliseconds(90_000), "student-2"
				switch r.UserID {
				case "student-0":
					name = core.DeletedUser
				case "student-1":
					took, name = 600_000, "student-1"
				}
				if r.Took != took || r.Student.Name != name || r.Student.ID != r.UserID ||
					r.Passed != (took == 90_000) || r.Marked != nil || r.Answers != nil {
					t.Errorf("a result is %+v", r)
				}
			}
			if list.Next.IsZero() {
				break
			}
			page.After = list.Next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		_, err := w.Platform.Assess.StudentResults(ctx(), roomtest.Teacher, "none",
			roomtest.TheChapter, page)
		if !errors.Is(err, catalog.ErrCourseNotFound) {
			t.Error(err)
		}
	})
}
