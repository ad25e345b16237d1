// Package schemas makes JSON Schemas of Go types, and checks JSON against them: the bodies
// of requests, and the answers of a language model.
//
// It is the only package that uses the two libraries for that. [Fill] sets a Go value from
// JSON that was decoded and checked, so that a body is decoded once.
package schemas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v5"
)

// Schema is the schema of a Go type.
type Schema struct {
	Document *jsonschema.Schema
	Text     []byte // in JSON
	tree     any    // Text, decoded
	compiled *validator.Schema
}

// Open allows fields that the type does not have; Closed does not.
const (
	Open   = true
	Closed = false
)

// Reflector returns a reflector of Go types. The types must not be recursive.
func Reflector(open bool) *jsonschema.Reflector {
	return &jsonschema.Reflector{Anonymous: true, DoNotReference: true,
		AllowAdditionalProperties: open}
}

var byKind sync.Map // what For has compiled: a *Schema for each kind

// kind is what a schema depends on.
type kind struct {
	goType reflect.Type
	open   bool
}

// For returns the schema of a type. All callers share it and must not change it: a schema
// is compiled once in a process, because that takes milliseconds. For is safe for
// concurrent use.
func For(t reflect.Type, open bool) (*Schema, error) {
	k := kind{t, open}
	if s, ok := byKind.Load(k); ok {
		return s.(*Schema), nil
	}
	s, err := compile(t, open)
	if err != nil {
		return nil, err
	}
	// Another goroutine may have compiled the same schema: all callers get the first one.
	first, _ := byKind.LoadOrStore(k, s)
	return first.(*Schema), nil
}

// compile makes the schema of a type. open says whether it allows fields that the type lacks.
func compile(t reflect.Type, open bool) (*Schema, error) {
	doc := Reflector(open).ReflectFromType(t)
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode the schema of %v: %w", t, err)
	}
	compiler := validator.NewCompiler()
	compiler.Draft, compiler.AssertFormat = validator.Draft2020, true
	const name = "mem:///schema.json" // any URL: the compiler needs one, and fetches nothing
	if err := compiler.AddResource(name, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("read the schema of %v: %w", t, err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return nil, fmt.Errorf("compile the schema of %v: %w", t, err)
	}
	s := &Schema{Document: doc, Text: text, compiled: compiled}
	if err := json.Unmarshal(text, &s.tree); err != nil {
		return nil, fmt.Errorf("decode the schema of %v: %w", t, err)
	}
	return s, nil
}

// Check returns a text for each problem in tree, which is JSON decoded into an any, and nil if tree
// fulfils the schema. It must be decoded without UseNumber, because the validator takes very long
// for numbers such as 1e10000000. The texts are for the author of the JSON, and may quote it.
func (s *Schema) Check(tree any) (problems []string) {
	err := s.compiled.Validate(tree)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*validator.ValidationError](err)
	if !ok {
		return []string{err.Error()}
	}
	return leaves(invalid, nil)
}

// leaves appends to all the texts of the errors below e that have no causes, or that of e itself if
// it has none. Those with causes only say that there are some.
func leaves(e *validator.ValidationError, all []string) []string {
	if len(e.Causes) == 0 {
		return append(all, fmt.Sprintf("at %q: %s", e.InstanceLocation, e.Message))
	}
	for _, cause := range e.Causes {
		all = leaves(cause, all)
	}
	return all
}

// Valid reports whether Check returns no problems in tree, without making their texts.
func (s *Schema) Valid(tree any) bool { return s.compiled.Validate(tree) == nil }
