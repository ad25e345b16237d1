package httpapi

import (
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/learning"
)

// schema checks JSON bodies. It is made from the Go type of the request.
type schema struct{ *schemas.Schema }

// schemaFor returns the schema of a request type, or nil if t is nil.
func schemaFor(t reflect.Type) (*schema, error) {
	if t == nil {
		return nil, nil
	}
	made, err := schemas.For(t, schemas.Open)
	if err != nil {
		return nil, err
	}
	return &schema{made}, nil
}

// normal normalises a decoded body and checks it. A request is filled from what was checked,
// and not from the bytes, which may have a second field whose name differs in case only. It
// returns learning.ErrInvalidRequest for a body that does not fulfil the schema.
func (s *schema) normal(tree any) (any, error) {
	if s == nil {
		return nil, nil
	}
	tree = normalise(tree, s.Document)
	if !s.Valid(tree) {
		return nil, learning.ErrInvalidRequest
	}
	return tree, nil
}

// normalise changes a body before the check. It trims strings that must not be blank,
// replaces strings by the numbers they hold where the schema has numberOrText, and drops
// optional fields without a value. Unknown fields stay, and nothing reads them.
func normalise(v any, doc *jsonschema.Schema) any {
	switch v := v.(type) {
	case string:
		if isNumberOrText(doc) {
			return numberIn(v)
		}
		if doc.MinLength != nil && *doc.MinLength > 0 {
			return strings.TrimSpace(v)
		}
	case []any:
		for i := range v {
			if doc.Items != nil {
				v[i] = normalise(v[i], doc.Items)
			}
		}
	case map[string]any:
		if doc.Properties != nil {
			normaliseFields(v, doc)
		}
	}
	return v
}

func normaliseFields(fields map[string]any, doc *jsonschema.Schema) {
	for name, value := range fields {
		known, ok := doc.Properties.Get(name)
		switch {
		case !ok:
		case isAbsent(value, known) && !slices.Contains(doc.Required, name):
			delete(fields, name)
		default:
			fields[name] = normalise(value, known)
		}
	}
}

// isAbsent reports whether a value means that an optional field is not set: null, unless it
// has a meaning of its own, and the empty string of a form field for a number.
func isAbsent(value any, doc *jsonschema.Schema) bool {
	text, isText := value.(string)
	return value == nil && !isNullable(doc) || isText && isNumberOrText(doc) && strings.TrimSpace(text) == ""
}

// isNullable reports whether null is a value of a field with a meaning of its own: whether it
// has the tag nullable, of which the reflector makes this form.
func isNullable(doc *jsonschema.Schema) bool {
	return len(doc.OneOf) == 2 && doc.OneOf[1].Type == "null"
}
