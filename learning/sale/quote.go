package sale

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
)

// QuoteRequest is what a user asks the price of. The fields have the meaning of those of an
// [OrderRequest].
type QuoteRequest struct {
	CourseID   string
	BundleID   string
	CouponCode string
	Currency   string
}

// Quote is the price of a course or a bundle for a user, with a coupon or without one.
type Quote struct {
	Currency string
	Price    core.Money   // before the discount
	Total    core.Money   // to be paid: after the discount and the coupon
	Coupon   offer.Coupon // the zero Coupon for none
}

// Discount returns by how much the discount of the course and the coupon reduce the price.
func (q Quote) Discount() core.Money { return q.Price - q.Total }

// Quote returns the price for which the actor can buy a course or a bundle now. It takes no
// redemption. Errors: [core.ErrUnauthenticated], [catalog.ErrCourseNotFound],
// [bundle.ErrBundleNotFound], [study.ErrAlreadyEnrolled] for a bundle, [catalog.ErrCourseEnded],
// [study.ErrCoursesRequired], [offer.ErrCouponNotFound], [offer.ErrCouponUnusable],
// [payment.ErrCurrencyNotSold], and what a [BuyPolicy] refuses with.
func (s *Service) Quote(ctx context.Context, actor core.Actor, r QuoteRequest) (Quote, error) {
	if err := actor.Require(); err != nil {
		return Quote{}, err
	}

	// The checks of an order that concern the course and its coupon, except that no redemption is
	// taken.
	o, err := s.offered(ctx, r.CourseID, r.BundleID)
	if err != nil {
		return Quote{}, err
	}
	if err := s.requireMissing(ctx, actor.UserID, o); err != nil {
		return Quote{}, err
	}
	if err := s.mayStillBuy(ctx, actor, o); err != nil {
		return Quote{}, err
	}
	coupon, err := s.offers.ValidCoupon(ctx, o, r.CouponCode)
	if err != nil {
		return Quote{}, err
	}
	if err := s.requireUnused(ctx, actor.UserID, o, coupon); err != nil {
		return Quote{}, err
	}
	p, err := s.offers.Price(o, coupon, r.Currency)
	if err != nil {
		return Quote{}, err
	}
	if err := s.buyPolicy.Require(ctx, actor, o, p); err != nil {
		return Quote{}, err
	}
	return Quote{Currency: p.Currency, Price: p.Listed, Total: p.Amount, Coupon: coupon}, nil
}
