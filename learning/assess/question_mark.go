package assess

import (
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"

	"github.com/openlectern/openlectern/internal/answertext"
)

// IsRightAnswer reports whether an answer, which isAnswer accepts or which is nil, is right:
//
//	SingleChoice    the same option
//	MultipleChoice  the same set of options
//	TrueFalse       the same value
//	NumberQuestion  a number no further from the solution than the tolerance, in exact decimals; a
//	                unit after it is ignored
//	TextQuestion    one of the texts of the solution, in the form of [answertext.Folded]
func (q Question) IsRightAnswer(given Answer) bool {
	switch right := q.Solution.Answer.(type) {
	case string, bool:
		return given == right
	case float64:
		number, ok := numberOf(given)
		return ok && isNear(number, right, q.Solution.Tolerance)
	case []string:
		if text, isText := given.(string); isText && q.Kind == TextQuestion {
			folded := answertext.Folded(text)
			return slices.ContainsFunc(right,
				func(accepted string) bool { return answertext.Folded(accepted) == folded })
		}
		set, isSet := given.([]string)
		return isSet && slices.Equal(sortedSet(set), sortedSet(right))
	}
	return false
}

// sortedSet returns the different strings of a list in order.
func sortedSet(list []string) []string {
	set := slices.Clone(list)
	slices.Sort(set)
	return slices.Compact(set)
}

// Parts of a number with a unit. A unit has no digits but exponents, as in m/s², s^-2 or cm3, and
// l/100 km. So no text is read that goes on with a number, such as 1 000, 3/4, 5-6, 1’000, 10³ or
// 2 x 10^3, because its first number is not the one that is meant.
const (
	decimalNumber = `[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`
	exponent      = `(?:\^?[-+−]?\d)?`
	unitStart     = `(?:[eExX]|[^\PLeExX]` + exponent + `|[\p{Sc}%‰°'"′″/(\[])` // not 5 e3 and 5x2
	unitRest      = `(?:[\pL)]` + exponent + `|/ ?100|[²³⁰-⁹]|[^\pL\pN])*`
)

var numberWithUnit = regexp.MustCompile(
	`^(` + decimalNumber + `)\s*(?:` + unitStart + unitRest + `)?$`)

// isFinite reports whether a number is neither infinite nor NaN.
func isFinite(number float64) bool { return !math.IsInf(number, 0) && !math.IsNaN(number) }

// numberOf returns the number of an answer, which is finite: itself, or that of a text, which a
// unit may follow, as in "9.81 m/s²". The text is read in the form of [answertext.Plain].
func numberOf(a Answer) (number float64, ok bool) {
	text, isText := a.(string)
	if !isText {
		number, ok = a.(float64)
		return number, ok && isFinite(number)
	}
	match := numberWithUnit.FindStringSubmatch(answertext.Plain(text))
	if match == nil {
		return 0, false
	}
	number, err := strconv.ParseFloat(match[1], 64)
	return number, err == nil // an error is a number that is too large
}

// isNear reports whether two numbers differ by no more than tolerance. It calculates with the
// decimals that were written, because the difference of 0.4 and 0.3 as floating-point numbers is
// greater than 0.1.
func isNear(a, b, tolerance float64) bool {
	distance := new(big.Rat).Sub(exact(a), exact(b))
	return distance.Abs(distance).Cmp(exact(tolerance)) <= 0
}

// exact returns the shortest decimal that is read as f: what was written, if that has at most 15
// digits. f must be finite.
func exact(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return r
}
