package catalog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
)

// Price is what a course costs in a currency that is not that of the platform, before its discount.
type Price struct {
	Currency string // ISO 4217
	Amount   core.Money
}

// PriceIn returns the one of prices that is in a currency, and reports whether there is one.
func PriceIn(prices []Price, currency string) (amount core.Money, isSold bool) {
	i := slices.IndexFunc(prices, func(p Price) bool { return p.Currency == currency })
	if i < 0 {
		return 0, false
	}
	return prices[i].Amount, true
}

// PriceSettings say which prices in other currencies a course may have.
type PriceSettings struct {
	Currency string // that of the platform
	// Accepts says what can be paid in a currency; see payment.Provider. Nil: nothing.
	Accepts func(currency string) (core.AmountRule, bool)
}

// MaxPriceIn returns the highest price in a currency other than that of the platform: a thousand
// million of its major unit, because some currencies count in millions what others count in
// hundreds.
func MaxPriceIn(currency string) core.Money {
	decimals, _ := core.Decimals(currency)
	most := core.Money(1_000_000_000)
	for range decimals {
		most *= 10
	}
	return most
}

// checkPlatform returns an error if what is left of the price in the currency of the platform, the
// value of a field, is more than can be paid.
func (s PriceSettings) checkPlatform(field string, left core.Money) error {
	if s.Accepts == nil {
		return nil
	}
	rule, takes := s.Accepts(s.Currency)
	isPayable := !takes || rule.Largest == 0 || left <= rule.Largest
	return core.Require(isPayable, field, "must be at most "+
		core.FormatMoney(rule.Largest, s.Currency)+" after the discount, which can be paid")
}

// CanCost reports whether a course with a discount can have a price, which may be in the currency
// of the platform.
func (s *ForRooms) CanCost(p Price, discount core.Percent) bool {
	if p.Currency != s.prices.Currency {
		return s.prices.check(coursePriceField, []Price{p}) == nil
	}
	left := core.ApplyDiscount(p.Amount, discount)
	return p.Amount >= 0 && p.Amount <= MaxCoursePrice && (left == 0 || left >= MinCoursePrice) &&
		s.prices.checkPlatform(coursePriceField, left) == nil
}

// coursePriceField is the field with the price of a course in the currency of the platform.
const coursePriceField = "coursePrice"

// checkPrice returns an error if a price in the currency of the platform, the value of a field, or
// a discount is not within the limits.
func checkPrice(field string, price core.Money, discount core.Percent) error {
	final := core.ApplyDiscount(price, discount) // what a buyer pays
	return cmp.Or(
		core.Require(price >= 0 && price <= MaxCoursePrice, field,
			fmt.Sprintf("must be between 0 and %v", core.Hundredths(MaxCoursePrice))),
		core.Require(discount >= 0 && discount <= 100_00, "discount",
			"must be between 0 and 100"),
		// The gateway accepts no smaller amount.
		core.Require(final == 0 || final >= MinCoursePrice, field, fmt.Sprintf(
			"must be 0 or at least %v after the discount", core.Hundredths(MinCoursePrice))))
}

// CheckPrice returns an error unless something can be sold, with a discount, at a price in the
// currency of the platform, which is the value of a field. Error: [core.ErrInvalidRequest].
func (s *ForRooms) CheckPrice(field string, price core.Money, discount core.Percent) error {
	return cmp.Or(checkPrice(field, price, discount),
		s.prices.checkPlatform(field, core.ApplyDiscount(price, discount)))
}

// CheckPrices returns an error unless something can be sold at prices in other currencies, beside
// that of the platform in a field. Error: [core.ErrInvalidRequest].
func (s *ForRooms) CheckPrices(field string, prices []Price) error {
	return s.prices.check(field, prices)
}

// check returns an error if prices are not each in another currency that can be paid, and not that
// of the platform, which the price in a field is in.
func (s PriceSettings) check(field string, prices []Price) error {
	seen := map[string]bool{s.Currency: true}
	for _, p := range prices {
		_, isSupported := core.Decimals(p.Currency)
		if !isSupported {
			return core.InvalidField("prices", "must be in currencies of ISO 4217")
		}
		if seen[p.Currency] {
			return core.InvalidField("prices", fmt.Sprintf("must have each currency once, and not "+
				"%s, which %s is in", s.Currency, field))
		}
		seen[p.Currency] = true
		rule, takes := core.AmountRule{}, false
		if s.Accepts != nil {
			rule, takes = s.Accepts(p.Currency)
		}
		err := cmp.Or(
			core.Require(takes, "prices", "must be in currencies that can be paid, which "+
				p.Currency+" is not"),
			core.Require(takes && p.Amount <= MaxPriceIn(p.Currency) && rule.Allows(p.Amount),
				"prices", fmt.Sprintf("must be at least %s %s, and an amount that can be paid",
					core.FormatMoney(rule.Smallest, p.Currency), p.Currency)))
		if err != nil {
			return err
		}
	}
	return nil
}
