package stripe

import (
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
)

// currency is how Stripe counts and accepts the amounts of a currency. Stripe's amount is the
// amount in the minor unit of ISO 4217, multiplied by times and divided by per.
type currency struct {
	smallest core.Money
	step     core.Money
	times    int64
	per      int64
}

// Stripe counts all other currencies as ISO 4217 does: most in hundredths, some in whole units.
var unusual = map[string]currency{
	// No decimals in ISO 4217, but Stripe counts them in hundredths that must be whole units.
	"ISK": {step: 1, times: 100, per: 1},
	"UGX": {step: 1, times: 100, per: 1},
	// Two decimals in ISO 4217, but whole units at Stripe.
	"MGA": {step: 100, times: 1, per: 100},
	// Thousandths whose last digit must be 0.
	"BHD": {step: 10, times: 1, per: 1},
	"JOD": {step: 10, times: 1, per: 1},
	"KWD": {step: 10, times: 1, per: 1},
	"OMR": {step: 10, times: 1, per: 1},
	"TND": {step: 10, times: 1, per: 1},
}

// smallestAmounts are those that Stripe documents. Which one counts depends on the currency in
// which the account is paid out: these are for an account that is paid out in the currency itself.
// Other currencies are converted, and must have at least the value of the smallest amount of the
// account's currency. This package knows neither the account nor the rates of the day, so it
// accepts every amount of them: Stripe refuses the order of an amount that is too small.
var smallestAmounts = map[string]core.Money{
	"AED": 2_00, "AUD": 50, "BGN": 1_00, "BRL": 50, "CAD": 50, "CHF": 50, "CZK": 15_00,
	"DKK": 2_50, "EUR": 50, "GBP": 30, "HKD": 4_00, "HUF": 175_00, "INR": 50, "JPY": 50,
	"MXN": 10_00, "MYR": 2_00, "NOK": 3_00, "NZD": 50, "PLN": 2_00, "RON": 2_00, "SEK": 3_00,
	"SGD": 50, "THB": 10_00, "USD": 50,
}

// accepted are the currencies in which Stripe takes payments, with a space around each. Not every
// account may use all of them.
const accepted = " AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB " +
	"BRL BSD BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP " +
	"GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD JOD JPY KES KGS KHR KMF " +
	"KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD " +
	"NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD " +
	"SHP SLE SOS SRD SZL THB TJS TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VND VUV WST XAF XCD " +
	"XCG XOF XPF YER ZAR ZMW "

// Accepts implements [payment.Provider].
func (c *Client) Accepts(code string) (core.AmountRule, bool) {
	if len(code) != 3 || !strings.Contains(accepted, " "+code+" ") {
		return core.AmountRule{}, false
	}
	of := currencyOf(code)
	return core.AmountRule{Smallest: of.smallest, Step: of.step,
		Largest: core.Money(maxAmount * of.per / of.times)}, true
}

// maxAmount is the largest amount in Stripe's unit: eight digits.
const maxAmount = 99_999_999

// currencyOf returns how Stripe counts a currency, in capital letters.
func currencyOf(code string) currency {
	of, ok := unusual[code]
	if !ok {
		of = currency{step: 1, times: 1, per: 1}
	}
	of.smallest = max(smallestAmounts[code], of.step)
	return of
}

// toStripe returns an amount as Stripe counts it. It returns an error for an amount that Stripe
// cannot take.
func toStripe(amount core.Money, code string) (int64, error) {
	of := currencyOf(code)
	if amount <= 0 || amount%of.step != 0 {
		return 0, fmt.Errorf("the amount must be a positive multiple of %d in the smallest unit "+
			"of %s", int64(of.step), code)
	}
	return int64(amount) * of.times / of.per, nil
}

// fromStripe returns an amount of an answer in the minor unit of ISO 4217. The code is that of the
// answer, in small letters. It returns an error if the amount has a fraction of that unit.
func fromStripe(amount int64, code string) (core.Money, error) {
	of := currencyOf(strings.ToUpper(code))
	if amount*of.per%of.times != 0 {
		return 0, fmt.Errorf("%w: an amount has a fraction", errInvalidAnswer)
	}
	return core.Money(amount * of.per / of.times), nil
}
