package openapi

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
)

// SchemaPath is where a document has its schemas.
const SchemaPath = "#/components/schemas/"

// Schemas collects the schemas of Go types by the names that they have in the API
// document.
type Schemas struct {
	All map[string]*jsonschema.Schema // by name
	// Err is the error of two types with the same name.
	Err error

	types  map[string]reflect.Type
	names  map[reflect.Type]string // of types that have no name in Go
	textOf func(t reflect.Type, field string) string
}

// NewSchemas returns an empty set. textOf returns the description of a type, or that of one of its
// fields by its Go name. names are the names of types that have none in Go.
func NewSchemas(textOf func(t reflect.Type, field string) string,
	names map[reflect.Type]string) *Schemas {
	return &Schemas{
		All:    map[string]*jsonschema.Schema{},
		types:  map[string]reflect.Type{},
		names:  names,
		textOf: textOf,
	}
}

// refer returns a reference to the schema of a type. It adds the schemas of the type and of the
// types of its fields that the set does not have. Each is changed by forClients, to the form from
// which generators of clients make the best types, and then by change, which sees that form. A
// schema that the set has stays as it is, also if it was added with another change. Of a type
// without a name, which has no schema in the set, refer returns the schema itself, unchanged.
func (s *Schemas) refer(t reflect.Type, change func(*jsonschema.Schema)) *jsonschema.Schema {
	r := &jsonschema.Reflector{Anonymous: true, AllowAdditionalProperties: true, Namer: s.name,
		Mapper: custom, LookupComment: s.textOf}
	root := r.ReflectFromType(t)
	for name, made := range root.Definitions {
		if s.All[name] == nil {
			s.All[name] = made
			forClients(made)
			change(made)
		}
	}
	root.Version, root.Definitions = "", nil // what is left is the reference
	return root
}

// Answer returns a reference to the schema of an answer: that of the type, with success: true
// as its first field. t must be a struct. If it has fields, it must have a name, in Go or in the
// names of [NewSchemas].
func (s *Schemas) Answer(t reflect.Type) *jsonschema.Schema {
	if t.NumField() == 0 { // the answer is success: true alone
		t = reflect.TypeFor[Success]()
	}
	name := s.name(t)
	known := s.All[name] != nil
	ref := s.refer(t, asIs)
	if root := s.All[name]; root != nil && !known {
		// Described for the first time: put success before the fields of the type.
		fields := jsonschema.NewProperties()
		fields.Set("success", &jsonschema.Schema{Type: "boolean", Const: true,
			Description: "Always true. A failure has `success: false`."})
		for field := root.Properties.Oldest(); field != nil; field = field.Next() {
			fields.Set(field.Key, field.Value)
		}
		root.Properties, root.Required = fields, append([]string{"success"}, root.Required...)
	}
	return ref
}

// Body returns a reference to the schema of what a client may send.
func (s *Schemas) Body(t reflect.Type) *jsonschema.Schema { return s.refer(t, allowUnnormalised) }

// Plain returns a reference to the schema of what is sent without success: true.
func (s *Schemas) Plain(t reflect.Type) *jsonschema.Schema { return s.refer(t, asIs) }

// asIs is a change for [Schemas.refer] that changes nothing.
func asIs(*jsonschema.Schema) {}

// name returns the name of a type, "" for one that is described where it is used, such as a
// list. It records an error if another type has the name.
func (s *Schemas) name(t reflect.Type) string {
	name := s.names[t]
	isObject := t.Kind() == reflect.Struct || t.Kind() == reflect.Map
	if name == "" && (!isObject || t.Name() == "") {
		return ""
	}
	if name == "" {
		name = SchemaName(t)
	}
	if known := s.types[name]; known != nil && known != t {
		s.Err = fmt.Errorf("%v and %v would both be the schema %s", known, t, name)
	}
	s.types[name] = t
	return name
}

// SchemaName returns the name of a schema for a Go type that has a name: in upper case at the
// beginning, and without the ending JSON, such as Course of courseJSON.
func SchemaName(t reflect.Type) string {
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

// Success is an answer without fields other than success.
type Success struct {
	_ struct{} `doc:"The request succeeded; there is nothing else to say."`
}

// AnyOf returns a schema that allows what any of the given ones allows: the schema itself if there
// is only one.
func AnyOf(schemas []*jsonschema.Schema) *jsonschema.Schema {
	if len(schemas) == 1 {
		return schemas[0]
	}
	return &jsonschema.Schema{AnyOf: schemas}
}
