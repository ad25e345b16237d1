package httpapi

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// numberOrText marks a number that may also be sent as a string that holds one, in the
// jsonschema_extras tag of the field of a request.
const numberOrText = "x-number-or-text"

func isNumberOrText(doc *jsonschema.Schema) bool { return doc.Extras[numberOrText] != nil }

// numberPattern is what such a string may hold: a plain decimal number, with blanks
// around it or not. There are no exponents, so that the number is as short as the text.
const numberPattern = `^\s*-?([0-9]+(\.[0-9]+)?|\.[0-9]+)\s*$`

var numberText = regexp.MustCompile(numberPattern)

// maxNumberText is the longest text that is read as a number, in bytes without the
// blanks around it.
const maxNumberText = 40

// numberIn returns the number that a text holds, digit for digit, as a json.Number in
// the notation of JSON. A text that holds none is returned as it is, so that the schema
// refuses it.
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

// bodySchema describes for the API document what a client may send. It allows more
// than the schema that checks a body, because the body is tidied before the check.
func bodySchema(t reflect.Type) *jsonschema.Schema {
	doc := reflector.ReflectFromType(t)
	allowUntidied(doc)
	return doc
}

func allowUntidied(doc *jsonschema.Schema) {
	if doc.Items != nil {
		allowUntidied(doc.Items)
	}
	if isNumberOrText(doc) {
		delete(doc.Extras, numberOrText)
		number := *doc
		*doc = *anyOf([]*jsonschema.Schema{&number, {Type: "string", Pattern: numberPattern}})
	}
	if doc.Properties == nil {
		return
	}
	for field := doc.Properties.Oldest(); field != nil; field = field.Next() {
		allowUntidied(field.Value)
		if !slices.Contains(doc.Required, field.Key) {
			field.Value = anyOf([]*jsonschema.Schema{field.Value, {Type: "null"}})
		}
	}
}
