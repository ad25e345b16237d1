package sale

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Quote is the price of a course for a user, with a coupon or without one.
type Quote struct {
	Currency string
	Price    core.Money // of the course, before its discount
	Total    core.Money // to be paid: after the discount of the course and the coupon
	Coupon   Coupon     // the zero Coupon for none
}

// Discount returns by how much the discount of the course and the coupon reduce the price.
func (q Quote) Discount() core.Money { return q.Price - q.Total }

// Quote returns the price for which the actor can buy a course now. couponCode may be "".
// It takes no redemption. Errors: [core.ErrUnauthenticated], [catalog.ErrCourseNotFound],
// [ErrCouponNotFound], [ErrCouponUnusable].
func (s *Service) Quote(ctx context.Context, actor core.Actor,
	courseID, couponCode string) (Quote, error) {
	if err := actor.Require(); err != nil {
		return Quote{}, err
	}

	// The checks of an order that concern the course and its coupon, except that no redemption is
	// taken.
	course, err := s.catalog.Published(ctx, courseID)
	if err != nil {
		return Quote{}, err
	}
	coupon, err := s.validCoupon(ctx, courseID, couponCode)
	if err != nil {
		return Quote{}, err
	}
	if err := s.requireUnused(ctx, actor.UserID, courseID, coupon); err != nil {
		return Quote{}, err
	}
	q := Quote{Currency: s.currency, Price: course.Price,
		Total: coupon.apply(course.FinalPrice()), Coupon: coupon}
	if err := s.requireMayBuy(ctx, actor, Offered{CourseID: course.ID, CourseTitle: course.Title,
		Amount: q.Total, Currency: q.Currency}); err != nil {
		return Quote{}, err
	}
	return q, nil
}

// apply returns a price after the coupon: 0, or at least MinCoursePrice, because the gateway
// accepts no smaller amount. The zero Coupon leaves the price as it is.
func (c Coupon) apply(price core.Money) core.Money {
	switch total := core.ApplyDiscount(price, c.PercentOff) - c.AmountOff; {
	case c.ID == "":
		return price
	case total <= 0:
		return 0
	default:
		return max(total, catalog.MinCoursePrice)
	}
}

// validCoupon returns the coupon with a code, or the zero Coupon for "". Errors:
// [ErrCouponNotFound], and [ErrCouponUnusable] if the coupon is for another course, or is not
// active or not valid now. It does not look at the redemptions: see requireUnused.
func (s *Service) validCoupon(ctx context.Context, courseID, code string) (Coupon, error) {
	if strings.TrimSpace(code) == "" {
		return Coupon{}, nil
	}
	code, possible := couponCode(code)
	if !possible {
		return Coupon{}, ErrCouponNotFound
	}
	c, err := s.store.CouponByCode(ctx, code)
	if err != nil {
		return Coupon{}, couponError(err)
	}
	isForOther := c.CourseID != "" && c.CourseID != courseID
	if !c.isValid(s.base.Now()) || isForOther {
		return Coupon{}, ErrCouponUnusable
	}
	return c, nil
}

// isValid reports whether the coupon is active and valid at a time.
func (c Coupon) isValid(at time.Time) bool {
	return c.Active && !at.Before(c.StartsAt) && (c.EndsAt.IsZero() || at.Before(c.EndsAt))
}

// isUsedUp reports whether the coupon has a limit of redemptions and has reached it.
func (c Coupon) isUsedUp() bool {
	return c.MaxRedemptions != 0 && c.Redemptions >= c.MaxRedemptions
}

// requireUnused returns [ErrCouponUnusable] if a user cannot redeem a coupon for a course:
// the user has redeemed it with another purchase, or it is used up. The open purchase of
// the course does not count.
func (s *Service) requireUnused(ctx context.Context, userID, courseID string, c Coupon) error {
	if c.ID == "" {
		return nil
	}

	// The user'state own open order of the course may hold a redemption: then the coupon can be
	// used, also if it is used up. ErrNoRecord means that no purchase of the user holds one.
	held, err := s.store.RedeemingPurchase(ctx, userID, c.ID)
	switch {
	case errors.Is(err, core.ErrNoRecord) && !c.isUsedUp():
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
