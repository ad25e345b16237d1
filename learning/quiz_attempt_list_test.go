package learning_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

// A student learns what a quiz is without beginning an attempt, and finds all own attempts.
func TestQuizAttempts_BeforeAndAfterTheStart(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		list := func() (first assess.QuizAttempts) {
			t.Helper()
			rows, err := roomtest.RowsOf(core.All(
				func(page learning.PageRequest) (learning.Page[assess.AttemptState], error) {
					page.Limit = 1
					got, err := w.Platform.Assess.QuizAttempts(ctx(), ada, course,
						roomtest.TheChapter, page)
					if page.After.IsZero() {
						first = got
					}
					return got.List, err
				}), nil)
			roomtest.Must(t, err)
			first.List.Rows = rows
			return first
		}
		wantList := func(quiz *assess.QuizOutline, left *int, ids ...string) {
			t.Helper()
			got := list()
			var gotIDs []string
			for i, a := range got.List.Rows {
				gotIDs = append(gotIDs, a.ID)
				if isOpen := a.Result == nil; isOpen != a.SubmittedAt.IsZero() || isOpen && i > 0 {
					t.Errorf("the attempt %d is %+v", i, a)
				}
			}
			want := assess.QuizAttempts{Quiz: quiz, Left: left, List: got.List}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the quiz: %s", diff)
			}
			if !slices.Equal(gotIDs, ids) {
				t.Errorf("the attempts are %v, want %v", gotIDs, ids)
			}
		}

		// There is no quiz, and the AI is not asked for one. A quiz of the AI is taken in one go.
		calls := len(w.Sandbox.AI().Calls())
		wantList(nil, nil)
		if n := len(w.Sandbox.AI().Calls()); n != calls {
			t.Errorf("%d calls of the AI", n-calls)
		}
		w.Rewrites(t, course)
		w.Takes(t, ada, course, make([]int, 10))
		plain := w.OnlyResult(t, ada, course).ID
		title := list().Quiz.ChapterTitle
		wantList(&assess.QuizOutline{ChapterTitle: title, Questions: 10, Points: 10,
			Settings: assess.DefaultQuizSettings}, nil, plain)

		// Of the quiz by hand one result counts. Nothing is begun, and another's attempt not shown.
		e := bank(course)
		e.Settings.Minutes, e.Settings.Attempts, e.Settings.Draw = 10, 3, 2
		w.Saves(t, e)
		outline := assess.QuizOutline{ChapterTitle: title, Questions: 2, Settings: e.Settings,
			NeedsAttempt: true}
		w.Starts(t, bob, course)
		wantList(&outline, new(2), plain)
		if n := w.Count(t, "quiz_attempts"); n != 1 {
			t.Errorf("%d attempts", n)
		}

		// The open attempt comes first. One whose time is over has a result.
		second := w.Starts(t, ada, course)
		wantList(&outline, new(1), second.ID, plain)
		w.Clock.Advance(10 * time.Minute)
		wantList(&outline, new(1), second.ID, plain)
		row := list().List.Rows[0]
		if row.Result == nil || !row.EndsAt.Equal(second.EndsAt) ||
			!row.StartedAt.Equal(second.StartedAt) {
			t.Errorf("after the end: %+v", row)
		}
		third := w.Starts(t, ada, course)
		wantList(&outline, new(0), third.ID, second.ID, plain)

		// The points of an attempt are known where all questions have the same.
		for i := range e.Questions {
			e.Questions[i].Points = 5
		}
		e.Settings.Attempts, outline.Settings.Attempts, outline.Points = 1, 1, 10
		w.Saves(t, e)
		wantList(&outline, new(0), third.ID, second.ID, plain)
	})
}
