package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
)

// Every reference of the document resolves, and every schema is valid.
func TestOpenAPI_ReferencesResolve(t *testing.T) {
	d := apiDocument(t)
	seen := map[string]bool{}
	walk(d.tree, func(name string, value any) {
		to, isText := value.(string)
		if name != "$ref" || !isText || seen[to] {
			return
		}
		seen[to] = true
		if node, _ := d.at(strings.Split(strings.TrimPrefix(to, "#/"), "/")...); node == nil {
			t.Errorf("%s is not in the document", to)
		}
		if !strings.HasPrefix(to, "#/components/schemas/") {
			return
		}
		if _, err := d.schema(to); err != nil {
			t.Errorf("%s: %v", to, err)
		}
	})
	for _, schema := range []string{"Failure", "Success", "Course", "PurchaseAnswer",
		"PurchaseRequest", "NewCourse", "Post", "Quiz"} {
		if !seen["#/components/schemas/"+schema] {
			t.Errorf("nothing refers to the schema %s", schema)
		}
	}
}

// Every object needs a name, so that generated clients have a named type for it.
func TestOpenAPI_ObjectsHaveNames(t *testing.T) {
	d := apiDocument(t)
	// with metadata of any kind, a map of answers, or an object that may also be a text
	withoutName := map[string]bool{"GatewayEntity": true, "RefundEntity": true,
		"IdentityUser": true, "Attempt": true, "StudentAttempt": true,
		"SaveAnswersRequest": true, "SubmitAttemptRequest": true, "NewQuestion": true}
	schemas, _ := d.at("components", "schemas")
	for name, schema := range schemas {
		for _, fields := range schema.(map[string]any) {
			walk(fields, func(key string, value any) {
				if key == "type" && strings.Contains(fmt.Sprint(value), "object") &&
					!withoutName[name] {
					t.Errorf("%s has an object without a name", name)
				}
			})
		}
	}
	for _, part := range []string{"paths", "webhooks"} {
		eachContent(d.tree[part], "#/"+part, func(pointer string, content map[string]any) {
			walk(content["schema"], func(key string, value any) {
				if key == "type" && value == "object" {
					t.Errorf("%s is an object without a name", pointer)
				}
			})
		})
	}
}

func TestOpenAPI_DescribesEveryRoute(t *testing.T) {
	d := apiDocument(t)
	for id, row := range d.rows {
		operation, _ := d.at("paths", templateOf(row.Path), strings.ToLower(row.Method))
		if d.has(id) != (operation != nil) {
			t.Errorf("%s: in the document is %v", id, operation)
		}
		if operation == nil {
			continue
		}
		if tags, _ := operation["tags"].([]any); len(tags) != 1 || tags[0] == "Other" {
			t.Errorf("%s has the tags %v: add its noun to tags in learning/httpapi/openapi_text.go",
				id, tags)
		}
		if operation["summary"] == id {
			t.Errorf("%s has no Summary: add it to the row in learning/httpapi/routes_*.go", id)
		}
		answer, _ := d.at("paths", templateOf(row.Path), strings.ToLower(row.Method), "responses",
			"200", "content")
		isEmpty := row.TakesFile || row.ID == "upload.delete" // the answer is in headers
		if len(answer) == 0 && !isEmpty {
			t.Errorf(
				"%s has no answer: add answering, writing or streaming to its Do in "+
					"learning/httpapi/routes_*.go", id)
		}
	}
}

func escapePointer(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(s)
}

func TestOpenAPI_OptionalFieldsAllowNull(t *testing.T) {
	d := apiDocument(t)
	optional := 0
	all, _ := d.at("components", "schemas")
	for name, node := range all {
		schema := node.(map[string]any)
		required, _ := schema["required"].([]any)
		fields, _ := schema["properties"].(map[string]any)
		if !strings.HasSuffix(name, "Request") && !strings.HasPrefix(name, "New") {
			continue
		}
		for field := range fields {
			if slices.Contains(required, any(field)) {
				continue
			}
			optional++
			if err := d.validate("#/components/schemas/"+name+"/properties/"+field,
				[]byte("null")); err != nil {
				t.Errorf("%s: %s: %v", name, field, err)
			}
		}
	}
	if optional < 7 {
		t.Errorf("the document has %d optional fields", optional)
	}
}

func TestOpenAPI_CourseUpload(t *testing.T) {
	d := apiDocument(t)
	for name, test := range map[string]struct {
		replace string
		valid   bool
	}{
		"numbers":                {`{}`, true},
		"numbers in strings":     {`{"coursePrice":" 19.99 ","discount":".5"}`, true},
		"null for a flag":        {`{"isPublished":null}`, true},
		"a word":                 {`{"coursePrice":"much"}`, false},
		"an exponent":            {`{"coursePrice":"1e3"}`, false},
		"a number out of bounds": {`{"discount":101}`, false},
		"null for a price":       {`{"coursePrice":null}`, false},
	} {
		var form struct {
			Properties struct {
				CourseData struct {
					Ref string `json:"$ref"`
				}
			}
		}
		upload, _ := d.at("components", "schemas", "NewCourseForm")
		text, err := json.Marshal(upload)
		check(t, err)
		check(t, json.Unmarshal(text, &form))
		if err := d.validate(form.Properties.CourseData.Ref,
			[]byte(contracttest.CourseData(t, test.replace))); (err == nil) != test.valid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpenAPI_DescribesEvents(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct{ Type, Description string }
				}
			}
		}
	}
	s := fixtureSite(t)
	check(t, json.Unmarshal(s.get("/openapi.json").Body.Bytes(), &doc))
	streaming := 0
	for path, methods := range doc.Paths {
		for method, operation := range methods {
			for status, response := range operation.Responses {
				events, streams := response.Content[asEvents]
				if !streams {
					continue
				}
				streaming++
				// The name of an event, and whether the route answers JSON too.
				named, known := map[string]struct {
					event   string
					hasJSON bool
				}{
					"post/api/user/ai-chat200":             {"delta", true},
					"get/api/user/notifications/stream200": {"unread", false},
				}[fmt.Sprint(method, path, status)]
				if !known || events.Schema.Type != "string" ||
					!strings.Contains(events.Schema.Description, named.event) {
					t.Errorf("%s %s %s: %+v", method, path, status, events)
				}
				if _, whole := response.Content[asJSON]; whole != named.hasJSON {
					t.Errorf("%s %s: the document describes an answer in JSON: %v", method, path,
						whole)
				}
			}
		}
	}
	if streaming != 2 {
		t.Errorf("%d routes stream events", streaming)
	}
}
