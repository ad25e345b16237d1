package ai

import (
	"encoding/json"
	"slices"

	"github.com/openlectern/openlectern/learning"
)

// wireSchema is a schema in response_format. A strict one is binding for the model, and must
// require all properties of every object and allow no others.
type wireSchema struct {
	Name   string `json:"name"`
	Strict bool   `json:"strict"`
	Schema any    `json:"schema"`
}

// unknown lists the keywords that strict providers refuse. They can be dropped, because the
// caller validates the answer against the complete schema.
var unknown = []string{"$schema", "$id", "minLength", "maxLength", "uniqueItems"}

func newWireSchema(s learning.AISchema) wireSchema {
	var tree any
	if json.Unmarshal(s.JSON, &tree) != nil {
		return wireSchema{Name: s.Name, Schema: json.RawMessage(s.JSON)} // the encoder reports the error
	}
	return wireSchema{Name: s.Name, Strict: simplify(tree), Schema: tree}
}

// simplify drops the unknown keywords of a schema and of the schemas in it, and reports
// whether it can be strict.
func simplify(tree any) bool {
	strict := true
	switch node := tree.(type) {
	case []any:
		for _, part := range node {
			strict = simplify(part) && strict
		}
	case map[string]any:
		properties, isObject := node["properties"].(map[string]any)
		if isObject {
			required, _ := node["required"].([]any)
			closed := node["additionalProperties"] == false
			strict = closed && len(required) == len(properties)
		} else if node["type"] == "object" {
			strict = false
		}
		for _, part := range properties { // separately, because their names are not keywords
			strict = simplify(part) && strict
		}
		for name, part := range node {
			switch {
			case slices.Contains(unknown, name):
				delete(node, name)
			case name != "properties":
				strict = simplify(part) && strict
			}
		}
	}
	return strict
}
