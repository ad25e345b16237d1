package sale

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	case held.CourseID != o.CourseID || !held.Status.Open():
		return offer.ErrCouponUnusable
	}
	return nil
}

// redeem takes a redemption of the coupon of a purchase, if it has one, in the transaction that
// inserts the purchase. It returns [offer.ErrCouponUnusable] if the coupon allows no more.
func redeem(ctx context.Context, tx Tx, bought Purchase, at time.Time) error {
	if bought.CouponID == "" {
		return nil
	}
	redeemed, err := tx.RedeemCoupon(ctx, bought.CouponID, at)
	if err == nil && !redeemed {
		err = offer.ErrCouponUnusable
	}
	return err
}

// giveCouponBack subtracts the redemption of a purchase from those of its coupon, if it holds one.
// p is the purchase before its change. Call it once, in the transaction in which the purchase
// fails, is deleted, or gets another coupon, which the caller stores.
func giveCouponBack(ctx context.Context, tx Tx, p Purchase) error {
	if !p.HoldsCoupon {
		return nil
	}
	return tx.AddToRedemptions(ctx, p.CouponID, -1)
}
