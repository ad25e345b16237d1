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

// maxPlaces is how many of the values that are wrong an answer names.
const maxPlaces = 20

// invalidBody is the error of a body that does not fulfil its schema, or has values that its type
// cannot hold. It wraps [core.ErrInvalidRequest].
type invalidBody struct {
	// places returns the values that are wrong, at most maxPlaces. It takes as long as the check,
	// and most clients do not ask.
	places func() []schemas.Place
}

// Error returns the public message.
func (*invalidBody) Error() string { return core.ErrInvalidRequest.Message }

// Unwrap returns the public failure.
func (*invalidBody) Unwrap() error { return core.ErrInvalidRequest }

// normal normalises a decoded body and checks it. A request is filled from what was checked,
// and not from the bytes, which may have a second field whose name differs in case only. It
// returns core.ErrInvalidRequest for a body that does not fulfil the schema.
func (s *schema) normal(tree any) (any, error) {
	if s == nil {
		return nil, nil
	}
	tree = schemas.Normalise(tree, s.Document)
	if !s.Valid(tree) {
		return nil, &invalidBody{func() []schemas.Place { return s.Places(tree, maxPlaces) }}
	}
	return tree, nil
}
