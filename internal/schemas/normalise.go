package schemas

import (
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// Normalise changes a body before the check. v is the decoded body or a part of it, and doc its
// schema. Normalise trims strings that must not be empty, so that blanks alone are refused. It
// replaces strings by the numbers they hold where the schema has NumberOrText, and drops optional
// fields without a value. Unknown fields stay, and nothing reads them. What is inside a nullable
// field (see [IsNullable]) stays as it was sent. Normalise changes lists and objects in place, and
// returns the value to use in place of v.
func Normalise(v any, doc *jsonschema.Schema) any {
	switch v := v.(type) {
	case string:
		if IsNumberOrText(doc) {
			return numberIn(v)
		}
		if doc.MinLength != nil && *doc.MinLength > 0 {
			return strings.TrimSpace(v)
		}
	case []any:
		for i := range v {
			if doc.Items != nil {
				v[i] = Normalise(v[i], doc.Items)
			}
		}
	case map[string]any:
		if doc.Properties != nil {
			normaliseFields(v, doc)
		}
	}
	return v
}

// normaliseFields normalises the fields of an object in place.
func normaliseFields(fields map[string]any, doc *jsonschema.Schema) {
	for name, value := range fields {
		known, ok := doc.Properties.Get(name)
		switch {
		case !ok: // an unknown field stays
		case isAbsent(value, known) && !slices.Contains(doc.Required, name):
			delete(fields, name)
		default:
			fields[name] = Normalise(value, known)
		}
	}
}

// isAbsent reports whether a value means that an optional field is not set: null, unless null has a
// meaning of its own, and the blank string of a form field for a number.
func isAbsent(value any, doc *jsonschema.Schema) bool {
	if value == nil {
		return !IsNullable(doc)
	}
	text, isText := value.(string)
	return isText && IsNumberOrText(doc) && strings.TrimSpace(text) == ""
}

// IsNullable reports whether null is a value of a field with a meaning of its own. That is a field
// with the tag nullable: the reflector makes its schema oneOf the schema of its type and null.
func IsNullable(doc *jsonschema.Schema) bool {
	return len(doc.OneOf) == 2 && doc.OneOf[1].Type == "null"
}
