package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	wrong  []Question // those that were wrong, if the student may see the solutions; else nil
}

// tutorQuiz reads what the tutor is told of a quiz. It returns nil if the student has no result,
// and while an attempt is open, because the tutor must not help with that.
func (p *Platform) tutorQuiz(
	ctx context.Context, userID, courseID, chapterID string,
) (*tutorQuiz, error) {
	r, err := p.store.LatestQuizResult(ctx, userID, courseID, chapterID)
	if errors.Is(err, ErrNoRecord) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the latest result of a quiz: %w", err)
	}
	wrong, review, err := p.wrongQuestions(ctx, r)
	if err != nil {
		return nil, err
	}
	if !review.allows(r.Passed) {
		wrong = nil // which questions are wrong is the solution of those for true or false
	}

	// Look for an open attempt last: one that begins after this has no answer of the tutor yet.
	latest, err := p.store.LatestAttempt(ctx, userID, courseID, chapterID)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return nil, fmt.Errorf("read the latest attempt at a quiz: %w", err)
	}
	if err == nil && !latest.isSubmitted() {
		return nil, nil
	}
	return &tutorQuiz{result: r, wrong: wrong}, nil
}

// wrongQuestions returns the questions that were answered wrong in a result, with their solutions,
// and when its student may see these. They are those of its attempt, or of the quiz for a result
// without one. If the quiz has changed since, they are not known.
func (p *Platform) wrongQuestions(
	ctx context.Context, r QuizResult,
) (wrong []Question, review QuizReview, err error) {
	a, err := p.store.Attempt(ctx, r.ID)
	if err == nil {
		isRight := func(q Question) bool { return q.isRight(a.Answers[q.ID]) }
		return slices.DeleteFunc(slices.Clone(a.Questions), isRight), a.Review, nil
	}
	if !errors.Is(err, ErrNoRecord) {
		return nil, "", fmt.Errorf("read an attempt: %w", err)
	}
	quiz, err := p.store.Quiz(ctx, r.CourseID, r.ChapterID)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return nil, "", fmt.Errorf("read a quiz: %w", err)
	}
	if err != nil || quiz.Version != r.Version || len(quiz.Questions) != len(r.Answers) {
		return nil, ReviewNever, nil
	}
	for i, q := range quiz.Questions {
		if q.OptionIndex(q.Solution.Answer) != r.Answers[i] {
			wrong = append(wrong, q)
		}
	}
	return wrong, quiz.Settings.Review, nil
}

// data returns the result as data for the prompt.
func (t *tutorQuiz) data() map[string]any {
	data := map[string]any{"percentage": t.result.Percentage, "passed": t.result.Passed,
		"takenAt": t.result.CreatedAt}
	var wrong []map[string]any
	for _, q := range t.wrong[:min(len(t.wrong), tutorWrong)] {
		wrong = append(wrong, map[string]any{
			"question":    truncate(q.Text, tutorQuestion),
			"rightAnswer": truncate(q.textOf(q.Solution.Answer), tutorQuestion),
			"explanation": truncate(q.Solution.Explanation, tutorQuestion),
		})
	}
	if wrong != nil {
		data["wrongQuestions"] = wrong
	}
	return data
}
