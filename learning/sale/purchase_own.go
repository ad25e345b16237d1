package sale

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// Purchases returns a page of the purchases of the actor, the newest first. It leaves out those
// with the status [purchase.Created]: their order is not open yet, so nothing can be paid. Errors:
// [core.ErrUnauthenticated], [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) Purchases(
	ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[purchase.Own], error) {
	if err := actor.Require(); err != nil {
		return core.Page[purchase.Own]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]purchase.Own, error) {
		return s.store.PurchasesOfUser(ctx, actor.UserID, page)
	}
	return paging.ReadPage(ctx, "list the purchases of a user", page, read,
		func(p purchase.Own) core.Position { return core.Position{At: p.CreatedAt, ID: p.ID} })
}

// Purchase returns a purchase of the actor, such as for a client that waits for a slow payment.
// Errors: [core.ErrUnauthenticated], and [purchase.ErrNotFound], also for one of another user.
func (s *Service) Purchase(
	ctx context.Context, actor core.Actor, id string,
) (purchase.Own, error) {
	if err := actor.Require(); err != nil {
		return purchase.Own{}, err
	}
	p, err := s.store.PurchaseWithTitle(ctx, id)
	isOwn := err == nil && p.UserID == actor.UserID && p.Status != purchase.Created
	if errors.Is(err, core.ErrNoRecord) || err == nil && !isOwn {
		return purchase.Own{}, purchase.ErrNotFound
	}
	return p, core.Wrap("read a purchase", err)
}
