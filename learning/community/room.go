package community

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser removes the reviews of the user, and the user from complaints. The complaints stay to
// be decided. Ratings, posts and replies stay, but no question of the user waits any more.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, changes *core.Changes, userID string, _ time.Time,
) error {
	if err := endQuestions(ctx, tx, changes, userID); err != nil {
		return err
	}
	reviews, err := tx.ReviewsBy(ctx, userID)
	if err != nil {
		return err
	}
	for _, r := range reviews {
		if err := tx.LockReview(ctx, r.ID); err != nil {
			return err
		}
		if err := removeText(ctx, tx, changes, r); err != nil {
			return err
		}
	}
	return tx.ForgetReporter(ctx, userID)
}

// ForgetCourse deletes the posts of the course, with their replies and votes, and closes the
// complaints about them.
func (s *ForRooms) ForgetCourse(
	ctx context.Context, tx Tx, changes *core.Changes, courseID string,
) error {
	return s.deletePostsOf(ctx, tx, changes, courseID)
}

// TotalKinds lists the numbers of posts and of ratings, and of what waits.
func (s *ForRooms) TotalKinds() []core.TotalKind {
	return []core.TotalKind{TotalPosts, TotalRatings, TotalWaitingQuestions, TotalWaitingReviews,
		TotalOpenComplaints}
}

// TidyingSteps lists none: nothing of the room is left over.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
