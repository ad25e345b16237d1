package httpapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Whatever the document refers to is in it, and every schema of it is one.
func TestOpenAPI_ReferencesResolve(t *testing.T) {
	body := worldSite(t).do(http.MethodGet, "/openapi.json", "").Body.String()
	const url = "https://example.org/openapi.json"
	compiler := jsonschema.NewCompiler()
	check(t, compiler.AddResource(url, strings.NewReader(body)))
	var document any
	check(t, json.Unmarshal([]byte(body), &document))
	seen := map[string]bool{}
	walk(document, func(name string, value any) {
		to, isText := value.(string)
		if name != "$ref" || !isText || seen[to] {
			return
		}
		seen[to] = true
		if _, err := compiler.Compile(url + to); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	})
	if !seen["#/components/schemas/Failure"] {
		t.Error("no answer refers to the body of a failure")
	}
}

// requestSchemas are the schemas of all bodies in the API document, by operation.
func requestSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	body := worldSite(t).do(http.MethodGet, "/openapi.json", "").Body.String()
	const url = "https://example.org/openapi.json"
	compiler := jsonschema.NewCompiler()
	check(t, compiler.AddResource(url, strings.NewReader(body)))
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			RequestBody struct{ Content map[string]any }
		}
	}
	check(t, json.Unmarshal([]byte(body), &document))
	found := map[string]*jsonschema.Schema{}
	for path, operations := range document.Paths {
		for method, operation := range operations {
			for kind := range operation.RequestBody.Content {
				pointer := strings.Join([]string{"#/paths", escapePointer(path), method, "requestBody/content", escapePointer(kind), "schema"}, "/")
				schema, err := compiler.Compile(url + pointer)
				if err != nil {
					t.Fatalf("%s: %v", operation.OperationID, err)
				}
				found[operation.OperationID] = schema
			}
		}
	}
	return found
}

func escapePointer(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(s)
}

func TestOpenAPI_OptionalFieldsAllowNull(t *testing.T) {
	optional := 0
	for id, schema := range requestSchemas(t) {
		for name, field := range schema.Properties {
			if slices.Contains(schema.Required, name) {
				continue
			}
			optional++
			if err := field.Validate(nil); err != nil {
				t.Errorf("%s: %s: %v", id, name, err)
			}
		}
	}
	if optional < 7 {
		t.Errorf("the document has %d optional fields", optional)
	}
}

func TestOpenAPI_CourseUpload(t *testing.T) {
	upload := requestSchemas(t)["course.add"]
	if upload == nil {
		t.Fatal("the document does not describe the upload of a course")
	}
	course := upload.Properties["courseData"]
	for name, test := range map[string]struct {
		replace string
		valid   bool
	}{
		"numbers":                {`{}`, true},
		"numbers in strings":     {`{"coursePrice":" 19.99 ","discount":".5"}`, true},
		"null for what is not":   {`{"isPublished":null}`, true},
		"a word":                 {`{"coursePrice":"much"}`, false},
		"an exponent":            {`{"coursePrice":"1e3"}`, false},
		"a number out of bounds": {`{"discount":101}`, false},
		"null for a price":       {`{"coursePrice":null}`, false},
	} {
		var tree any
		check(t, json.Unmarshal([]byte(courseData(t, test.replace)), &tree))
		if err := course.Validate(tree); (err == nil) != test.valid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
