package staff

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes the application of the user.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, _ *core.Changes, userID string, _ time.Time,
) error {
	return tx.DeleteApplication(ctx, userID)
}

// ForgetCourse deletes nothing: no row of the room is of a course.
func (s *ForRooms) ForgetCourse(context.Context, Tx, string) error { return nil }

// TotalKinds lists none: applications are counted with the users.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists none: nothing of the room is left over.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
