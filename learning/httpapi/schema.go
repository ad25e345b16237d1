package httpapi

import (
	"reflect"

	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/learning/core"
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
// returns core.ErrInvalidRequest for a body that does not fulfil the schema.
func (s *schema) normal(tree any) (any, error) {
	if s == nil {
		return nil, nil
	}
	tree = schemas.Normalise(tree, s.Document)
	if !s.Valid(tree) {
		return nil, core.ErrInvalidRequest
	}
	return tree, nil
}
