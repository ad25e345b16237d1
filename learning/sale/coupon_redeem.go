package sale

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/pricing"
)

// validCoupon returns the coupon with a code, or the zero Coupon for "". Errors:
// [ErrCouponNotFound], and [ErrCouponUnusable] if the coupon is for another course, or is not
// active or not valid now. It does not look at the redemptions: see requireUnused.
func (s *Service) validCoupon(ctx context.Context, courseID, code string) (pricing.Coupon, error) {
	if strings.TrimSpace(code) == "" {
		return pricing.Coupon{}, nil
	}
	code, possible := pricing.CouponCode(code)
	if !possible {
		return pricing.Coupon{}, ErrCouponNotFound
	}
	c, err := s.store.CouponByCode(ctx, code)
	if err != nil {
		return pricing.Coupon{}, couponError(err)
	}
	isForOther := c.CourseID != "" && c.CourseID != courseID
	if !c.IsValid(s.base.Now()) || isForOther {
		return pricing.Coupon{}, ErrCouponUnusable
	}
	return c, nil
}

// requireUnused returns [ErrCouponUnusable] if a user cannot redeem a coupon for a course:
// the user has redeemed it with another purchase, or it is used up. The open purchase of
// the course does not count.
func (s *Service) requireUnused(ctx context.Context, userID, courseID string, c pricing.Coupon) error {
	if c.ID == "" {
		return nil
	}

	// The user'state own open order of the course may hold a redemption: then the coupon can be
	// used, also if it is used up. ErrNoRecord means that no purchase of the user holds one.
	held, err := s.store.RedeemingPurchase(ctx, userID, c.ID)
	switch {
	case errors.Is(err, core.ErrNoRecord) && !c.IsUsedUp():
		return nil
	case errors.Is(err, core.ErrNoRecord):
		return ErrCouponUnusable
	case err != nil:
		return fmt.Errorf("read the purchase with a coupon: %w", err)
	case held.CourseID != courseID || !held.Status.Open():
		return ErrCouponUnusable
	}
	return nil
}

// redeem takes a redemption of the coupon of a purchase, if it has one, in the transaction that
// inserts the purchase. It returns [ErrCouponUnusable] if the coupon allows no more.
func redeem(ctx context.Context, tx Tx, bought Purchase, at time.Time) error {
	if bought.CouponID == "" {
		return nil
	}
	redeemed, err := tx.RedeemCoupon(ctx, bought.CouponID, at)
	if err == nil && !redeemed {
		err = ErrCouponUnusable
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
