package httpapi

import (
	_ "embed" // holds the examples
	"encoding/json"
)

// exampleFile has the examples of the API document by route id. A test makes it of the
// contract cases, and fails if it differs: go test -run TestOpenAPI_Examples -update.
//
//go:embed openapi_examples.json
var exampleFile []byte

// routeExample is a request that succeeded, and its answer. Stream is the answer as
// server-sent events, a JSON string.
type routeExample struct {
	Request json.RawMessage `json:"request,omitempty"`
	Answer  json.RawMessage `json:"answer,omitempty"`
	Stream  json.RawMessage `json:"stream,omitempty"`
}
