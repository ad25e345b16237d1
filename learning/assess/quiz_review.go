package assess

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
)

// ReviewedResult is a result with the questions that were answered wrong, as far as the student may
// know them.
type ReviewedResult struct {
	QuizResult
	// Wrong has solutions only if the student may see these. It is empty if the student may not
	// learn which questions are wrong, and if the quiz has changed since.
	Wrong []Question
}

// LatestReviewed reads the latest result of a user at the quiz of a chapter. It returns nil if
// there is no result, and while an attempt is open, because nobody must help with that.
func (s *ForRooms) LatestReviewed(
	ctx context.Context, userID, courseID, chapterID string,
) (*ReviewedResult, error) {
	r, err := s.store.LatestQuizResult(ctx, userID, courseID, chapterID)
	if errors.Is(err, core.ErrNoRecord) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the latest result of a quiz: %w", err)
	}
	wrong, err := s.wrongQuestions(ctx, r)
	if err != nil {
		return nil, err
	}

	// Look for an open attempt last: one that begins after this has had no help yet.
	latest, err := s.store.LatestAttempt(ctx, userID, courseID, chapterID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return nil, fmt.Errorf("read the latest attempt at a quiz: %w", err)
	}
	if err == nil && !latest.isSubmitted() {
		return nil, nil
	}
	return &ReviewedResult{QuizResult: r, Wrong: wrong}, nil
}

// wrongQuestions returns the questions that were answered wrong in a result. They are those of its
// attempt, or of the quiz for a result without one. If the quiz has changed since, they are not
// known. They have solutions only if the student may see these, and there are none if the student
// may not learn which are wrong.
func (s *ForRooms) wrongQuestions(
	ctx context.Context, r QuizResult,
) (wrong []Question, err error) {
	// Find the attempt, or what it would be of a result without one.
	a, err := s.store.Attempt(ctx, r.ID)
	if errors.Is(err, core.ErrNoRecord) {
		var quiz Quiz
		if quiz, err = s.store.Quiz(ctx, r.CourseID, r.ChapterID); err == nil {
			a, err = quiz.answered(QuizAnswers{Answers: r.Answers, Version: &r.Version})
		}
		// the quiz is gone, or has changed
		if errors.Is(err, core.ErrNoRecord) || core.IsPublic(err) {
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
	isRight := func(q Question) bool { return q.IsRightAnswer(a.Answers[q.ID]) }
	wrong = slices.DeleteFunc(slices.Clone(a.Questions), isRight)
	if !a.Review.allows(r.Passed) {
		return WithoutSolutions(wrong), nil
	}
	return wrong, nil
}
