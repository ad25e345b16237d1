package learning_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

func TestQuizAttempt_FromTheStartToTheReview(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		r := &roomtest.Receiver{}
		w, course := roomtest.NewWithCourse(t, database, learning.WithEvents("test", r))
		ada := w.Enrolls(t, "ada", course)
		e := bank(course)
		e.Settings = assess.QuizSettings{Shuffle: true, PassPercent: 50,
			Review: assess.ReviewPassed}
		w.Saves(t, e)
		first := w.Starts(t, ada, course)
		w.AnswersOf(t, ada, first.ID, map[string]assess.Answer{"single": "a", "text": "Rome"})
		w.AnswersOf(t, ada, first.ID, map[string]assess.Answer{"single": "b", "text": nil,
			"true-false": true})

		// It is answered again as it was, although the quiz has changed since.
		w.Saves(t, bank(course))
		again := w.Starts(t, ada, course)
		want := first
		want.Answers = map[string]assess.Answer{"single": "b", "true-false": true}
		want.SavedAt = w.Clock.Now()
		want.Times = map[string]core.Milliseconds{"single": 0, "text": 0, "true-false": 0}
		if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("after a reload: %s", diff)
		}
		result, err := w.Platform.Assess.SubmitAttempt(ctx(), ada, first.ID, nil)
		if err != nil || result.Score != 1 || result.Total != 31 || result.Percentage != 3 ||
			result.Passed || result.Questions != nil || result.Mastery != assess.NeedsReview {
			t.Errorf("the first result is %+v (%v)", result, err)
		}
		roomtest.WantFailure(t, w.Platform.Assess.SaveAnswers(ctx(), ada, first.ID, rightAnswers()),
			assess.ErrAttemptSubmitted, "save after the submission")

		// The next attempt has the changed quiz. Its review is never.
		second := w.Starts(t, ada, course)
		result, err = w.Platform.Assess.SubmitAttempt(ctx(), ada, second.ID, rightAnswers())
		if err != nil || result.Percentage != 100 || !result.Passed || result.Questions != nil {
			t.Errorf("the second result is %+v (%v)", result, err)
		}
		w.Saves(t, e)
		third := w.Starts(t, ada, course)
		right := rightAnswers()
		delete(right, "single")
		result, err = w.Platform.Assess.SubmitAttempt(ctx(), ada, third.ID, right)
		if err != nil || result.Score != 30 || len(result.Questions) != 5 {
			t.Fatalf("the third result is %+v (%v)", result, err)
		}
		for i, q := range result.Questions {
			if q.ID != third.Questions[i].ID || q.IsRight == (q.ID == "single") ||
				q.Solution.Explanation == "" || !cmp.Equal(q.Given, right[q.ID]) {
				t.Errorf("the review has %+v", q)
			}
		}
		state, err := w.Platform.Assess.Attempt(ctx(), ada, third.ID)
		if diff := cmp.Diff(&result, state.Result); diff != "" || err != nil {
			t.Errorf("read later: %v %s", err, diff)
		}

		// The lists and totals of before have the results.
		marks, err := roomtest.PageRows(w.Platform.Assess.QuizMarks(ctx(), ada,
			learning.PageRequest{Limit: 9}))
		if err != nil || len(marks) != 3 {
			t.Errorf("the marks are %+v (%v)", marks, err)
		}
		insights, err := w.Platform.Assess.QuizInsights(ctx(), roomtest.Teacher)
		if err != nil || len(insights) != 1 || insights[0].Attempts != 3 ||
			insights[0].Mastered != 2 {
			t.Errorf("the insights are %+v (%v)", insights, err)
		}
		if n := w.Count(t, "event_deliveries WHERE type = 'quiz.submitted'"); n != 3 {
			t.Errorf("%d events", n)
		}
		w.WantAttempts(t, 3)
	})
}

// Each student of a bank gets as many questions as are drawn, and not all the same ones.
func TestStartAttempt_DrawsByChance(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	e := bank(course)
	e.Settings.Draw = 2
	w.Saves(t, e)
	drawn := map[string]bool{}
	for i := range 40 {
		a := w.Starts(t, w.Enrolls(t, fmt.Sprint("student-", i), course), course)
		if len(a.Questions) != 2 {
			t.Fatalf("%d questions", len(a.Questions))
		}
		drawn[a.Questions[0].ID+" "+a.Questions[1].ID] = true
	}
	// Of ten pairs in the order of the quiz, at least five are expected with near certainty.
	if len(drawn) < 5 || len(drawn) > 10 || drawn["text single"] {
		t.Errorf("the pairs are %v", drawn)
	}
}

// However many sessions and instances begin at once, there is one open attempt; and however many
// submit it at once, there is one mark.
// The clock is the server's. After the end nothing is saved, and what was saved counts,
// whichever request comes first: that of the student, a new start, or scheduled work.
func TestQuizAttempt_TimeIsOver(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		e := bank(course)
		e.Settings.Minutes = 10
		w.Saves(t, e)
		var actors []learning.Actor
		for _, id := range []string{"submits", "starts", "reads", "left", "longer"} {
			ada := w.Enrolls(t, id, course)
			actors = append(actors, ada)
			if id == "longer" {
				w.Clock.Advance(time.Minute)
			}
			a := w.Starts(t, ada, course)
			w.AnswersOf(t, ada, a.ID, map[string]assess.Answer{"text": "paris"})
		}
		attempts := make([]assess.QuizAttempt, len(actors))
		for i, ada := range actors {
			attempts[i] = w.Starts(t, ada, course)
		}
		w.Clock.Advance(9*time.Minute - time.Microsecond)
		roomtest.Must(t, w.Platform.System().Tidy(ctx()))
		w.AnswersOf(t, actors[0], attempts[0].ID, map[string]assess.Answer{"true-false": false})
		w.Clock.Advance(time.Microsecond)
		for _, answers := range []map[string]assess.Answer{rightAnswers(), {"forged": 1.0}} {
			roomtest.WantFailure(t, w.Platform.Assess.SaveAnswers(ctx(), actors[0], attempts[0].ID,
				answers),
				assess.ErrTimeOver, "save after the end")
			if r, err := w.Platform.Assess.SubmitAttempt(ctx(), actors[0], attempts[0].ID,
				answers); err != nil || r.Score != 20 {
				t.Errorf("submitted after the end: %+v (%v)", r, err)
			}
		}
		if next := w.Starts(t, actors[1], course); next.ID == attempts[1].ID || next.Number != 2 {
			t.Errorf("after the end the attempt is %+v", next)
		}
		state, err := w.Platform.Assess.Attempt(ctx(), actors[2], attempts[2].ID)
		if err != nil || state.Result == nil || state.Result.Score != 16 {
			t.Errorf("read after the end: %+v (%v)", state.Result, err)
		}
		w.WantAttempts(t, 3)
		roomtest.Must(t, w.Platform.System().Tidy(ctx()))
		roomtest.Must(t, w.OtherInstance(t).Platform.System().Tidy(ctx()))
		if r := w.OnlyResult(t, actors[3], course); r.Score != 16 || r.Recommendations == "" {
			t.Errorf("marked by scheduled work: %+v", r)
		}
		w.WantAttempts(t, 4) // that of "longer" is open
	})
}

// When access ends nothing can be saved or submitted. What was saved counts.
func TestQuizAttempt_AccessEnds(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		ada, boss := w.Enrolls(t, "ada", course), w.Person(t, "boss", core.Admin)
		w.Saves(t, bank(course))
		a := w.Starts(t, ada, course)
		w.AnswersOf(t, ada, a.ID, map[string]assess.Answer{"text": "paris"})
		roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), boss, ada.UserID, course))
		roomtest.WantFailure(t, w.Platform.Assess.SaveAnswers(ctx(), ada, a.ID, rightAnswers()),
			study.ErrNotPurchased, "save")
		_, err := w.Platform.Assess.SubmitAttempt(ctx(), ada, a.ID, rightAnswers())
		roomtest.WantFailure(t, err, study.ErrNotPurchased, "submit")
		_, err = w.Platform.Assess.StartAttempt(ctx(), ada, course, roomtest.TheChapter)
		roomtest.WantFailure(t, err, study.ErrNotPurchased, "start")
		w.WantAttempts(t, 0)
		roomtest.Must(t, w.Platform.System().Tidy(ctx()))
		w.WantAttempts(t, 1)
		if state, err := w.Platform.Assess.Attempt(ctx(), ada, a.ID); err != nil ||
			state.Result.Score != 16 {
			t.Errorf("read after the access has ended: %+v (%v)", state, err)
		}
	})
}

// A client that cheats gains nothing.
func TestQuizAttempt_CheatingClient(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	ada, eve := w.Enrolls(t, "ada", course), w.Enrolls(t, "eve", course)
	e := bank(course)
	e.Settings.Attempts, e.Settings.Draw = 2, 3
	w.Saves(t, e)
	// Results of before count.
	w.Exec(t, `INSERT INTO quiz_results (id, user_id, course_id, chapter_id, version, score, total,
		percentage, mastery, created_at, answers, recommendations)
		SELECT 'old', 'eve', course_id, chapter_id, 1, 0, 1, 0, 'needs_review', created_at, '[]', ''
		FROM quizzes`)
	w.Recount(t)
	own, others := w.Starts(t, eve, course), w.Starts(t, ada, course)
	read, err := w.Platform.Assess.Attempt(ctx(), eve, own.ID)
	roomtest.Must(t, err)
	if *own.Left != 0 || *others.Left != 1 {
		t.Errorf("attempts left: %d and %d", *own.Left, *others.Left)
	}
	for _, a := range []assess.QuizAttempt{own, others, read.QuizAttempt} {
		for _, q := range a.Questions {
			if q.Solution != nil {
				t.Errorf("a solution is shown: %+v", q)
			}
		}
	}

	// The attempt of another.
	roomtest.WantFailure(t, w.Platform.Assess.SaveAnswers(ctx(), eve, others.ID, nil),
		assess.ErrAttemptNotFound,
		"save another's")
	_, err = w.Platform.Assess.SubmitAttempt(ctx(), eve, others.ID, nil)
	roomtest.WantFailure(t, err, assess.ErrAttemptNotFound, "submit another's")
	_, err = w.Platform.Assess.Attempt(ctx(), eve, others.ID)
	roomtest.WantFailure(t, err, assess.ErrAttemptNotFound, "read another's")

	// Without a token.
	nobody := learning.Actor{}
	_, err = w.Platform.Assess.StartAttempt(ctx(), nobody, course, roomtest.TheChapter)
	roomtest.WantFailure(t, err, core.ErrUnauthenticated, "start")
	roomtest.WantFailure(t, w.Platform.Assess.SaveAnswers(ctx(), nobody, own.ID, nil),
		core.ErrUnauthenticated, "save")
	_, err = w.Platform.Assess.SubmitAttempt(ctx(), nobody, own.ID, nil)
	roomtest.WantFailure(t, err, core.ErrUnauthenticated, "submit")
	_, err = w.Platform.Assess.Attempt(ctx(), nobody, own.ID)
	roomtest.WantFailure(t, err, core.ErrUnauthenticated, "read")

	// Questions that were not drawn, and answers that are none. Nothing of them is saved.
	given := map[string]bool{}
	for _, q := range own.Questions {
		given[q.ID] = true
	}
	for id, right := range rightAnswers() {
		for _, answer := range []assess.Answer{right, []any{}, []string{"forged"}} {
			if given[id] && cmp.Equal(answer, right) {
				continue
			}
			forged := map[string]assess.Answer{own.Questions[0].ID: nil, id: answer}
			roomtest.WantFailure(t, w.Platform.Assess.SaveAnswers(ctx(), eve, own.ID, forged),
				core.ErrInvalidRequest, "a forged answer")
			_, err := w.Platform.Assess.SubmitAttempt(ctx(), eve, own.ID, forged)
			roomtest.WantFailure(t, err, core.ErrInvalidRequest, "a forged answer")
		}
	}

	// Another mark with better answers, and another attempt than the last one.
	for range 2 {
		r, err := w.Platform.Assess.SubmitAttempt(ctx(), eve, own.ID, nil)
		if err != nil || r.Score != 0 || r.Questions != nil {
			t.Errorf("the result is %+v (%v)", r, err)
		}
		state, err := w.Platform.Assess.Attempt(ctx(), eve, own.ID)
		if err != nil || state.Result.Questions != nil || state.Questions[0].Solution != nil {
			t.Errorf("read %+v (%v)", state, err)
		}
	}
	right := rightAnswers()
	for id := range right {
		if !given[id] {
			delete(right, id)
		}
	}
	if r, err := w.Platform.Assess.SubmitAttempt(ctx(), eve, own.ID, right); err != nil ||
		r.Score != 0 {
		t.Errorf("submitted again: %+v (%v)", r, err)
	}
	if state, err := w.Platform.Assess.Attempt(ctx(), eve, own.ID); err != nil ||
		len(state.Answers) != 0 {
		t.Errorf("answers of a marked attempt have changed: %+v (%v)", state.Answers, err)
	}
	_, err = w.Platform.Assess.StartAttempt(ctx(), eve, course, roomtest.TheChapter)
	roomtest.WantFailure(t, err, assess.ErrNoAttempts, "a third attempt")
	w.Saves(t, e) // a new version gives no new attempts
	_, err = w.Platform.Assess.StartAttempt(ctx(), eve, course, roomtest.TheChapter)
	roomtest.WantFailure(t, err, assess.ErrNoAttempts, "a third attempt of a new version")
	w.WantAttempts(t, 2)
}

// The attempts of a deleted user go, and their marks stay.
func TestQuizAttempt_DeletedUser(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	ada := w.Enrolls(t, "ada", course)
	w.Saves(t, bank(course))
	a := w.Starts(t, ada, course)
	_, err := w.Platform.Assess.SubmitAttempt(ctx(), ada, a.ID, nil)
	roomtest.Must(t, err)
	open := w.Starts(t, ada, course)
	w.Apply(t, roomtest.Event(people.UserDeleted, 2)) // of Ada
	if n := w.Count(t, "quiz_attempts"); n != 0 {
		t.Errorf("%d attempts", n)
	}
	roomtest.WantFailure(t, w.Platform.Assess.SaveAnswers(ctx(), ada, open.ID, nil),
		assess.ErrAttemptNotFound, "save")
	_, err = w.Platform.Assess.StartAttempt(ctx(), ada, course, roomtest.TheChapter)
	roomtest.WantFailure(t, err, core.ErrUnauthenticated, "start")
	w.WantAttempts(t, 1)
}
