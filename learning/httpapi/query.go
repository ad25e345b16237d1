package httpapi

import (
	"errors"
	"strconv"

	"github.com/openlectern/openlectern/learning/core"
)

// number parses a query parameter, which must be an integer from least to most. It returns
// empty for an empty parameter, and core.ErrInvalidRequest for an invalid one.
func number(text string, empty, least, most int) (int, error) {
	if text == "" {
		return empty, nil
	}
	n, err := strconv.Atoi(text)
	// A number that no int can hold is a number too: then n is the largest or the smallest int,
	// and the bounds decide.
	isNumber := err == nil || errors.Is(err, strconv.ErrRange)
	if !isNumber || n < least || n > most {
		return 0, core.ErrInvalidRequest
	}
	return n, nil
}
