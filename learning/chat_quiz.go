package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// Limits of what the tutor is told of a quiz.
const (
	tutorWrong    = 20  // questions that were wrong
	tutorQuestion = 300 // code points of a question, an answer and an explanation each
)

// tutorQuizInstructions are added to the system message if the data has a result of a quiz.
const tutorQuizInstructions = `
The data has the student's latest result of the quiz of this chapter, and, if the student may see them, questions that were answered wrong. Explain what belongs to them where the question of the student is about it. Tell no right answer that the data does not have, because the student may be asked the same question again.`

// tutorQuiz is what the tutor is told of the latest result of a student at the quiz of a chapter.
type tutorQuiz struct {
	result QuizResult
	wrong  []Question // those that were wrong, as far as the student may know them
}

// tutorQuiz reads what the tutor is told of a quiz. It returns nil if the student has no result,
// and while an attempt is open, because the tutor must not help with that.
func (p *Platform) tutorQuiz(
	ctx context.Context, userID, courseID, chapterID string,
) (*tutorQuiz, error) {
	r, err := p.store.LatestQuizResult(ctx, userID, courseID, chapterID)
	if errors.Is(err, core.ErrNoRecord) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the latest result of a quiz: %w", err)
	}
	wrong, err := p.wrongQuestions(ctx, r)
	if err != nil {
		return nil, err
	}

	// Look for an open attempt last: one that begins after this has no answer of the tutor yet.
	latest, err := p.store.LatestAttempt(ctx, userID, courseID, chapterID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return nil, fmt.Errorf("read the latest attempt at a quiz: %w", err)
	}
	if err == nil && !latest.isSubmitted() {
		return nil, nil
	}
	return &tutorQuiz{result: r, wrong: wrong}, nil
}

// wrongQuestions returns the questions that were answered wrong in a result. They are those of its
// attempt, or of the quiz for a result without one. If the quiz has changed since, they are not
// known. They have solutions only if the student may see these, and there are none if the student
// may not learn which are wrong.
func (p *Platform) wrongQuestions(
	ctx context.Context, r QuizResult,
) (wrong []Question, err error) {
	// Find the attempt, or what it would be of a result without one.
	a, err := p.store.Attempt(ctx, r.ID)
	if errors.Is(err, core.ErrNoRecord) {
		var quiz Quiz
		if quiz, err = p.store.Quiz(ctx, r.CourseID, r.ChapterID); err == nil {
			a, err = quiz.answered(QuizAnswers{Answers: r.Answers, Version: &r.Version})
		}
		if errors.Is(err, core.ErrNoRecord) || core.IsPublic(err) { // the quiz is gone, or has changed
			return nil, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read an attempt: %w", err)
	}

	// Leave out what is right, and what the student may not know.
	if !a.Review.namesWrong(r.Passed, a.Questions) {
		return nil, nil
	}
	isRight := func(q Question) bool { return q.isRight(a.Answers[q.ID]) }
	wrong = slices.DeleteFunc(slices.Clone(a.Questions), isRight)
	if !a.Review.allows(r.Passed) {
		return withoutSolutions(wrong), nil
	}
	return wrong, nil
}

// data returns the result as data for the prompt.
func (t *tutorQuiz) data() map[string]any {
	data := map[string]any{"percentage": t.result.Percentage, "passed": t.result.Passed,
		"takenAt": t.result.CreatedAt}
	var wrong []map[string]any
	for _, q := range t.wrong[:min(len(t.wrong), tutorWrong)] {
		one := map[string]any{"question": text.Truncate(q.Text, tutorQuestion)}
		if s := q.Solution; s != nil {
			one["rightAnswer"] = text.Truncate(q.textOf(s.Answer), tutorQuestion)
			one["explanation"] = text.Truncate(s.Explanation, tutorQuestion)
		}
		wrong = append(wrong, one)
	}
	if wrong != nil {
		data["wrongQuestions"] = wrong
	}
	return data
}
