package offer

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes nothing: nothing of the room belongs to one user.
func (s *ForRooms) ForgetUser(
	context.Context, Tx, *core.Changes, string, time.Time,
) error {
	return nil
}

// ForgetCourse deletes the coupons of the course.
func (s *ForRooms) ForgetCourse(
	ctx context.Context, tx Tx, _ *core.Changes, courseID string,
) error {
	return tx.DeleteCoupons(ctx, courseID)
}

// ExportLists lists none.
func (s *ForRooms) ExportLists() []exportlist.List { return nil }

// TotalKinds lists none.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists none.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists none.
func (s *ForRooms) Works() []core.Work { return nil }
