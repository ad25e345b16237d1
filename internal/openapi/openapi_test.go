package openapi_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/openapi"
	"github.com/openlectern/openlectern/internal/schemas"
)

type personJSON struct {
	Name  string  `json:"name" jsonschema:"minLength=1"`
	Email *string `json:"email,omitempty"`
}

type order struct {
	Buyer personJSON `json:"buyer"`
	Total float64    `json:"total" jsonschema_extras:"x-number-or-text=true"`
	Note  *string    `json:"note" jsonschema:"nullable"`
	Score *float64   `json:"score" jsonschema:"nullable"`
}

// newSet returns an empty set, in which the fields Name have a text.
func newSet() *openapi.Schemas {
	text := func(_ reflect.Type, field string) string {
		if field == "Name" {
			return "What to call them."
		}
		return ""
	}
	return openapi.NewSchemas(text, map[reflect.Type]string{
		reflect.TypeFor[struct{ ID string }](): "Anonymous"})
}

// check compares a schema of a set with JSON.
func check(t *testing.T, s *openapi.Schemas, name, want string) {
	t.Helper()
	got, err := json.Marshal(s.All[name])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, []byte(want)), tree(t, got)); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

func tree(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// The schema of an answer has success as its first field, texts, a format for fractions, and a
// schema of its own for each Go type, named without JSON.
func TestSchemas_Answer(t *testing.T) {
	s := newSet()
	if ref := s.Answer(reflect.TypeFor[order]()); ref.Ref != "#/$defs/Order" {
		t.Errorf("the reference is %q", ref.Ref)
	}
	check(t, s, "Order", `{"type": "object",
		"required": ["success", "buyer", "total", "note", "score"], "properties": {
			"success": {"type": "boolean", "const": true,
				"description": "Always true. A failure has `+"`success: false`"+`."},
			"buyer": {"$ref": "#/$defs/Person"},
			"total": {"type": "number", "format": "double", "x-number-or-text": true},
			"note":  {"type": ["string", "null"]},
			"score": {"type": ["number", "null"], "format": "double"}}}`)
	check(t, s, "Person", `{"type": "object", "required": ["name"], "properties": {
			"name":  {"type": "string", "minLength": 1, "description": "What to call them."},
			"email": {"type": "string"}}}`)

	if s.Answer(reflect.TypeFor[order]()); len(s.All["Order"].Required) != 5 {
		t.Errorf("described again, an answer has the fields %v", s.All["Order"].Required)
	}
}

func TestSchemas_Answer_WithoutFields_IsSuccess(t *testing.T) {
	s := newSet()
	if ref := s.Answer(reflect.TypeFor[struct{}]()); ref.Ref != "#/$defs/Success" {
		t.Errorf("the reference is %q", ref.Ref)
	}
}

// A body is normalised before it is checked: a number may be sent as text, and null stands for an
// optional field that is not set.
func TestSchemas_Body_AllowsWhatIsNormalised(t *testing.T) {
	s := newSet()
	s.Body(reflect.TypeFor[order]())
	pattern := strconv.Quote(schemas.NumberPattern)
	check(t, s, "Order", `{"type": "object", "required": ["buyer", "total", "note", "score"],
		"properties": {
			"buyer": {"$ref": "#/$defs/Person"},
			"total": {"anyOf": [{"type": "number", "format": "double"},
				{"type": "string", "pattern": `+pattern+`}]},
			"note":  {"type": ["string", "null"]},
			"score": {"type": ["number", "null"], "format": "double"}}}`)
	check(t, s, "Person", `{"type": "object", "required": ["name"], "properties": {
			"name":  {"type": "string", "minLength": 1, "description": "What to call them."},
			"email": {"type": ["string", "null"]}}}`)
}

// A type without a name in Go is in the document only if the set has a name for it.
func TestSchemas_Plain_NamesTypesWithoutName(t *testing.T) {
	s := newSet()
	named := s.Plain(reflect.TypeFor[struct{ ID string }]())
	inline := s.Plain(reflect.TypeFor[struct{ Other string }]())
	if named.Ref != "#/$defs/Anonymous" || inline.Ref != "" || len(s.All) != 1 {
		t.Errorf("references %q and %q, schemas %v", named.Ref, inline.Ref, s.All)
	}
}

func TestSchemas_Encode_RefusesTwoTypesWithOneName(t *testing.T) {
	s := newSet()
	s.Plain(reflect.TypeFor[personJSON]())
	type Person struct{ Age int }
	s.Plain(reflect.TypeFor[Person]())
	_, err := s.Encode(openapi.Document{})
	if err == nil || !strings.HasSuffix(err.Error(), "would both be the schema Person") {
		t.Errorf("two types called Person: %v", err)
	}
}

// In a document references lead to its components.
func TestSchemas_Encode_RewritesReferences(t *testing.T) {
	s := newSet()
	body, err := s.Encode(openapi.Document{Webhooks: map[string]map[string]*openapi.Operation{},
		Components: openapi.Components{Responses: map[string]*openapi.Response{
			"Person": {Content: map[string]*openapi.MediaType{
				openapi.JSON: {Schema: s.Plain(reflect.TypeFor[order]())}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(body), `"$ref":"#/components/schemas/`); n != 2 {
		t.Errorf("%d references, want those of the response and of the buyer: %s", n, body)
	}
	if strings.Contains(string(body), "$defs") {
		t.Errorf("a reference of the reflector is left: %s", body)
	}
}

func TestOrNull(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"a type", `{"type":"string"}`, `{"type":["string","null"]}`},
		{"an enum", `{"type":"string","enum":["a"]}`,
			`{"type":["string","null"],"enum":["a",null]}`},
		{"a reference keeps its text outside", `{"$ref":"#/$defs/A","description":"An a."}`,
			`{"oneOf":[{"$ref":"#/$defs/A"},{"type":"null"}],"description":"An a."}`},
		{"alternatives", `{"anyOf":[{"type":"string"},{"type":"number"}]}`,
			`{"anyOf":[{"type":"string"},{"type":"number"},{"type":"null"}]}`},
		{"nullable already", `{"oneOf":[{"type":"string"},{"type":"null"}]}`,
			`{"oneOf":[{"type":"string"},{"type":"null"}]}`},
	} {
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(c.schema), &s); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(openapi.OrNull(&s))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tree(t, []byte(c.want)), tree(t, got)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// failure returns a response with one failure.
func failure(name, message string) *openapi.Response {
	r := &openapi.Response{Description: message, Content: map[string]*openapi.MediaType{}}
	r.AddExample(name, map[string]string{"message": message})
	return r
}

// A failure of several operations becomes a component; a success, a failure of one operation, and
// a response that differs from its namesake stay where they are.
func TestShareResponses(t *testing.T) {
	with := func(responses map[string]*openapi.Response) *openapi.Operation {
		return &openapi.Operation{Responses: responses}
	}
	limited := failure("not_found", "Not here")
	limited.Headers = map[string]any{"RateLimit-Limit": "…"}
	operations := []*openapi.Operation{
		with(map[string]*openapi.Response{"404": failure("not_found", "Not here either")}),
		with(map[string]*openapi.Response{"200": failure("success", "Yes"),
			"404": failure("not_found", "Not here"), "409": failure("taken", "Taken")}),
		with(map[string]*openapi.Response{"200": failure("success", "Yes"),
			"404": failure("not_found", "Not here")}),
		with(map[string]*openapi.Response{"404": failure("not_found", "Not there")}),
		with(map[string]*openapi.Response{"404": limited}),
	}
	shared := openapi.ShareResponses(operations)
	if len(shared) != 1 || shared["NotFound"] == nil {
		t.Errorf("shared are %v", shared)
	}
	const ref = "#/components/responses/NotFound"
	for i, want := range []map[string]string{
		{"404": ""}, {"200": "", "404": ref, "409": ""}, {"200": "",
			"404": ref}, {"404": ""}, {"404": ""},
	} {
		for status, ref := range want {
			if got := operations[i].Responses[status].Ref; got != ref {
				t.Errorf("operation %d, %s: %q, want %q", i, status, got, ref)
			}
		}
	}
}

func TestAddSchema_KeepsOneOfEach(t *testing.T) {
	r := &openapi.Response{}
	for _, ref := range []string{"a", "b", "a"} {
		r.AddSchema(&jsonschema.Schema{Ref: ref})
	}
	if len(r.Schemas) != 2 {
		t.Errorf("%d schemas, want 2", len(r.Schemas))
	}
	if got := openapi.AnyOf(r.Schemas[:1]); got != r.Schemas[0] {
		t.Errorf("one alternative is wrapped: %v", got)
	}
}
