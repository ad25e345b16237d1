package sale

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// ForgetUser deletes nothing. Purchases stay: they are books.
func (s *ForRooms) ForgetUser(context.Context, Tx, *core.Changes, string, time.Time) error {
	return nil
}

// ForgetCourse deletes nothing. Purchases that have failed stay.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error { return nil }

// TotalKinds lists the sums and numbers of sales.
func (s *ForRooms) TotalKinds() []core.TotalKind {
	return []core.TotalKind{purchase.TotalSales, purchase.TotalDailySales,
		purchase.TotalCourseSales}
}

// TidyingSteps lists nothing: what calls leave, the reconciliation removes.
func (s *ForRooms) TidyingSteps() []core.TidyingStep { return nil }

// Works lists the reconciliation, if there is a provider and an interval.
func (s *ForRooms) Works() []core.Work {
	if s.desk.IsEmpty() || s.reconcileEvery <= 0 {
		return nil
	}
	return []core.Work{(*Service)(s).System().reconciliation(s.reconcileEvery)}
}
