package sale

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
)

// requireUnused returns [offer.ErrCouponUnusable] if a user cannot redeem a coupon for an offer:
// the user has redeemed it with another purchase, or it is used up. The open purchase of
// the offer does not count.
func (s *Service) requireUnused(
	ctx context.Context, userID string, o offer.Offer, c offer.Coupon,
) error {
	if c.ID == "" {
		return nil
	}

	// The open order of the user for the offer may hold a redemption: then the coupon can be
	// used, also if it is used up. ErrNoRecord means that no purchase of the user holds one.
	held, err := s.store.RedeemingPurchase(ctx, userID, c.ID)
	switch {
	case errors.Is(err, core.ErrNoRecord) && !c.IsUsedUp():
		return nil
	case errors.Is(err, core.ErrNoRecord):
		return offer.ErrCouponUnusable
	case err != nil:
		return fmt.Errorf("read the purchase with a coupon: %w", err)
	case held.OfferID() != o.ID() || !held.Status.Open():
		return offer.ErrCouponUnusable
	}
	return nil
}
