package assess_test

import (
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// The queue of a course leads from one submission that waits to the next.
func TestSubmission_NamesTheEarlierOnesAndTheNext(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, _, course, ada := newEssayFixture(t, database, catalog.Assignment{})
		bob := w.Enrolls(t, "bob", course)
		submits := func(who learning.Actor) assess.AssignmentSubmission {
			w.Drafts(t, who, course, "work of "+who.UserID)
			w.Clock.Advance(day)
			return w.SubmitsWork(t, who, course)
		}
		first := submits(ada)
		w.Grades(t, first, assess.SubmissionReturned)
		second := submits(bob)
		third := submits(ada)
		w.Drafts(t, ada, course, "not submitted")
		for id, want := range map[string]struct {
			next    string
			earlier []string
		}{first.ID: {next: second.ID}, second.ID: {next: third.ID},
			third.ID: {earlier: []string{first.ID}}} {
			got, err := w.Platform.Assess.Submission(ctx(), roomtest.Boss, id)
			roomtest.Must(t, err)
			if got.NextID != want.next || len(got.Earlier) != len(want.earlier) ||
				got.LectureTitle != "Essay" {
				t.Errorf("%s: %+v, want %+v", id, got, want)
			}
			for i, earlier := range got.Earlier {
				if earlier.ID != want.earlier[i] || earlier.Feedback != "Feedback" {
					t.Errorf("the earlier one is %+v", earlier)
				}
			}
		}
		w.Grades(t, second, assess.SubmissionGraded)
		got, err := w.Platform.Assess.Submission(ctx(), roomtest.Boss, first.ID)
		if err != nil || got.NextID != third.ID {
			t.Errorf("after a grade the next one is %q (%v)", got.NextID, err)
		}
	})
}

// Only graders of the course see an attempt, and only one that is submitted.
func TestStudentAttempt_IsForGradersOfTheCourse(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		w.Quiz(t, course, 3, 0)
		ada := w.Enrolls(t, "ada", course)
		a := w.Starts(t, ada, course)
		read := func(who learning.Actor, want error) assess.AttemptState {
			t.Helper()
			got, err := w.Platform.Assess.StudentAttempt(ctx(), who, a.ID)
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", who.UserID, err, want)
			}
			return got
		}
		rival := w.Person(t, "rival", core.Educator)
		read(roomtest.Teacher, assess.ErrAttemptNotFound) // it is open
		_, err := w.Platform.Assess.SubmitAttempt(ctx(), ada, a.ID, nil)
		roomtest.Must(t, err)
		read(ada, core.ErrForbidden)
		read(rival, assess.ErrAttemptNotFound)
		for _, who := range []learning.Actor{roomtest.Teacher, roomtest.Boss} {
			got := read(who, nil)
			if got.Result == nil || len(got.Result.Questions) != 3 || got.UserID != "ada" {
				t.Fatalf("%s reads %+v", who.UserID, got)
			}
			for _, q := range got.Result.Questions {
				if q.Given != nil || q.IsRight || q.Solution == nil {
					t.Errorf("the question is %+v", q)
				}
			}
			for _, q := range got.Questions {
				if q.Solution != nil {
					t.Errorf("the question of the attempt has a solution: %+v", q)
				}
			}
		}
	})
}
