package core

import (
	"errors"
	"strconv"
	"strings"
)

// Hundredths is an exact decimal number with two places, counted in hundredths:
// 1999 is 19.99. This file does not use floating point.
type Hundredths int64

// Money is an amount in the smallest unit that ISO 4217 has for its currency: paise, cents, yen,
// fils. The currency of the platform has two decimals; see [FormatMoney] for the others.
type Money = Hundredths

// Percent is a percentage in hundredths of a percent: 1250 is 12.5 %.
type Percent = Hundredths

var errHundredths = errors.New("learning: not a decimal number with at most two places")

// ParseHundredths parses a plain decimal such as "19.99", "-5" or "7.50". Zeros after
// the second decimal place are ignored. Any other digit there, an exponent, a sign
// other than "-", and more than 15 digits before the point are errors.
func ParseHundredths(s string) (Hundredths, error) {
	whole, fraction, _ := strings.Cut(s, ".") // without a point, all is the whole part
	fraction = strings.TrimRight(fraction, "0")
	digits := strings.TrimPrefix(whole, "-")

	// 15 digits and two places fit into an int64.
	if digits == "" || len(digits) > 15 || len(fraction) > 2 ||
		strings.Trim(digits+fraction, "0123456789") != "" {
		return 0, errHundredths
	}

	// Without the point, and with two places, it is the number in hundredths.
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 2-len(fraction)), 10, 64)
	if err != nil { // only a precaution: they are at most 17 digits
		return 0, errHundredths
	}
	return Hundredths(n), nil
}

// String returns the number in major units without trailing zeros, as the JSON of the
// contract has it: 1999 is "19.99", 1950 is "19.5", 1900 is "19".
func (h Hundredths) String() string {
	sign, n := "", int64(h)
	if n < 0 {
		sign, n = "-", -n
	}
	s := strconv.FormatInt(n/100, 10)
	if n%100 != 0 { // 100 is added, and its 1 is cut off, so that 5 becomes "05"
		s += strings.TrimRight("."+strconv.FormatInt(100+n%100, 10)[1:], "0")
	}
	return sign + s
}

// ApplyDiscount returns the amount minus the discount, rounded half away from zero:
// 19.99 minus 15 % is 16.99 (docs/api.md §6). The rounding is right only if amount is not
// negative and discount is at most 100 %.
func ApplyDiscount(amount Money, discount Percent) Money {
	const whole = 100_00 // 100 % as a Percent
	n := int64(amount) * (whole - int64(discount))
	return Money((n + whole/2) / whole)
}

// The currencies of ISO 4217 that have two decimals: that of the platform is one of them.
const twoDecimals = " AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN " +
	"BWP BYN BZD " +
	"CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD " +
	"GTQ GYD " +
	"HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA " +
	"MKD MMK " +
	"MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON " +
	"RSD RUB " +
	"SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS " +
	"UAH USD " +
	"UYU UZS VED VES WST XCD YER ZAR ZMW ZWG "

// HasTwoDecimals reports whether a code is in twoDecimals, with the spaces around it. The length is
// checked because a part of the list with several codes is no code.
func HasTwoDecimals(code string) bool {
	return len(code) == 3 && strings.Contains(twoDecimals, " "+code+" ")
}
