package offer

import (
	"errors"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// Price is what an offer costs in a currency.
type Price struct {
	Currency string
	Listed   core.Money       // before the discount and the coupon
	Amount   core.Money       // to be paid
	Provider payment.Provider // that takes it; nil if nothing is to be paid, or if there is none
}

// Price returns what an offer costs with a coupon, which is zero for none. currency is "" for that
// of the platform. Errors: [payment.ErrCurrencyNotSold], and [ErrCouponUnusable] for a coupon with
// an amount, which is in the currency of the platform, in another one.
func (s *ForRooms) Price(o Offer, coupon Coupon, currency string) (p Price, err error) {
	p.Currency = currency
	if currency == "" {
		p.Currency = s.currency
	}
	isSold := true
	p.Listed = o.Price
	if p.Currency != s.currency {
		p.Listed, isSold = catalog.PriceIn(o.Prices, p.Currency)
	}
	switch {
	case !isSold:
		return Price{}, payment.ErrCurrencyNotSold
	case coupon.AmountOff > 0 && p.Currency != s.currency:
		return Price{}, ErrCouponUnusable
	}

	// What is left is rounded to what the provider accepts. Without any provider only free offers
	// can be bought, and the price is shown as the gateway would take it.
	reduced := core.ApplyDiscount(p.Listed, o.Discount)
	if coupon.ID != "" {
		reduced = core.ApplyDiscount(reduced, coupon.PercentOff) - coupon.AmountOff
	}
	if reduced <= 0 {
		return p, nil
	}
	rule := core.AmountRule{Smallest: catalog.MinCoursePrice, Step: 1}
	provider, ofProvider, err := s.providers.For(p.Currency)
	switch {
	case err == nil:
		p.Provider, rule = provider, ofProvider
	case !errors.Is(err, payment.ErrNotConfigured):
		return Price{}, err
	}
	p.Amount = rule.Round(reduced)
	return p, nil
}
