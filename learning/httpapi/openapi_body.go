package httpapi

import (
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/openapi"
)

// isRequired says that a request must have a body or a parameter.
const isRequired = true

// body describes the request body of a row, or returns nil if it has none.
func (d *describer) body(row Route) map[string]any {
	example := d.examples[row.ID].Request
	switch {
	case row.Do.in != nil:
		// The call of Body comes first: it adds the schema that needsBody reads.
		return requestBody(jsonContent,
			&openapi.MediaType{Schema: d.schemas.Body(row.Do.in), Examples: examplesOf(example)},
			d.needsBody(row))
	case row.Do.takesFile:
		return requestBody(offsetType, &openapi.MediaType{Schema: &jsonschema.Schema{Type: "string",
			Format: "binary", Description: "The next bytes of the file."}},
			row.Method == http.MethodPatch)
	case row.Do.form != nil:
		return requestBody("multipart/form-data", d.upload(row, example), isRequired)
	case row.Do.event != nil:
		return requestBody(jsonContent,
			&openapi.MediaType{Schema: d.schemas.Body(row.Do.event), Examples: examplesOf(example)},
			isRequired)
	}
	return nil
}

// requestBody returns the object requestBody of the document, for a body of the media type kind.
func requestBody(kind string, content *openapi.MediaType, required bool) map[string]any {
	return map[string]any{"required": required,
		"content": map[string]*openapi.MediaType{kind: content}}
}

// needsBody reports whether a body must be sent: whether its schema requires a field. An empty body
// counts as an empty object. The schema must have been added to d.schemas.
func (d *describer) needsBody(row Route) bool {
	return len(d.schemas.All[openapi.SchemaName(row.Do.in)].Required) > 0
}

// upload describes the multipart form of a new course, or of its picture, and adds the schema of
// the form. courseData is the example of the first part, nil for none.
func (d *describer) upload(row Route, courseData json.RawMessage) *openapi.MediaType {
	switch row.Do.form {
	case reflect.TypeFor[imageForm]():
		return d.uploadPart("ImageForm", "image", imageField(), imageEncoding)
	case reflect.TypeFor[fileForm]():
		return d.uploadPart("FileForm", "file", fileField(), nil)
	}
	// The form has two parts: the JSON of the course, and the picture.
	fields := jsonschema.NewProperties()
	data := d.schemas.Body(row.Do.form)
	data.Description = courseDataText
	fields.Set("courseData", data)
	fields.Set("image", imageField())
	name := openapi.SchemaName(row.Do.form) + "Form"
	d.schemas.All[name] = &jsonschema.Schema{Type: "object", Properties: fields,
		Required: []string{"courseData", "image"}}
	// The media types of the parts, for clients that send them.
	form := &openapi.MediaType{Schema: &jsonschema.Schema{Ref: openapi.SchemaPath + name},
		Encoding: map[string]any{
			"courseData": map[string]string{"contentType": jsonContent},
			"image":      imageEncoding,
		}}
	if courseData != nil {
		form.Examples = map[string]*openapi.Example{"success": {Value: map[string]any{
			"courseData": courseData, "image": "(the bytes of the picture)",
		}}}
	}
	return form
}

// imageEncoding has the media types of the part with the picture.
var imageEncoding = map[string]string{"contentType": "image/jpeg, image/png, image/webp"}

// imageField returns the schema of the part with the picture.
func imageField() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: "binary",
		ContentMediaType: "application/octet-stream", Description: imageText}
}

// fileField returns the schema of the part with a file of lectures.
func fileField() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: "binary",
		ContentMediaType: "application/octet-stream", Description: "The file, with its name."}
}

// uploadPart describes a multipart form of one part, and adds its schema with a name. encoding says
// which media types the part may have; nil for any.
func (d *describer) uploadPart(name, part string, field *jsonschema.Schema,
	encoding map[string]string) *openapi.MediaType {
	fields := jsonschema.NewProperties()
	fields.Set(part, field)
	d.schemas.All[name] = &jsonschema.Schema{Type: "object", Properties: fields,
		Required: []string{part}}
	form := &openapi.MediaType{Schema: &jsonschema.Schema{Ref: openapi.SchemaPath + name}}
	if encoding != nil {
		form.Encoding = map[string]any{part: encoding}
	}
	return form
}
