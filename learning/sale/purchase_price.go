package sale

import (
	"context"
	"errors"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/pricing"
)

// QuoteRequest is what a user asks the price of. The fields have the meaning of those of an
// [OrderRequest].
type QuoteRequest struct {
	CourseID   string
	CouponCode string
	Currency   string
}

// Quote is the price of a course for a user, with a coupon or without one.
type Quote struct {
	Currency string
	Price    core.Money     // of the course, before its discount
	Total    core.Money     // to be paid: after the discount of the course and the coupon
	Coupon   pricing.Coupon // the zero Coupon for none
}

// Discount returns by how much the discount of the course and the coupon reduce the price.
func (q Quote) Discount() core.Money { return q.Price - q.Total }

// Quote returns the price for which the actor can buy a course now. It takes no redemption. Errors:
// [core.ErrUnauthenticated], [catalog.ErrCourseNotFound], [ErrCouponNotFound], [ErrCouponUnusable],
// [ErrCurrencyNotSold], and what a [BuyPolicy] refuses with.
func (s *Service) Quote(ctx context.Context, actor core.Actor, r QuoteRequest) (Quote, error) {
	if err := actor.Require(); err != nil {
		return Quote{}, err
	}

	// The checks of an order that concern the course and its coupon, except that no redemption is
	// taken.
	course, err := s.catalog.Published(ctx, r.CourseID)
	if err != nil {
		return Quote{}, err
	}
	coupon, err := s.validCoupon(ctx, r.CourseID, r.CouponCode)
	if err != nil {
		return Quote{}, err
	}
	if err := s.requireUnused(ctx, actor.UserID, r.CourseID, coupon); err != nil {
		return Quote{}, err
	}
	p, err := s.priceOf(course, coupon, r.Currency)
	if err != nil {
		return Quote{}, err
	}
	if err := s.requireMayBuy(ctx, actor, Offered{CourseID: course.ID, CourseTitle: course.Title,
		Amount: p.amount, Currency: p.currency}); err != nil {
		return Quote{}, err
	}
	return Quote{Currency: p.currency, Price: p.listed, Total: p.amount, Coupon: coupon}, nil
}

// price is what a course costs in a currency.
type price struct {
	currency string
	listed   core.Money       // before the discount and the coupon
	amount   core.Money       // to be paid
	provider payment.Provider // that takes it; nil if nothing is to be paid, or if there is none
}

// priceOf returns what a course costs with a coupon, which is zero for none. currency is "" for
// that of the platform. Errors: [ErrCurrencyNotSold], and [ErrCouponUnusable] for a coupon with an
// amount, which is in the currency of the platform, in another one.
func (s *Service) priceOf(
	course catalog.Course, coupon pricing.Coupon, currency string,
) (p price, err error) {
	p.currency = currency
	if currency == "" {
		p.currency = s.currency
	}
	isSold := true
	p.listed = course.Price
	if p.currency != s.currency {
		p.listed, isSold = course.PriceIn(p.currency)
	}
	switch {
	case !isSold:
		return price{}, payment.ErrCurrencyNotSold
	case coupon.AmountOff > 0 && p.currency != s.currency:
		return price{}, ErrCouponUnusable
	}

	// What is left is rounded to what the provider accepts. Without any provider only free courses
	// can be bought, and the price is shown as the gateway would take it.
	reduced := core.ApplyDiscount(p.listed, course.Discount)
	if coupon.ID != "" {
		reduced = core.ApplyDiscount(reduced, coupon.PercentOff) - coupon.AmountOff
	}
	if reduced <= 0 {
		return p, nil
	}
	rule := core.AmountRule{Smallest: catalog.MinCoursePrice, Step: 1}
	provider, ofProvider, err := s.desk.Providers.For(p.currency)
	switch {
	case err == nil:
		p.provider, rule = provider, ofProvider
	case !errors.Is(err, payment.ErrNotConfigured):
		return price{}, err
	}
	p.amount = rule.Round(reduced)
	return p, nil
}
