package qti

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strconv"

	"github.com/openlectern/openlectern/internal/answertext"
)

// decimal matches the numbers that are read. Their length is bounded before, because an exact
// number takes as much memory as it has digits.
var decimal = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$`)

const maxDigits = 1_000

var errNumber = errors.New("it cannot be read")

// exact returns the number that a text is, with typographic signs and spaces as in an answer.
func exact(text string) (*big.Rat, error) {
	text = answertext.Plain(text)
	if len(text) > maxDigits || !decimal.MatchString(text) {
		return nil, errNumber
	}
	number, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, errNumber
	}
	return number, nil
}

// around returns the number in the middle of two, and how far they are from it.
func around(least, most string) (middle, tolerance float64, err error) {
	low, err := exact(least)
	if err != nil {
		return 0, 0, err
	}
	high, err := exact(most)
	if err != nil {
		return 0, 0, err
	}
	half := big.NewRat(1, 2)
	middle, _ = new(big.Rat).Mul(half, new(big.Rat).Add(low, high)).Float64()
	tolerance, _ = new(big.Rat).Mul(half, new(big.Rat).Sub(high, low)).Float64()
	if tolerance < 0 || math.IsInf(middle, 0) || math.IsInf(tolerance, 0) {
		return 0, 0, errNumber
	}
	return middle, tolerance, nil
}

// isBetween returns an error unless a number is from least to most.
func isBetween(text, least, most string) error {
	number, err := exact(text)
	if err != nil {
		return err
	}
	low, errLow := exact(least)
	high, errHigh := exact(most)
	if errLow != nil || errHigh != nil || number.Cmp(low) < 0 || number.Cmp(high) > 0 {
		return errNumber
	}
	return nil
}

// bounds returns the least and the greatest number that are no further from a number than a
// tolerance, without rounding, and the number itself. The numbers are those that their shortest
// decimals are.
func bounds(number, tolerance float64) (text, least, most string) {
	text = strconv.FormatFloat(number, 'g', -1, 64)
	n, _ := new(big.Rat).SetString(text)
	t, _ := new(big.Rat).SetString(strconv.FormatFloat(tolerance, 'g', -1, 64))
	return text, written(new(big.Rat).Sub(n, t)), written(new(big.Rat).Add(n, t))
}

// written returns all digits of a decimal.
func written(r *big.Rat) string {
	digits, _ := r.FloatPrec() // which is exact, because the number is a sum of decimals
	return r.FloatString(digits)
}
