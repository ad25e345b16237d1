package refund

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser removes the reasons that admins gave for refunds of the user. Refunds stay: they are
// books.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, _ *core.Changes, userID string, _ time.Time,
) error {
	return forgetReasonsOf(ctx, tx, userID)
}

// ForgetCourse deletes nothing.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error {
	return nil
}

// TotalKinds lists nothing: a refund changes the totals of sales, which room sale lists.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists the deletion of the keys of refunds.
func (s *ForRooms) TidyingSteps() []core.TidyingStep {
	return []core.TidyingStep{{Name: "delete the keys of refunds", Do: s.deleteRefundKeys}}
}

// Works lists nothing: room sale reconciles refunds together with orders.
func (s *ForRooms) Works() []core.Work { return nil }
