package schemas

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/invopop/jsonschema"
)

// NumberOrText marks a number that may also be sent as a string that holds one, in the
// jsonschema_extras tag of the field of a request.
const NumberOrText = "x-number-or-text"

// IsNumberOrText reports whether a field has the mark NumberOrText.
func IsNumberOrText(doc *jsonschema.Schema) bool { return doc.Extras[NumberOrText] != nil }

// NumberPattern is the pattern of such a string: a plain decimal number with optional blanks
// around it. Exponents are refused, so that the number is as short as the string.
const NumberPattern = `^\s*-?([0-9]+(\.[0-9]+)?|\.[0-9]+)\s*$`

var numberText = regexp.MustCompile(NumberPattern)

// maxNumberText is the length of the longest such string, in bytes without the blanks around it. It
// bounds the work of the check, and is longer than any number that a client needs to send.
const maxNumberText = 40

// numberIn returns the number in text as a json.Number in the form of JSON, with its exact value.
// It returns text itself if it holds no number, so that the schema refuses it.
func numberIn(text string) any {
	s := strings.TrimSpace(text)
	if len(s) > maxNumberText || !numberText.MatchString(s) {
		return text
	}
	// JSON allows no leading zeros. Those at the end of a fraction mean nothing.
	s, isNegative := strings.CutPrefix(s, "-")
	whole, fraction, _ := strings.Cut(s, ".")
	number := cmp.Or(strings.TrimLeft(whole, "0"), "0")
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		number += "." + fraction
	}
	if isNegative {
		number = "-" + number
	}
	return json.Number(number)
}
