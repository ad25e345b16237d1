package staff

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes the application of the user, and the reasons of decisions that concern the
// user.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, _ *core.Changes, userID string, _ time.Time,
) error {
	if err := tx.DeleteApplication(ctx, userID); err != nil {
		return err
	}
	return tx.RemoveUserReasons(ctx, userID)
}

// ForgetCourse deletes the reasons of decisions about the course.
func (s *ForRooms) ForgetCourse(
	ctx context.Context, tx Tx, _ *core.Changes, courseID string,
) error {
	return tx.RemoveCourseReasons(ctx, courseID)
}

// TotalKinds lists none: applications are counted with the users.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists none: nothing of the room is left over.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
