package sale

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// ForgetUser removes the reasons that admins gave for refunds of the user. Purchases stay: they are
// books.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, _ *core.Changes, userID string, _ time.Time,
) error {
	return forgetRefundReasonsOf(ctx, tx, userID)
}

// ForgetCourse deletes nothing. Purchases that have failed stay.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error { return nil }

// TotalKinds lists the sums and numbers of sales.
func (s *ForRooms) TotalKinds() []core.TotalKind {
	return []core.TotalKind{purchase.TotalSales, purchase.TotalDailySales, purchase.TotalCourseSales}
}

// TidyingSteps lists the deletion of the keys of refunds.
func (s *ForRooms) TidyingSteps() []core.TidyingStep {
	return []core.TidyingStep{{Name: "delete the keys of refunds", Do: s.deleteRefundKeys}}
}

// Works lists the reconciliation, if there is a provider and an interval.
func (s *ForRooms) Works() []core.Work {
	if s.desk.IsEmpty() || s.reconcileEvery <= 0 {
		return nil
	}
	return []core.Work{(*Service)(s).System().reconciliation(s.reconcileEvery)}
}
