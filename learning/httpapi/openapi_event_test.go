package httpapi_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/openlectern/openlectern/internal/eventjson"
)

// Each type of event has a webhook with texts, a schema that requires its type, and a schema of
// its data with the documented fields. TestOpenAPI_ExamplesFulfilTheirSchemas checks its example.
func TestOpenAPI_DescribesEveryEvent(t *testing.T) {
	d := apiDocument(t)
	for _, declared := range eventjson.Types {
		kind := string(declared.Name)
		webhook, _ := d.at("webhooks", kind, "post")
		if webhook == nil || webhook["summary"] == "" {
			t.Errorf("%s: give it a Text in Types of internal/eventjson/types.go", kind)
			continue
		}
		content, _ := d.at("webhooks", kind, "post", "requestBody", "content",
			"application/json")
		schema, pointer := d.at("webhooks", kind, "post", "requestBody", "content",
			"application/json", "schema")
		data, _ := d.at("webhooks", kind, "post", "requestBody", "content",
			"application/json", "schema", "properties", "data", "properties")
		if schema == nil || len(data) != len(declared.Fields) {
			t.Errorf("%s: the schema of its data is %v", kind, data)
		}
		for name, field := range data {
			text, _ := field.(map[string]any)["description"].(string)
			if text == "" && !repeatsName(name, field) {
				t.Errorf("%s: the field %s has no tag doc in Data of internal/eventjson/eventjson.go",
					kind, name)
			}
		}
		example := maps.Clone(
			content["examples"].(map[string]any)["event"].(map[string]any)["value"].(map[string]any))
		example["type"] = "another.type"
		body, err := json.Marshal(example)
		check(t, err)
		if d.validate(pointer, body) == nil {
			t.Errorf("%s: its schema allows another type", kind)
		}
	}
}
