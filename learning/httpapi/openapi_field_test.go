package httpapi_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
)

// selfExplaining has the names of fields whose text would only repeat the name.
var selfExplaining = map[string]bool{
	"createdAt": true, "updatedAt": true, "title": true, "name": true, "content": true,
	"tags": true, "professionalTitle": true,
	"first_name": true, "last_name": true, "email_address": true, "email_addresses": true,
	"isResolved": true, "milliseconds": true, "visits": true, "attempts": true,
	"upvoteCount": true, "replyCount": true, "postCount": true, "memberCount": true,
	"enrolledCount": true, "enrolledStudentsCount": true, "totalLectures": true,
	"totalRatings": true, "totalEnrolledStudents": true, "totalEnrollments": true,
	"enrollments": true, "purchases": true, "ratings": true, "posts": true, "replies": true,
}

// repeatsName reports whether a text of a field would only repeat its name: the field is an id, an
// object that has a schema, or one of selfExplaining.
func repeatsName(name string, property any) bool {
	schema, _ := property.(map[string]any)
	isID := strings.EqualFold(name, "id") || strings.HasSuffix(name, "Id") ||
		strings.HasSuffix(name, "_id")
	return isID || schema["$ref"] != nil || schema["oneOf"] != nil || selfExplaining[name]
}

// A field is described where it is declared: by its tag doc, or by its name in commonTexts.
func TestOpenAPI_DescribesEveryField(t *testing.T) {
	fields, unused := 0, maps.Clone(selfExplaining)
	schemas, _ := apiDocument(t).at("components", "schemas")
	for name, node := range schemas {
		walk(node, func(key string, value any) {
			properties, _ := value.(map[string]any)
			if key != "properties" {
				return
			}
			for field, property := range properties {
				fields++
				text, _ := property.(map[string]any)["description"].(string)
				if text == "" {
					delete(unused, field)
				}
				if text == "" && !repeatsName(field, property) {
					t.Errorf("%s.%s has no text: give the field a tag doc", name, field)
				}
			}
		})
	}
	if fields < 400 {
		t.Errorf("the document has %d fields", fields)
	}
	for name := range unused {
		t.Errorf("every field %s has a text: remove it from selfExplaining", name)
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
		if text, _ := parameter["description"].(string); text == "" ||
			text == httpapi.OtherPathText {
			t.Errorf(
				"the parameter %s has no description: add it to "+
					"learning/httpapi/openapi_parameter.go", parameter["name"])
		}
	})
	if described < 20 {
		t.Errorf("the document has %d parameters", described)
	}
}
