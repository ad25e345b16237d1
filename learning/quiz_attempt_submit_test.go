package learning_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Recommendations name what was wrong, with the AI and without it, only if the student may see the
// solutions: which questions for true or false are wrong is their solution.
func TestSubmitAttempt_RecommendationsTellNoSolution(t *testing.T) {
	w, course := newQuizFixture(t, sqlite(t), learning.Without("WithAI"))
	model := &adviser{}
	advised := w.otherInstance(t, learningtest.WithPlatform(learning.WithAI(model)))
	e := bank(course)
	for i := range e.Questions {
		e.Questions[i].Text = "Question on " + e.Questions[i].ID
	}
	fails, passes := map[string]learning.Answer{"true-false": true}, rightAnswers()
	passes["true-false"] = true
	for i, test := range []struct {
		review  learning.QuizReview
		answers map[string]learning.Answer
		named   bool
	}{
		{learning.ReviewNever, fails, false}, {learning.ReviewNever, passes, false},
		{learning.ReviewPassed, fails, false}, {learning.ReviewPassed, passes, true},
		{learning.ReviewAlways, fails, true},
	} {
		e.Settings.Review = test.review
		w.saves(t, e)
		ada := w.enrolls(t, fmt.Sprint("ada-", i), course)
		without := w.attempts(t, ada, course, test.answers).Recommendations
		open := w.starts(t, ada, course)
		with, err := advised.Platform.SubmitAttempt(ctx(), ada, open.ID, test.answers)
		if err != nil || with.Recommendations != "• Read on." {
			t.Fatalf("%s: %q (%v)", test.review, with.Recommendations, err)
		}
		list, err := w.Platform.QuizResults(ctx(), ada, course, theChapter)
		must(t, err)
		asked := fmt.Sprint(model.asked.Messages)
		for _, text := range []string{without, list[1].Recommendations, asked} {
			if strings.Contains(text, "Question on true-false") != test.named ||
				!strings.Contains(text, "chapter") || strings.Contains(text, "All answers") {
				t.Errorf("%s, %+v: %s", test.review, test.answers, text)
			}
		}
	}
}

// A bank of 500 questions makes neither a long prompt nor long recommendations.
func TestSubmitAttempt_RecommendationsAreShort(t *testing.T) {
	model := &adviser{}
	w, course := newQuizFixture(t, sqlite(t), learning.WithAI(model))
	e := bank(course)
	e.Questions, e.Settings.Review = nil, learning.ReviewAlways
	for i := range learning.MaxQuestionBank {
		e.Questions = append(e.Questions, learning.NewQuestion(i, fmt.Sprint("Question on ", i),
			[]string{"A", "B"}, 0, ""))
	}
	w.saves(t, e)
	ada := w.enrolls(t, "ada", course)
	w.attempts(t, ada, course, nil)
	if n := strings.Count(fmt.Sprint(model.asked.Messages), "Question on"); n != 20 {
		t.Errorf("the AI is told of %d questions", n)
	}
	without := w.otherInstance(t, learningtest.WithPlatform(learning.Without("WithAI")))
	if r := without.attempts(t, ada, course, nil); strings.Count(r.Recommendations, "\n") != 20 ||
		len(r.Questions) != learning.MaxQuestionBank {
		t.Errorf("%d questions, %s", len(r.Questions), r.Recommendations)
	}
}
