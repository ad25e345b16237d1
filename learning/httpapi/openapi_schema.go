package httpapi

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// schemaPath is where the API document has its schemas.
const schemaPath = "#/components/schemas/"

type namedSchemas map[string]*jsonschema.Schema

// schemaSet collects the schemas of Go types by the names that they have in the API
// document.
type schemaSet struct {
	all   namedSchemas
	types map[string]reflect.Type
	err   error // of two types with the same name
}

func newSchemaSet() *schemaSet {
	return &schemaSet{all: namedSchemas{}, types: map[string]reflect.Type{}}
}

// refer returns a reference to the schema of a type, after it has added the schemas that
// the set does not have, changed by change.
func (s *schemaSet) refer(t reflect.Type, change func(*jsonschema.Schema)) *jsonschema.Schema {
	r := &jsonschema.Reflector{Anonymous: true, AllowAdditionalProperties: true, Namer: s.name, Mapper: custom, LookupComment: textOf}
	root := r.ReflectFromType(t)
	for name, made := range root.Definitions {
		if s.all[name] == nil {
			s.all[name] = made
			forClients(made)
			change(made)
		}
	}
	root.Version, root.Definitions = "", nil
	return root
}

// answer returns a reference to the schema of an answer: that of the type, with success: true
// as its first field.
func (s *schemaSet) answer(t reflect.Type) *jsonschema.Schema {
	if t.NumField() == 0 {
		t = reflect.TypeFor[successJSON]()
	}
	known := s.all[schemaName(t)] != nil
	ref := s.refer(t, asIs)
	if root := s.all[schemaName(t)]; root != nil && !known {
		fields := jsonschema.NewProperties()
		fields.Set("success", &jsonschema.Schema{Type: "boolean", Const: true, Description: successText})
		for field := root.Properties.Oldest(); field != nil; field = field.Next() {
			fields.Set(field.Key, field.Value)
		}
		root.Properties, root.Required = fields, append([]string{"success"}, root.Required...)
	}
	return ref
}

// body returns a reference to the schema of what a client may send.
func (s *schemaSet) body(t reflect.Type) *jsonschema.Schema { return s.refer(t, allowUnnormalised) }

// plain returns a reference to the schema of what is sent without success: true.
func (s *schemaSet) plain(t reflect.Type) *jsonschema.Schema { return s.refer(t, asIs) }

func asIs(*jsonschema.Schema) {}

// name returns the name of a type, and records an error if another type has it.
func (s *schemaSet) name(t reflect.Type) string {
	if t.Kind() != reflect.Struct || t.Name() == "" {
		return ""
	}
	name := schemaName(t)
	if known := s.types[name]; known != nil && known != t {
		s.err = fmt.Errorf("%v and %v would both be the schema %s", known, t, name)
	}
	s.types[name] = t
	return name
}

// schemaName returns the name of a Go type without the ending that says what it is for:
// Course of courseJSON.
func schemaName(t reflect.Type) string {
	name := strings.TrimSuffix(t.Name(), "JSON")
	return strings.ToUpper(name[:1]) + name[1:]
}

// custom returns the schema of a type that describes itself, and nil for any other type. Such
// a schema gets no name in the document.
func custom(t reflect.Type) *jsonschema.Schema {
	if own, ok := reflect.Zero(t).Interface().(interface{ JSONSchema() *jsonschema.Schema }); ok {
		return own.JSONSchema()
	}
	return nil
}

// successJSON is an answer without fields other than success.
type successJSON struct {
	_ struct{} `doc:"The request succeeded; there is nothing else to say."`
}

func anyOf(schemas []*jsonschema.Schema) *jsonschema.Schema {
	if len(schemas) == 1 {
		return schemas[0]
	}
	return &jsonschema.Schema{AnyOf: schemas}
}
