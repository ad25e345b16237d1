package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"
)

// openAPI is the part of an OpenAPI 3.1 document that describes the route table.
type openAPI struct {
	OpenAPI    string                          `json:"openapi"`
	Info       map[string]string               `json:"info"`
	Servers    []map[string]string             `json:"servers,omitempty"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components map[string]any                  `json:"components"`
}

type operation struct {
	ID         string                `json:"operationId"`
	Summary    string                `json:"summary,omitempty"`
	Security   []map[string][]string `json:"security,omitempty"`
	Parameters []map[string]any      `json:"parameters,omitempty"`
	Body       map[string]any        `json:"requestBody,omitempty"`
	Responses  map[string]any        `json:"responses"`
}

// describe returns the OpenAPI document of rows.
func (a *api) describe(rows []Route) ([]byte, error) {
	doc := openAPI{
		OpenAPI: "3.1.0",
		Info:    map[string]string{"title": "Open Lectern", "version": "1"},
		Paths:   map[string]map[string]operation{},
		Components: map[string]any{
			"securitySchemes": map[string]any{"session": map[string]string{"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}},
			"schemas":         failureSchemas(),
		},
	}
	if a.publicURL != "" {
		doc.Servers = []map[string]string{{"url": a.publicURL}}
	}
	for _, row := range rows {
		path, parameters := pathTemplate(row.Path)
		if doc.Paths[path] == nil {
			doc.Paths[path] = map[string]operation{}
		}
		doc.Paths[path][strings.ToLower(row.Method)] = row.operation(parameters)
	}
	body, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("httpapi: describe the table: %w", err)
	}
	return body, nil
}

// pathTemplate converts a path such as /api/course/:id to /api/course/{id} and its parameters.
func pathTemplate(path string) (string, []map[string]any) {
	var parameters []map[string]any
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if !isParameter(s) {
			continue
		}
		segments[i] = "{" + s[1:] + "}"
		parameters = append(parameters, map[string]any{"name": s[1:], "in": "path", "required": true, "schema": map[string]string{"type": "string"}})
	}
	return strings.Join(segments, "/"), parameters
}

func (row Route) operation(parameters []map[string]any) operation {
	op := operation{ID: row.ID, Summary: row.Summary, Parameters: parameters, Responses: row.responses()}
	if row.Access.needsToken() {
		op.Security = []map[string][]string{{"session": {}}}
	}
	if row.Access == OptionalAuth {
		op.Security = []map[string][]string{{}, {"session": {}}}
	}
	if row.Do.in != nil {
		op.Body = map[string]any{"required": true, "content": content(bodySchema(row.Do.in))}
	}
	if row.Do.form != nil {
		op.Body = map[string]any{"required": true, "content": uploadContent(row.Do.form)}
	}
	return op
}

// responses returns the success and the failures of a row by status.
func (row Route) responses() map[string]any {
	texts, bodies := map[int][]string{http.StatusOK: {"Success"}}, map[int][]*jsonschema.Schema{}
	if row.Do.out != nil {
		bodies[http.StatusOK] = append(bodies[http.StatusOK], envelope(row.Do.out))
	}
	for _, err := range row.failures() {
		status, message := answerTo(err)
		if slices.Contains(texts[status], message) {
			continue
		}
		texts[status] = append(texts[status], message)
		if status == http.StatusOK || len(bodies[status]) == 0 {
			bodies[status] = append(bodies[status], row.failureSchema(err))
		}
	}
	all := map[string]any{}
	for status, lines := range texts {
		response := map[string]any{"description": strings.Join(lines, " · ")}
		if len(bodies[status]) > 0 {
			kinds := content(anyOf(bodies[status]))
			if status == http.StatusOK && row.Do.events != "" {
				kinds[eventStream] = map[string]any{"schema": &jsonschema.Schema{Type: "string", Description: row.Do.events}}
			}
			response["content"] = kinds
		}
		all[fmt.Sprint(status)] = response
	}
	return all
}

// failureSchema returns a reference to the schema of a failure's body. The gateway's webhook
// and the verification of an unknown certificate have schemas of their own.
func (row Route) failureSchema(err error) *jsonschema.Schema {
	name := "Failure"
	switch {
	case row.Path == gatewayPath:
		name = "GatewayFailure"
	case err == errUnknownCertificate:
		name = "UnknownCertificate"
	}
	return &jsonschema.Schema{Ref: "#/components/schemas/" + name}
}

// failureSchemas returns the schemas of failure bodies by name.
func failureSchemas() map[string]*jsonschema.Schema {
	all := map[string]*jsonschema.Schema{
		"Failure":            reflector.ReflectFromType(reflect.TypeFor[failureBody]()),
		"GatewayFailure":     reflector.ReflectFromType(reflect.TypeFor[gatewayFailureBody]()),
		"UnknownCertificate": reflector.ReflectFromType(reflect.TypeFor[unknownCertificate]()),
	}
	for _, s := range all {
		s.Version = ""
	}
	return all
}

func anyOf(schemas []*jsonschema.Schema) *jsonschema.Schema {
	if len(schemas) == 1 {
		return schemas[0]
	}
	for _, s := range schemas {
		s.Version = ""
	}
	return &jsonschema.Schema{AnyOf: schemas}
}

func content(s *jsonschema.Schema) map[string]any {
	s.Version = ""
	return map[string]any{"application/json": map[string]any{"schema": s}}
}

// uploadContent returns the description of the multipart form of a new course.
func uploadContent(courseData reflect.Type) map[string]any {
	data := bodySchema(courseData)
	data.Version = ""
	fields := jsonschema.NewProperties()
	fields.Set("courseData", data)
	fields.Set("image", &jsonschema.Schema{ContentMediaType: "application/octet-stream"})
	form := &jsonschema.Schema{Type: "object", Properties: fields, Required: []string{"courseData", "image"}}
	parts := map[string]any{
		"courseData": map[string]string{"contentType": "application/json"},
		"image":      map[string]string{"contentType": "image/jpeg, image/png, image/webp"},
	}
	return map[string]any{"multipart/form-data": map[string]any{"schema": form, "encoding": parts}}
}

// envelope returns the schema of an answer with success: true added.
func envelope(t reflect.Type) *jsonschema.Schema {
	s := reflector.ReflectFromType(t)
	s.Properties.Set("success", &jsonschema.Schema{Const: true})
	s.Required = append([]string{"success"}, s.Required...)
	return s
}

// serveOpenAPI answers the document that describe has made.
func (a *api) serveOpenAPI(w http.ResponseWriter, _ *call) error {
	writeJSON(w, http.StatusOK, a.description)
	return nil
}
