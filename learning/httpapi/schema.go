package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openlectern/learning/learning"
)

// schema is what a JSON body must fulfil. It is made from the Go type of the
// request, once, and serves the API document too.
type schema struct {
	document *jsonschema.Schema
	compiled *validator.Schema
}

var reflector = jsonschema.Reflector{Anonymous: true, DoNotReference: true, AllowAdditionalProperties: true}

// schemaFor makes the schema of a request type; nil for a route without a body.
func schemaFor(t reflect.Type) (*schema, error) {
	if t == nil {
		return nil, nil
	}
	doc := reflector.ReflectFromType(t)
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode the schema of %v: %w", t, err)
	}
	compiler := validator.NewCompiler()
	compiler.Draft, compiler.AssertFormat = validator.Draft2020, true
	const name = "mem:///request.json"
	if err := compiler.AddResource(name, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("read the schema of %v: %w", t, err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("compile the schema of %v: %w", t, err)
	}
	return &schema{doc, compiled}, nil
}

// normal checks a body and returns what the request is decoded from: only what
// the schema knows, with strings trimmed where a blank one is refused. So nothing
// is decoded that was not checked, such as a second field whose name differs in
// case only.
func (s *schema) normal(tree any) ([]byte, error) {
	if s == nil {
		return nil, nil
	}
	tree = tidy(tree, s.document)
	if err := s.compiled.Validate(tree); err != nil {
		return nil, learning.ErrInvalidRequest
	}
	body, err := json.Marshal(tree)
	if err != nil {
		return nil, fmt.Errorf("encode a checked body: %w", err)
	}
	return body, nil
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
