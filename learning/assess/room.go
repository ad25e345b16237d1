package assess

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes the attempts and submissions of the user. The marks of quizzes stay, without
// answers.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, changes *core.Changes, userID string, at time.Time,
) error {
	if err := removeAnswersOf(ctx, tx, userID); err != nil {
		return err
	}
	return removeSubmissionsOf(ctx, tx, changes, userID, at)
}

// ContentStored removes the quizzes of chapters that are gone from the content of a course, which
// the transaction has stored and locked.
func (s *ForRooms) ContentStored(
	ctx context.Context, tx Tx, courseID string, content []catalog.Chapter,
) error {
	return removeQuizzesOf(ctx, tx, courseID, content)
}

// ForgetCourse deletes the quizzes of the course, with extra attempts at them, the totals of their
// questions, and what is marked anew.
func (s *ForRooms) ForgetCourse(
	ctx context.Context, tx Tx, _ *core.Changes, courseID string,
) error {
	if err := tx.DeleteQuizzes(ctx, courseID); err != nil {
		return err
	}
	if err := tx.DeleteQuizRemarks(ctx, courseID); err != nil {
		return err
	}
	if err := tx.DeleteExtraAttempts(ctx, courseID); err != nil {
		return err
	}
	return tx.DeleteQuestionTotals(ctx, courseID)
}

// TotalKinds lists the results by mastery, the time of attempts, and the submissions that wait. The
// totals of questions have a table of their own: see [TotalQuestions].
func (s *ForRooms) TotalKinds() []core.TotalKind {
	return []core.TotalKind{TotalNeedsReview, TotalOnTrack, TotalMastered, TotalAttemptTime,
		TotalWaitingSubmissions}
}

// TidyingSteps lists the marking of attempts whose time is over.
func (s *ForRooms) TidyingSteps() []core.TidyingStep {
	return []core.TidyingStep{{Name: "mark attempts whose time is over", Do: s.closeAttempts}}
}

// Works lists the marking anew of quizzes.
func (s *ForRooms) Works() []core.Work { return []core.Work{s.remarking()} }
