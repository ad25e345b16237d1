package papers

import (
	"context"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// ForgetUser deletes the billing data of the user, and keeps the papers for admins only.
func (s *ForRooms) ForgetUser(
	ctx context.Context, tx Tx, _ *core.Changes, userID string, _ time.Time,
) error {
	if err := tx.DeleteBilling(ctx, userID); err != nil {
		return err
	}
	return tx.ForgetBuyer(ctx, userID)
}

// ForgetCourse does nothing: a course that was sold stays.
func (s *ForRooms) ForgetCourse(context.Context, Tx, *core.Changes, string) error { return nil }

// TotalKinds lists nothing: the room keeps no totals.
func (s *ForRooms) TotalKinds() []core.TotalKind { return nil }

// TidyingSteps lists the removal of buyers from old papers.
func (s *ForRooms) TidyingSteps() []core.TidyingStep {
	return []core.TidyingStep{{Name: "remove deleted users from old papers", Do: s.removeBuyers}}
}

// Works lists the numbering, if there is a seller.
func (s *ForRooms) Works() []core.Work {
	if s.seller.Name == "" {
		return nil
	}
	return []core.Work{(*Service)(s).System().numbering()}
}

// removedAtOnce is how many papers one transaction of removeBuyers changes.
const removedAtOnce = 100

// removeBuyers removes name, address and tax id of deleted users from the papers that were numbered
// longer ago than papers are kept.
func (s *ForRooms) removeBuyers(ctx context.Context) error {
	before := s.base.Now().AddDate(-s.years, 0, 0)
	for {
		ids, err := s.store.ForgottenPapers(ctx, before, removedAtOnce)
		if err != nil || len(ids) == 0 {
			return core.Wrap("list the old papers of deleted users", err)
		}
		err = s.base.InTx(ctx, func(tx Tx) error {
			tx.Repeatable() // a second run removes nothing more
			return tx.RemoveBuyers(ctx, ids)
		})
		if err != nil {
			return fmt.Errorf("remove deleted users from old papers: %w", err)
		}
	}
}
