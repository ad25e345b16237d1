package openapi

import (
	"slices"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/schemas"
)

// forClients changes the fields of a schema to the form from which generators of clients make
// the best types.
func forClients(doc *jsonschema.Schema) {
	for field := doc.Properties.Oldest(); field != nil; field = field.Next() {
		value := field.Value
		// The reflector writes a field that may be null as oneOf its schema and null. OrNull says
		// the same in a form from which generators make better types, such as a list of two types.
		if schemas.IsNullable(value) {
			value = value.OneOf[0] // the other one is null
			forClient(value)
			field.Value = OrNull(value)
			continue
		}
		forClient(value)
	}
}

// forClient gives numbers with fractions a format, because some generators would make 32-bit
// types of them.
func forClient(value *jsonschema.Schema) {
	if value.Type == "number" && value.Format == "" {
		value.Format = "double"
	}
}

// OrNull returns a schema that allows null and what s allows: s, which it changes, or a new schema
// if s is a reference.
func OrNull(s *jsonschema.Schema) *jsonschema.Schema {
	null := &jsonschema.Schema{Type: "null"}
	_, hasTypes := s.Extras["type"] // the library has no field for a list of types
	switch {
	case hasTypes, schemas.IsNullable(s): // it allows null already
	case s.AnyOf != nil:
		s.AnyOf = append(s.AnyOf, null)
	case s.Ref != "": // a reference alone cannot allow null
		return described(&jsonschema.Schema{OneOf: []*jsonschema.Schema{s, null}}, s)
	default:
		// This drops other entries of Extras. No schema has any here: see allowUnnormalised.
		s.Extras, s.Type = map[string]any{"type": []string{s.Type, "null"}}, ""
		if s.Enum != nil { // null must be one of the values too
			s.Enum = append(s.Enum, nil)
		}
	}
	return s
}

// described moves the description of a part to s, the schema that contains it, and returns s.
func described(s, part *jsonschema.Schema) *jsonschema.Schema {
	s.Description, part.Description = part.Description, ""
	return s
}

// allowUnnormalised makes the schema of a request in the API document allow what a client may
// send. That is more than the schema that checks a body allows, because the body is normalised
// before the check. It does not follow references, because [Schemas.refer] calls it for
// each schema that it adds.
func allowUnnormalised(doc *jsonschema.Schema) {
	if doc.Items != nil {
		allowUnnormalised(doc.Items)
	}
	// A number may be sent as a string that holds one.
	if schemas.IsNumberOrText(doc) {
		delete(doc.Extras, schemas.NumberOrText)
		number := *doc
		*doc = *described(AnyOf([]*jsonschema.Schema{&number,
			{Type: "string", Pattern: schemas.NumberPattern}}), &number)
	}
	if doc.Properties == nil {
		return
	}
	for field := doc.Properties.Oldest(); field != nil; field = field.Next() {
		allowUnnormalised(field.Value)
		// null means that an optional field is not set.
		if !slices.Contains(doc.Required, field.Key) {
			field.Value = OrNull(field.Value)
		}
	}
}
