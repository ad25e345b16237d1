package community

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser removes the reviews of the user, and the user from complaints. The complaints stay to
// be decided. Ratings, posts and replies stay.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, _ *core.Changes, userID string, _ time.Time,
) error {
	if err := tx.RemoveReviews(ctx, userID); err != nil {
		return err
	}
	return tx.ForgetReporter(ctx, userID)
}

// ForgetCourse deletes the posts of the course, with their replies and votes.
func (s *ForRooms) ForgetCourse(ctx context.Context, tx Tx, courseID string) error {
	return deletePostsOf(ctx, tx, courseID)
}

// TotalKinds lists the numbers of posts and of ratings.
func (s *ForRooms) TotalKinds() []core.TotalKind {
	return []core.TotalKind{TotalPosts, TotalRatings}
}

// TidyingSteps lists none: nothing of the room is left over.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
