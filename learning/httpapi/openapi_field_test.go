package httpapi_test

import (
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
)

// describedFields calls check with each schema of the document and each field of a schema, by
// its key in the texts.
func describedFields(d *document, check func(key, text string)) {
	schemas, _ := d.at("components", "schemas")
	for name, node := range schemas {
		text, _ := node.(map[string]any)["description"].(string)
		check(name, text)
		walk(node, func(key string, value any) {
			fields, _ := value.(map[string]any)
			if key != "properties" {
				return
			}
			for field, property := range fields {
				text, _ := property.(map[string]any)["description"].(string)
				check(name+"."+field, text)
			}
		})
	}
}

func TestOpenAPI_DescribesEverySchemaAndField(t *testing.T) {
	described := 0
	describedFields(apiDocument(t), func(key, text string) {
		if text == "" {
			t.Errorf("%s has no description: add %q to learning/httpapi/openapi_field_*.go", key, key)
		}
		described++
	})
	if described < 500 {
		t.Errorf("the document has %d schemas and fields", described)
	}
}

// A text whose field was renamed or removed would stay unnoticed.
func TestOpenAPI_EveryFieldTextIsInTheDocument(t *testing.T) {
	keys, names := map[string]bool{}, map[string]bool{}
	describedFields(apiDocument(t), func(key, text string) {
		keys[key] = true
		_, field, _ := strings.Cut(key, ".")
		names[field+": "+text] = true
	})
	for key := range httpapi.FieldTexts {
		if !keys[key] {
			t.Errorf("the document has no %s: remove the text from learning/httpapi/openapi_field_*.go", key)
		}
	}
	for field, text := range httpapi.CommonTexts {
		if !names[field+": "+text] {
			t.Errorf("no field %s has its text: remove it from commonTexts in learning/httpapi/openapi_field.go", field)
		}
	}
}

func TestOpenAPI_DescribesEveryParameter(t *testing.T) {
	described := 0
	walk(apiDocument(t).tree["paths"], func(key string, value any) {
		parameter, _ := value.(map[string]any)
		if key != "parameters" || parameter == nil {
			return
		}
		described++
		if text, _ := parameter["description"].(string); text == "" || text == httpapi.OtherPathText {
			t.Errorf("the parameter %s has no description: add it to learning/httpapi/openapi_parameter.go", parameter["name"])
		}
	})
	if described < 20 {
		t.Errorf("the document has %d parameters", described)
	}
}
