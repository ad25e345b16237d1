package core

import (
	"errors"
	"strconv"
	"strings"
)

// The currencies of ISO 4217 without decimals, and those with three. Those with two are
// twoDecimals. Others, such as units of account, are not supported.
const (
	noDecimals    = " BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF "
	threeDecimals = " BHD IQD JOD KWD LYD OMR TND "
)

// Decimals returns how many decimals ISO 4217 gives to a currency: 0, 2 or 3. It reports false for
// a currency that is not supported.
func Decimals(currency string) (decimals int, isSupported bool) {
	if HasTwoDecimals(currency) {
		return 2, true
	}
	if len(currency) != 3 { // a part of a list with several codes is no code
		return 0, false
	}
	code := " " + currency + " "
	if strings.Contains(threeDecimals, code) {
		return 3, true
	}
	return 0, strings.Contains(noDecimals, code)
}

// AmountRule says which amounts of a currency can be paid: a multiple of Step that is at least
// Smallest, both of which are positive, and at most Largest.
type AmountRule struct {
	Smallest Money
	Step     Money
	Largest  Money // 0 for no limit
}

// Round returns the amount nearest to a positive one that can be paid.
func (r AmountRule) Round(amount Money) Money {
	return max((amount+r.Step/2)/r.Step*r.Step, (r.Smallest+r.Step-1)/r.Step*r.Step)
}

// Allows reports whether an amount can be paid as it is.
func (r AmountRule) Allows(amount Money) bool {
	return amount >= r.Smallest && amount%r.Step == 0 && (r.Largest == 0 || amount <= r.Largest)
}

// FormatMoney returns an amount in the major unit of its currency, without trailing zeros: 1950 is
// "19.5" in EUR, "1950" in JPY and "1.95" in KWD. A currency that is not supported has two
// decimals.
func FormatMoney(amount Money, currency string) string {
	text := FixedMoney(amount, currency)
	if !strings.Contains(text, ".") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// FixedMoney is [FormatMoney] with all decimals of the currency: 1950 is "19.50" in EUR.
func FixedMoney(amount Money, currency string) string {
	decimals, isSupported := Decimals(currency)
	if !isSupported {
		decimals = 2
	}
	digits := strconv.FormatInt(int64(max(amount, -amount)), 10)
	digits = strings.Repeat("0", max(0, decimals+1-len(digits))) + digits
	if decimals > 0 {
		digits = digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
	}
	if amount < 0 {
		return "-" + digits
	}
	return digits
}

var errMoney = errors.New("learning: not an amount of the currency")

// ParseMoney returns an amount of a plain decimal in the major unit of a currency: "19.5" in EUR is
// 1950. More decimals than the currency has, except zeros, are an error, and so is a currency that
// is not supported.
func ParseMoney(s, currency string) (Money, error) {
	decimals, isSupported := Decimals(currency)
	whole, fraction, _ := strings.Cut(s, ".")
	fraction = strings.TrimRight(fraction, "0")
	digits := strings.TrimPrefix(whole, "-")
	if !isSupported || digits == "" || len(digits) > 15 || len(fraction) > decimals ||
		strings.Trim(digits+fraction, "0123456789") != "" {
		return 0, errMoney
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	if err != nil { // only a precaution: they are at most 18 digits
		return 0, errMoney
	}
	return Money(n), nil
}
