package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/learning/internal/schemas"
	"github.com/openlectern/learning/learning"
)

// schema is what a JSON body must fulfil. It is made from the Go type of the
// request, once, and serves the API document too.
type schema struct{ *schemas.Schema }

var reflector = schemas.Reflector(schemas.Open)

// schemaFor makes the schema of a request type; nil for a route without a body.
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

// normal checks a body and returns what the request is decoded from: only what
// the schema knows, with strings trimmed where a blank one is refused. So nothing
// is decoded that was not checked, such as a second field whose name differs in
// case only.
func (s *schema) normal(tree any) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	tree = tidy(tree, s.Document)
	if !s.Valid(tree) {
		return nil, learning.ErrInvalidRequest
	}
	body, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("encode a checked body: %w", err)
	}
	return body, nil
}

// idOrNull is an id that may be left out. null is none, too: that is what front ends
// hold, and send, before they have one.
type idOrNull string

// JSONSchema says so.
func (idOrNull) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "null"}}}
}

// tidy walks a body along its schema: it drops unknown fields and trims strings
// that must not be blank.
func tidy(v any, doc *jsonschema.Schema) any {
	switch v := v.(type) {
	case string:
		if doc.MinLength != nil && *doc.MinLength > 0 {
			return strings.TrimSpace(v)
		}
	case []any:
		for i := range v {
			if doc.Items != nil {
				v[i] = tidy(v[i], doc.Items)
			}
		}
	case map[string]any:
		if doc.Properties == nil {
			return v
		}
		for name, field := range v {
			if known, ok := doc.Properties.Get(name); ok {
				v[name] = tidy(field, known)
			} else {
				delete(v, name)
			}
		}
	}
	return v
}
