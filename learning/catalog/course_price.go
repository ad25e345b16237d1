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

// checkPlatform returns an error if what is left of the price in the currency of the platform is
// more than can be paid.
func (s PriceSettings) checkPlatform(left core.Money) error {
	if s.Accepts == nil {
		return nil
	}
	rule, takes := s.Accepts(s.Currency)
	isPayable := !takes || rule.Largest == 0 || left <= rule.Largest
	return core.Require(isPayable, "coursePrice", "must be at most "+
		core.FormatMoney(rule.Largest, s.Currency)+" after the discount, which can be paid")
}

// check returns an error if prices are not each in another currency that can be paid, and not that
// of the platform.
func (s PriceSettings) check(prices []Price) error {
	seen := map[string]bool{s.Currency: true}
	for _, p := range prices {
		_, isSupported := core.Decimals(p.Currency)
		if !isSupported {
			return core.InvalidField("prices", "must be in currencies of ISO 4217")
		}
		if seen[p.Currency] {
			return core.InvalidField("prices", fmt.Sprintf("must have each currency once, and not "+
				"%s, which coursePrice is in", s.Currency))
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
