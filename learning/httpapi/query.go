package httpapi

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"

	"github.com/openlectern/openlectern/learning/core"
)

// unknownWord is the reason for which a parameter that is one of several words is refused.
const unknownWord = "must be one of the words that the API document lists"

// number parses the query parameter of a name, which must be an integer from least to most. It
// returns empty for an empty parameter, and [core.ErrInvalidRequest] for an invalid one.
func number(query url.Values, name string, empty, least, most int) (int, error) {
	text := query.Get(name)
	if text == "" {
		return empty, nil
	}
	n, err := strconv.Atoi(text)
	// A number that no int can hold is a number too: then n is the largest or the smallest int,
	// and the bounds decide.
	isNumber := err == nil || errors.Is(err, strconv.ErrRange)
	if !isNumber || n < least || n > most {
		reason := fmt.Sprintf("must be a whole number of at least %d", least)
		if most < math.MaxInt {
			reason = fmt.Sprintf("must be a whole number between %d and %d", least, most)
		}
		return 0, core.InvalidField(name, reason)
	}
	return n, nil
}
