package httpapi

import (
	"errors"
	"strconv"

	"github.com/openlectern/openlectern/learning"
)

// number reads a parameter of a query, which must be a whole number from least to most.
// An empty one has the value that is given for it.
func number(text string, empty, least, most int) (int, error) {
	if text == "" {
		return empty, nil
	}
	n, err := strconv.Atoi(text) // with too many digits it is the largest number, or the smallest
	if err != nil && !errors.Is(err, strconv.ErrRange) || n < least || n > most {
		return 0, learning.ErrInvalidRequest
	}
	return n, nil
}
