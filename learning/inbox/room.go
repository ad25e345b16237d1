package inbox

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// goneWithTheirActor are the kinds that name what is deleted with the user who made it.
var goneWithTheirActor = []core.NotificationKind{assess.NotifyAssignmentSubmitted,
	community.NotifyReviewCreated}

// ForgetUser deletes the notifications of the user's submissions and reviews. Those that the user
// has received are in private lists of the export. Those of the user's posts and replies stay, as
// these do.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, _ *core.Changes, userID string, _ time.Time,
) error {
	for _, kind := range goneWithTheirActor {
		if err := tx.DeleteNotificationsBy(ctx, userID, kind); err != nil {
			return err
		}
	}
	return nil
}

// ForgetCourse deletes the announcements of the course, and the notifications that name it.
func (s *ForRooms) ForgetCourse(
	ctx context.Context, tx Tx, _ *core.Changes, courseID string,
) error {
	if err := tx.DeleteAnnouncements(ctx, courseID); err != nil {
		return err
	}
	return tx.DeleteCourseNotifications(ctx, courseID)
}

// TotalKinds lists none.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists what keeps the notifications within their bounds.
func (s *ForRooms) TidyingSteps() []core.TidyingStep {
	return []core.TidyingStep{
		{Name: "delete old notifications", Do: s.deleteOld},
		{Name: "delete notifications above the limit of a user", Do: s.deleteMost},
	}
}

// Works lists the telling of announcements.
func (s *ForRooms) Works() []core.Work { return []core.Work{s.telling()} }
