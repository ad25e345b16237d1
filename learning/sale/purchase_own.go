package sale

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// OwnPurchase is a purchase as its buyer sees it.
type OwnPurchase struct {
	Purchase
	// CourseTitle is that of the course, the last one if it was deleted, or that of the bundle.
	CourseTitle string
}

// Purchases returns a page of the purchases of the actor, the newest first. It leaves out those
// with the status [PurchaseCreated]: their order is not open yet, so nothing can be paid. Errors:
// [core.ErrUnauthenticated], [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) Purchases(
	ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[OwnPurchase], error) {
	if err := actor.Require(); err != nil {
		return core.Page[OwnPurchase]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]OwnPurchase, error) {
		return s.store.PurchasesOfUser(ctx, actor.UserID, page)
	}
	return paging.ReadPage(ctx, "list the purchases of a user", page, read,
		func(p OwnPurchase) core.Position { return core.Position{At: p.CreatedAt, ID: p.ID} })
}

// Purchase returns a purchase of the actor, such as for a client that waits for a slow payment.
// Errors: [core.ErrUnauthenticated], and [ErrPurchaseNotFound], also for one of another user.
func (s *Service) Purchase(
	ctx context.Context, actor core.Actor, id string,
) (OwnPurchase, error) {
	if err := actor.Require(); err != nil {
		return OwnPurchase{}, err
	}
	p, err := s.store.PurchaseWithTitle(ctx, id)
	isOwn := err == nil && p.UserID == actor.UserID && p.Status != PurchaseCreated
	if errors.Is(err, core.ErrNoRecord) || err == nil && !isOwn {
		return OwnPurchase{}, ErrPurchaseNotFound
	}
	return p, core.Wrap("read a purchase", err)
}

// Currency returns the currency of a purchase, for an admin who is about to send an amount. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [ErrPurchaseNotFound].
func (s *Service) Currency(ctx context.Context, actor core.Actor, id string) (string, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return "", err
	}
	p, err := s.store.Purchase(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		return "", ErrPurchaseNotFound
	}
	return p.Currency, core.Wrap("read a purchase", err)
}

// OwnPurchaseReader reads purchases with the titles of their courses, without their lines.
type OwnPurchaseReader interface {
	PurchaseWithTitle(ctx context.Context, id string) (OwnPurchase, error)
	// PurchasesOfUser lists a page of the purchases of a user, the newest first, without those
	// whose order is not open yet.
	PurchasesOfUser(ctx context.Context, userID string, page core.PageRequest) ([]OwnPurchase,
		error)
}
