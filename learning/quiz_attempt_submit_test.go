package learning_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Recommendations name what was wrong, with the AI and without it. They do not if the student may
// not see the solutions and a question has two answers only: that one is wrong is its solution.
func TestSubmitAttempt_RecommendationsTellNoSolution(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), learning.Without("WithAI"))
	model := &adviser{}
	advised := w.OtherInstance(t, learningtest.WithPlatform(learning.WithAI(model)))
	e := bank(course)
	e.Questions[2].ID, e.Questions[2].Text = "wrong", "Question on what is wrong"
	options := []assess.Choice{{ID: "yes", Text: "Yes"}, {ID: "no", Text: "No"}, {Text: "Both"}}
	for i, test := range []struct {
		review  assess.QuizReview
		options int // of the question that is answered wrong; 0 if it is for true or false
		passes  bool
		named   bool
	}{
		{assess.ReviewNever, 0, false, false}, {assess.ReviewNever, 0, true, false},
		{assess.ReviewNever, 2, true, false}, {assess.ReviewNever, 3, true, true},
		{assess.ReviewPassed, 0, false, false}, {assess.ReviewPassed, 0, true, true},
		{assess.ReviewAlways, 0, false, true},
	} {
		q := &e.Questions[2]
		var wrong assess.Answer = true
		q.Kind, q.Options, q.Solution.Answer = assess.TrueFalse, options[:test.options], false
		if test.options > 0 {
			q.Kind, q.Solution.Answer, wrong = assess.SingleChoice, "no", "yes"
		}
		answers := map[string]assess.Answer{}
		if test.passes {
			answers = rightAnswers()
			delete(answers, "true-false")
		}
		answers["wrong"] = wrong
		e.Settings.Review = test.review
		w.Saves(t, e)
		ada := w.Enrolls(t, fmt.Sprint("ada-", i), course)
		without := w.Attempts(t, ada, course, answers).Recommendations
		open := w.Starts(t, ada, course)
		with, err := advised.Platform.Assess.SubmitAttempt(ctx(), ada, open.ID, answers)
		if err != nil || with.Recommendations != "• Read on." {
			t.Fatalf("%s: %q (%v)", test.review, with.Recommendations, err)
		}
		list, err := w.Platform.Assess.QuizResults(ctx(), ada, course, roomtest.TheChapter)
		roomtest.Must(t, err)
		asked := fmt.Sprint(model.asked.Messages)
		for _, text := range []string{without, list[1].Recommendations, asked} {
			if strings.Contains(text, "what is wrong") != test.named ||
				!strings.Contains(text, "chapter") || strings.Contains(text, "All answers") {
				t.Errorf("%s, %+v: %s", test.review, answers, text)
			}
		}
	}
}

// A bank of 500 questions makes neither a long prompt nor long recommendations.
func TestSubmitAttempt_RecommendationsAreShort(t *testing.T) {
	model := &adviser{}
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), learning.WithAI(model))
	e := bank(course)
	e.Questions, e.Settings.Review = nil, assess.ReviewAlways
	for i := range assess.MaxQuestionBank {
		e.Questions = append(e.Questions, assess.NewQuestion(i, fmt.Sprint("Question on ", i),
			[]string{"A", "B"}, 0, ""))
	}
	w.Saves(t, e)
	ada := w.Enrolls(t, "ada", course)
	w.Attempts(t, ada, course, nil)
	if n := strings.Count(fmt.Sprint(model.asked.Messages), "Question on"); n != 20 {
		t.Errorf("the AI is told of %d questions", n)
	}
	without := w.OtherInstance(t, learningtest.WithPlatform(learning.Without("WithAI")))
	if r := without.Attempts(t, ada, course, nil); strings.Count(r.Recommendations, "\n") != 20 ||
		len(r.Questions) != assess.MaxQuestionBank {
		t.Errorf("%d questions, %s", len(r.Questions), r.Recommendations)
	}
}

// An attempt is marked by the rules and the questions with which it began, and what becomes of the
// quiz and of its chapter does not matter.
func TestSubmitAttempt_AfterTheQuizIsGone(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database, learning.Without("WithAI"))
		ada := w.Enrolls(t, "ada", course)
		e := bank(course)
		e.Settings = assess.QuizSettings{PassPercent: 40, Review: assess.ReviewPassed}
		w.Saves(t, e)
		a := w.Starts(t, ada, course)

		other := bank(course)
		other.Questions = other.Questions[:1]
		other.Settings = assess.QuizSettings{PassPercent: 100, Review: assess.ReviewNever,
			Attempts: 1, Minutes: 1}
		w.Saves(t, other)
		w.AnswersOf(t, ada, a.ID, map[string]assess.Answer{"text": "paris"})
		roomtest.Must(t, w.Platform.Assess.DeleteQuiz(ctx(), roomtest.Teacher, course,
			roomtest.TheChapter))
		w.Clock.Advance(time.Hour)
		if again := w.Starts(t, ada, course); again.ID != a.ID || len(again.Questions) != 5 {
			t.Errorf("after the quiz was deleted: %+v", again)
		}
		w.Edit(t, course, catalog.CourseEdit{Content: []catalog.Chapter{roomtest.Chapter("new",
			"l")}})
		r, err := w.Platform.Assess.SubmitAttempt(ctx(), ada, a.ID, nil)
		if err != nil || r.Score != 16 || r.Total != 31 || !r.Passed || len(r.Questions) != 5 {
			t.Errorf("after the chapter was removed: %+v (%v)", r, err)
		}
		_, err = w.Platform.Assess.StartAttempt(ctx(), ada, course, roomtest.TheChapter)
		roomtest.WantFailure(t, err, assess.ErrQuizNotFound, "another attempt")
		w.WantAttempts(t, 1)
	})
}

// A user who loses the access and gets it again has no more attempts than before: the one that was
// open has ended with the access.
func TestStartAttempt_CountsThoseOfBeforeTheAccessEnded(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database, learning.Without("WithAI"))
		ada, boss := w.Enrolls(t, "ada", course), w.Person(t, "boss", core.Admin)
		e := bank(course)
		e.Settings.Attempts = 1
		w.Saves(t, e)
		a := w.Starts(t, ada, course)
		w.AnswersOf(t, ada, a.ID, map[string]assess.Answer{"text": "paris"})
		roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), boss, ada.UserID, course))
		w.Enrolls(t, "ada", course)
		roomtest.WantFailure(t, w.Platform.Assess.SaveAnswers(ctx(), ada, a.ID, rightAnswers()),
			assess.ErrTimeOver, "save after another enrolment")
		_, err := w.Platform.Assess.StartAttempt(ctx(), ada, course, roomtest.TheChapter)
		roomtest.WantFailure(t, err, assess.ErrNoAttempts, "start")
		if r := w.OnlyResult(t, ada, course); r.Score != 16 {
			t.Errorf("the result is %+v", r)
		}
		w.WantAttempts(t, 1)
	})
}

// Scheduled work closes all attempts whose time is over, however many there are, and also if one of
// them cannot be read.
func TestTidy_ClosesAllAttempts(t *testing.T) {
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t), learning.Without("WithAI"))
	e := bank(course)
	e.Settings.Minutes = 1
	w.Saves(t, e)
	a := w.Starts(t, w.Enrolls(t, "ada", course), course)
	w.Exec(t, "UPDATE quiz_attempts SET questions = 'damaged'")
	const others = 120                   // more than are read at a time
	a.EndsAt = a.EndsAt.Add(time.Second) // after the damaged one
	for i := range e.Questions {
		a.Questions[i].Solution = &assess.Solution{Answer: "Paris"}
	}
	roomtest.Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
		for i := range others {
			a.ID, a.UserID = fmt.Sprint(a.ID[:30], i), fmt.Sprint("student-", i)
			if err := tx.InsertQuizAttempt(ctx(), a); err != nil {
				return err
			}
		}
		return nil
	}))
	w.Clock.Advance(time.Hour)
	if err := w.Platform.System().Tidy(ctx()); err == nil {
		t.Error("the damaged attempt is not reported")
	}
	if n := w.Count(t, "quiz_results"); n != others {
		t.Errorf("%d attempts are marked, want %d", n, others)
	}
}
