package ai

import (
	"encoding/json"
	"slices"

	"github.com/openlectern/openlectern/learning/tutor"
)

// wireSchema is a schema in response_format. A strict one is binding for the model, and must
// require all properties of every object and allow no others.
type wireSchema struct {
	Name   string `json:"name"`
	Strict bool   `json:"strict"`
	Schema any    `json:"schema"`
}

// unknownKeywords lists the keywords that strict providers refuse. They can be dropped, because the
// caller validates the answer against the complete schema.
var unknownKeywords = []string{"$schema", "$id", "minLength", "maxLength", "uniqueItems"}

// newWireSchema returns a schema for response_format, which is strict if it can be.
func newWireSchema(s tutor.AISchema) wireSchema {
	var tree any
	if json.Unmarshal(s.JSON, &tree) != nil {
		// The schema is not JSON: the encoder of the request reports that.
		return wireSchema{Name: s.Name, Schema: json.RawMessage(s.JSON)}
	}
	return wireSchema{Name: s.Name, Strict: simplify(tree), Schema: tree}
}

// simplify drops the unknown keywords of a schema and of the schemas in it, in place, and reports
// whether it can be strict: whether every object in it is closed and requires all its properties.
func simplify(tree any) bool {
	strict := true
	// Each part is simplified before its result is combined: && would skip the call if strict is
	// false already.
	switch node := tree.(type) {
	case []any:
		for _, part := range node {
			strict = simplify(part) && strict
		}
	case map[string]any:
		// An object is strict if it is closed and requires all its properties.
		properties, isObject := node["properties"].(map[string]any)
		if isObject {
			required, _ := node["required"].([]any)
			closed := node["additionalProperties"] == false
			// Equal numbers suffice: a closed object has no other properties to require.
			strict = closed && len(required) == len(properties)
		} else if node["type"] == "object" { // of any properties
			strict = false
		}
		for _, part := range properties { // separately, because their names are not keywords
			strict = simplify(part) && strict
		}
		// Drop unknown keywords, and look into the schemas in the others.
		for name, part := range node {
			switch {
			case slices.Contains(unknownKeywords, name):
				delete(node, name)
			case name != "properties":
				strict = simplify(part) && strict
			}
		}
	}
	return strict
}
