package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/invopop/jsonschema"
)

// JSON is the media type of JSON.
const JSON = "application/json"

// Document is the part of an OpenAPI 3.1 document that describes a table of routes.
type Document struct {
	OpenAPI    string                           `json:"openapi"`
	Info       map[string]any                   `json:"info"`
	Servers    []map[string]string              `json:"servers"`
	Tags       []map[string]string              `json:"tags"`
	Paths      map[string]map[string]*Operation `json:"paths"`
	Webhooks   map[string]map[string]*Operation `json:"webhooks"`
	Components Components                       `json:"components"`
}

// Components are the parts of a document that others refer to.
type Components struct {
	Security  map[string]any                `json:"securitySchemes"`
	Headers   map[string]any                `json:"headers"`
	Schemas   map[string]*jsonschema.Schema `json:"schemas"`
	Responses map[string]*Response          `json:"responses"`
}

// Operation describes a route or a webhook.
type Operation struct {
	ID          string                `json:"operationId"`
	Tags        []string              `json:"tags"`
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Security    []map[string][]string `json:"security"`
	Parameters  []map[string]any      `json:"parameters,omitempty"`
	Body        map[string]any        `json:"requestBody,omitempty"`
	Responses   map[string]*Response  `json:"responses"`
	Limit       *Limit                `json:"x-rate-limit,omitempty"`
}

// Limit describes a rate limit. The window is in seconds.
type Limit struct {
	Name     string  `json:"name"`
	Requests uint64  `json:"requests"`
	Window   float64 `json:"window"`
}

// Response describes the answers of one status.
type Response struct {
	// of a shared response; then nothing else is set
	Ref         string                `json:"$ref,omitempty"`
	Description string                `json:"description,omitempty"`
	Headers     map[string]any        `json:"headers,omitempty"`
	Content     map[string]*MediaType `json:"content,omitempty"`

	Messages []string             `json:"-"` // joined, they are the description
	Schemas  []*jsonschema.Schema `json:"-"` // of JSON
}

// MediaType describes a body of one media type.
type MediaType struct {
	Schema   *jsonschema.Schema  `json:"schema"`
	Examples map[string]*Example `json:"examples,omitempty"`
	Encoding map[string]any      `json:"encoding,omitempty"`
}

// Example is a body.
type Example struct {
	Value any `json:"value"`
}

// Encode encodes a document, and adds the schemas of s to its components. It returns s.Err if that
// is set.
func (s *Schemas) Encode(doc Document) ([]byte, error) {
	if s.Err != nil {
		return nil, s.Err
	}
	doc.Components.Schemas = s.All
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("encode the document: %w", err)
	}
	// The reflector refers to #/$defs, and the document has its schemas in its components.
	refs := []byte(`"` + SchemaPath)
	return bytes.ReplaceAll(bytes.TrimSpace(b.Bytes()), []byte(`"#/$defs/`), refs), nil
}

// AddSchema adds a reference to a schema of JSON, unless the response has it. Schemas that are no
// references count as equal, because only the references are compared.
func (r *Response) AddSchema(schema *jsonschema.Schema) {
	if !slices.ContainsFunc(r.Schemas,
		func(s *jsonschema.Schema) bool { return s.Ref == schema.Ref }) {
		r.Schemas = append(r.Schemas, schema)
	}
}

// AddExample adds an example of JSON, or replaces that of the same name. Content must not be nil.
func (r *Response) AddExample(name string, body any) {
	if r.Content[JSON] == nil {
		r.Content[JSON] = &MediaType{}
	}
	content := r.Content[JSON]
	if content.Examples == nil {
		content.Examples = map[string]*Example{}
	}
	content.Examples[name] = &Example{body}
}
