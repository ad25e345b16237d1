package httpapi

import (
	"github.com/openlectern/openlectern/learning/catalog"
)

// priceJSON is what a course costs in a currency.
type priceJSON struct {
	Currency string `json:"currency"`
	Price    amount `json:"price" doc:"Before the discount."`
}

// pricesOf returns the wire shape of prices, nil if there are none.
func pricesOf(list []catalog.Price) (prices []priceJSON) {
	for _, p := range list {
		prices = append(prices, priceJSON{p.Currency, amountOf(p.Amount, p.Currency)})
	}
	return prices
}

// newPrice is a price in a request.
type newPrice struct {
	Currency string     `json:"currency" jsonschema:"minLength=3,maxLength=3" doc:"The code of ISO 4217."`
	Price    sentAmount `json:"price" jsonschema:"exclusiveMinimum=0,maximum=1000000000" doc:"With no more decimals than the currency has."`
}

// pricesIn returns the prices of a request. The error names the field.
func pricesIn(list []newPrice) ([]catalog.Price, error) {
	var prices []catalog.Price
	for _, p := range list {
		price, err := p.Price.of("prices", p.Currency)
		if err != nil {
			return nil, err
		}
		prices = append(prices, catalog.Price{Currency: p.Currency, Amount: price})
	}
	return prices, nil
}
