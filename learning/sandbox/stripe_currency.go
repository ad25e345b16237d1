package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Stripe counts most currencies in hundredths. It counts those of zeroDecimals in whole units, and
// those of threeDecimals in thousandths whose last digit must be 0. It counts wholeOnly in
// hundredths that must be whole units.
var (
	zeroDecimals = []string{"bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf",
		"vnd", "vuv", "xaf", "xof", "xpf"}
	threeDecimals = []string{"bhd", "jod", "kwd", "omr", "tnd"}
	wholeOnly     = []string{"isk", "ugx"}
)

// smallestCharges are the smallest amounts of Stripe's documentation for an account that is paid
// out in the same currency.
var smallestCharges = map[string]int64{"usd": 50, "aed": 200, "aud": 50, "bgn": 100, "brl": 50,
	"cad": 50, "chf": 50, "czk": 1500, "dkk": 250, "eur": 50, "gbp": 30, "hkd": 400,
	"huf": 17500, "inr": 50, "jpy": 50, "mxn": 1000, "myr": 200, "nok": 300, "nzd": 50,
	"pln": 200, "ron": 200, "sek": 300, "sgd": 50, "thb": 1000}

// checkCharge returns the error of an amount that Stripe does not charge, or nil.
func checkCharge(amount int64, currency string) error {
	step := int64(1)
	switch {
	case slices.Contains(threeDecimals, currency):
		step = 10
	case slices.Contains(wholeOnly, currency):
		step = 100
	}
	if amount%step != 0 {
		e := refuse("amount", fmt.Sprintf("Amount must be divisible by %d for %s.", step, currency))
		e.Code = "parameter_invalid_integer"
		return e
	}
	if amount < smallestCharges[currency] {
		e := refuse("amount", fmt.Sprintf("Amount must be at least %s.",
			stripeMoney(smallestCharges[currency], currency)))
		e.Code = "amount_too_small"
		return e
	}
	return nil
}

// stripeMoney formats an amount in the unit of Stripe, such as "USD 12.50" or "JPY 500".
func stripeMoney(amount int64, currency string) string {
	decimals := 2
	switch {
	case slices.Contains(zeroDecimals, currency):
		decimals = 0
	case slices.Contains(threeDecimals, currency):
		decimals = 3
	}
	digits := strconv.FormatInt(amount, 10)
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	text := strings.ToUpper(currency) + " " + digits[:len(digits)-decimals]
	if decimals == 0 {
		return text
	}
	return text + "." + digits[len(digits)-decimals:]
}
