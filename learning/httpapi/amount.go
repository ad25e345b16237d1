package httpapi

import (
	"fmt"
	"strconv"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/learning/core"
)

// amount is an exact amount in the major unit of its currency, which has no, two or three decimals.
type amount struct {
	money    core.Money
	currency string
}

// amountOf returns an amount for an answer.
func amountOf(money core.Money, currency string) amount { return amount{money, currency} }

// MarshalJSON writes the number as JavaScript would: 19.99, 19.5, 19.
func (a amount) MarshalJSON() ([]byte, error) {
	return []byte(core.FormatMoney(a.money, a.currency)), nil
}

// JSONSchema describes the number of MarshalJSON.
func (amount) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "number"} }

// sentAmount is an amount of a request, in the major unit of a currency that is known later.
type sentAmount string

// Fill implements [schemas.Filler] for a number that the schema has accepted.
func (a *sentAmount) Fill(number any) error {
	text := fmt.Sprint(number)         // of a json.Number its digits
	if f, ok := number.(float64); ok { // which Sprint may write with an exponent
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	if _, err := core.ParseMoney(text, mostDecimals); err != nil {
		return schemas.Refusal("must have at most three decimals")
	}
	*a = sentAmount(text)
	return nil
}

// mostDecimals is a currency with as many decimals as a currency can have.
const mostDecimals = "KWD"

// JSONSchema describes the number of Fill.
func (sentAmount) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "number"} }

// of returns the amount in a currency. The error names the field: a currency has fewer decimals, or
// is not known.
func (a sentAmount) of(field, currency string) (core.Money, error) {
	money, err := core.ParseMoney(string(a), currency)
	if err != nil {
		return 0, core.InvalidField(field, "must be an amount of "+currency)
	}
	return money, nil
}
