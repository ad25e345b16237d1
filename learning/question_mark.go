package learning

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// isRight reports whether an answer, which isAnswer accepts or which is nil, is right:
//
//	SingleChoice    the same option
//	MultipleChoice  the same set of options
//	TrueFalse       the same value
//	NumberQuestion  a number no further from the solution than the tolerance, in exact decimals; a
//	                unit after it is ignored
//	TextQuestion    one of the texts of the solution, without regard to case and outer space
func (q Question) isRight(given Answer) bool {
	switch right := q.Solution.Answer.(type) {
	case string, bool:
		return given == right
	case float64:
		number, ok := numberOf(given)
		return ok && isNear(number, right, q.Solution.Tolerance)
	case []string:
		if text, isText := given.(string); isText && q.Kind == TextQuestion {
			return slices.ContainsFunc(right,
				func(accepted string) bool { return folded(accepted) == folded(text) })
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

// folded returns a text in the form in which answers are compared. Its letters are composed,
// because keyboards differ in whether é is one code point or two.
func folded(text string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.TrimSpace(text))))
}

// leadingNumber matches a number at the beginning of a text, with what follows it up to a space. A
// unit must not continue the number, as the comma in 1,5 would.
var leadingNumber = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:$|[^\d.,'])`)

// numberOf returns the number of an answer: itself, or that at the beginning of a text, which a
// unit may follow, as in "9.81 m/s²". The typographic minus sign is one too.
func numberOf(a Answer) (number float64, ok bool) {
	text, isText := a.(string)
	if !isText {
		number, ok = a.(float64)
		return number, ok
	}
	text = strings.Replace(strings.TrimSpace(text), "\u2212", "-", 1)
	match := leadingNumber.FindStringSubmatch(text)
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
