package exchange

import (
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// describePrices returns the descriptions of prices in other currencies than that of the platform.
func describePrices(list []catalog.Price) (described []coursepackage.Price) {
	for _, p := range list {
		described = append(described,
			coursepackage.Price{Amount: int64(p.Amount), Currency: p.Currency})
	}
	return described
}

// priceOf returns the price that a package describes.
func priceOf(p coursepackage.Price) catalog.Price {
	return catalog.Price{Currency: p.Currency, Amount: core.Money(p.Amount)}
}

// fitPrices changes the prices of the package to those that this platform can have, and notes those
// that it leaves out. The platform that has written the package may sell in another currency:
//
//	price of the package                prices of the package     the course costs
//	in the currency of this platform    any                       that price
//	in another one                      one in that of this one   that one of the prices
//	in another one                      none in that of this one  nothing, until its price is set
//
// All other prices, that of a package in another currency included, become its prices in other
// currencies as far as a payment provider takes them.
func (in *packageImport) fitPrices() {
	own, main := in.service.currency, in.course.Price
	others := slices.Clone(in.course.Prices)
	if main.Currency != own {
		in.course.Price = coursepackage.Price{Currency: own}
		isOwn := func(p coursepackage.Price) bool { return p.Currency == own }
		if i := slices.IndexFunc(others, isOwn); i >= 0 {
			in.course.Price = others[i]
			others = slices.Delete(others, i, i+1)
		} else if main.Amount != 0 {
			in.skip("the price in "+own, fmt.Sprintf("the package has none, and its price is in %s: "+
				"set the price of the course", text.Truncate(main.Currency, 3)))
		}
		if main.Amount != 0 {
			others = slices.Insert(others, 0, main)
		}
		if price := in.course.Price; !in.canCost(price) {
			in.skipPrice(price)
			in.course.Price.Amount = 0
		}
	}
	in.course.Prices = slices.DeleteFunc(others, func(p coursepackage.Price) bool {
		// A second price in the currency of the platform is a fault of the package, which check
		// refuses.
		isSkipped := p.Currency != own && !in.canCost(p)
		if isSkipped {
			in.skipPrice(p)
		}
		return isSkipped
	})
}

// canCost reports whether the course can have a price on this platform.
func (in *packageImport) canCost(p coursepackage.Price) bool {
	return in.service.catalog.ForRooms().CanCost(priceOf(p), core.Percent(in.course.Discount))
}

// skipPrice notes that a price is not imported.
func (in *packageImport) skipPrice(p coursepackage.Price) {
	skipped := skippedPrice(priceOf(p))
	in.skip(skipped.What, skipped.Why)
}

// skippedPrice names a price that cannot be paid.
func skippedPrice(p catalog.Price) SkippedPart {
	currency := text.Truncate(p.Currency, 3) // of a file, which may have anything in its place
	return SkippedPart{What: "the price in " + currency,
		Why: fmt.Sprintf("no payment provider of this platform takes %s %s",
			core.FormatMoney(p.Amount, p.Currency), currency)}
}
