package httpapi

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// numberOrText marks a number that may also be sent as a string that holds one, in the
// jsonschema_extras tag of the field of a request.
const numberOrText = "x-number-or-text"

func isNumberOrText(doc *jsonschema.Schema) bool { return doc.Extras[numberOrText] != nil }

// numberPattern is the pattern of such a string: a plain decimal number with optional blanks
// around it. Exponents are refused, so that the number is as short as the string.
const numberPattern = `^\s*-?([0-9]+(\.[0-9]+)?|\.[0-9]+)\s*$`

var numberText = regexp.MustCompile(numberPattern)

// maxNumberText is the length of the longest such string, in bytes without the blanks around
// it.
const maxNumberText = 40

// numberIn returns the number in text as a json.Number with the same digits. It returns text
// itself if it holds no number, so that the schema refuses it.
func numberIn(text string) any {
	s := strings.TrimSpace(text)
	if len(s) > maxNumberText || !numberText.MatchString(s) {
		return text
	}
	s, negative := strings.CutPrefix(s, "-")
	whole, fraction, _ := strings.Cut(s, ".")
	number := cmp.Or(strings.TrimLeft(whole, "0"), "0")
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		number += "." + fraction
	}
	if negative {
		number = "-" + number
	}
	return json.Number(number)
}

// allowUnnormalised makes the schema of a request in the API document allow what a client may
// send. That is more than the schema that checks a body allows, because the body is normalised
// before the check.
func allowUnnormalised(doc *jsonschema.Schema) {
	if doc.Items != nil {
		allowUnnormalised(doc.Items)
	}
	if isNumberOrText(doc) {
		delete(doc.Extras, numberOrText)
		number := *doc
		*doc = *described(anyOf([]*jsonschema.Schema{&number, {Type: "string", Pattern: numberPattern}}), &number)
	}
	if doc.Properties == nil {
		return
	}
	for field := doc.Properties.Oldest(); field != nil; field = field.Next() {
		allowUnnormalised(field.Value)
		if !slices.Contains(doc.Required, field.Key) {
			field.Value = orNull(field.Value)
		}
	}
}
