package httpapi

import "github.com/invopop/jsonschema"

// forClients writes the fields of a schema in the form from which generators of clients make
// the best types.
func forClients(doc *jsonschema.Schema) {
	for field := doc.Properties.Oldest(); field != nil; field = field.Next() {
		value := field.Value
		if isNullable(value) {
			value = value.OneOf[0]
			forClient(value)
			field.Value = orNull(value)
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

// orNull returns a schema that allows null and what s allows.
func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	null := &jsonschema.Schema{Type: "null"}
	_, hasTypes := s.Extras["type"]
	switch {
	case hasTypes, isNullable(s): // it allows null already
	case s.AnyOf != nil:
		s.AnyOf = append(s.AnyOf, null)
	case s.Ref != "":
		return described(&jsonschema.Schema{OneOf: []*jsonschema.Schema{s, null}}, s)
	default:
		s.Extras, s.Type = map[string]any{"type": []string{s.Type, "null"}}, ""
		if s.Enum != nil {
			s.Enum = append(s.Enum, nil)
		}
	}
	return s
}

// described moves the description of a part to the schema that contains it, and returns this.
func described(s, part *jsonschema.Schema) *jsonschema.Schema {
	s.Description, part.Description = part.Description, ""
	return s
}
