package httpapi

import (
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/internal/openapi"
)

// eventsTag is the tag of the webhooks that the platform sends.
var eventsTag = map[string]string{"name": "Events",
	"description": "Webhooks that the server sends to the receiver of its host. The header " +
		"`webhook-id` is the id of the event: handle each id once. An answer with a status of 200 " +
		"to 299 within 15 seconds means delivered. Any other " +
		"answer, a redirect included, means that the event is sent again after 5 seconds, 30 " +
		"seconds, 5 minutes, 30 minutes, 2 hours, 5 hours and 10 " +
		"hours; then it waits until the operator redelivers it. An event is sent at least once. " +
		"Events of one `subject` are sent in the order in which " +
		"they happened: the next one is sent after the one before it was delivered. New types and " +
		"new fields may be added. Ignore those that are unknown."}

// webhooks describes the webhooks of all types of events, by type.
func (d *describer) webhooks() map[string]map[string]*openapi.Operation {
	all := map[string]map[string]*openapi.Operation{}
	for _, t := range eventjson.Types {
		all[string(t.Name)] = map[string]*openapi.Operation{"post": d.webhook(t)}
	}
	return all
}

// webhook describes the webhook of a type of events, and adds the schemas that it refers to.
func (d *describer) webhook(t eventjson.Type) *openapi.Operation {
	ref := &jsonschema.Schema{Ref: openapi.SchemaPath + d.eventSchema(t)}
	return &openapi.Operation{
		ID: "event." + string(t.Name), Tags: []string{eventsTag["name"]}, Summary: t.Text,
		Description: t.Text + ". It is sent at least once, in order for each subject.",
		Security:    []map[string][]string{{eventScheme: {}}},
		Parameters: []map[string]any{
			parameter{
				name:   "webhook-id",
				text:   "The id of the event, in every delivery of it.",
				schema: map[string]any{"type": "string"},
			}.in("header", isRequired),
			parameter{
				name:   "webhook-timestamp",
				text:   "The time of this delivery in Unix seconds.",
				schema: map[string]any{"type": "string"},
			}.in("header", isRequired),
		},
		Body: requestBody(jsonContent,
			&openapi.MediaType{Schema: ref,
				Examples: map[string]*openapi.Example{"event": {Value: t.Example()}}},
			isRequired),
		Responses: map[string]*openapi.Response{
			"2XX": {Description: "The event is delivered"},
			"3XX": {Description: "The redirect is not followed, and the event is sent again"},
			"4XX": {Description: "The event is sent again"},
			"5XX": {Description: "The event is sent again"},
		},
	}
}

// eventSchema adds the schemas of a type of event and of its data, and returns the name of the
// first: CourseUpdatedEvent of course.updated.
func (d *describer) eventSchema(t eventjson.Type) string {
	name := ""
	for _, part := range strings.FieldsFunc(string(t.Name), isSeparator) {
		name += strings.ToUpper(part[:1]) + part[1:]
	}
	d.schemas.All[name+"Data"] = d.eventDataSchema(t)
	fields := jsonschema.NewProperties()
	fields.Set("id", &jsonschema.Schema{Type: "string",
		Description: "The same in every delivery of the event."})
	fields.Set("type", &jsonschema.Schema{Type: "string", Const: string(t.Name),
		Description: "Always `" + string(t.Name) + "`."})
	fields.Set("createdAt", &jsonschema.Schema{Type: "string", Format: "date-time",
		Description: "When it happened: ISO 8601, UTC, with milliseconds."})
	fields.Set("subject", &jsonschema.Schema{Type: "string", Pattern: "^" + t.Subject + ":",
		Description: "What the event is about. Its events are sent in order."})
	fields.Set("data", &jsonschema.Schema{Ref: openapi.SchemaPath + name + "Data",
		Description: "The ids, amounts and titles of what happened."})
	d.schemas.All[name+"Event"] = &jsonschema.Schema{Type: "object",
		Description: t.Text + ".", Properties: fields,
		Required: []string{"id", "type", "createdAt", "subject", "data"}}
	return name + "Event"
}

// isSeparator reports whether a character stands between the words of a type of event.
func isSeparator(r rune) bool { return r == '.' || r == '_' }

// eventLineSchema is the name of the schema of a line of a purchase in events.
const eventLineSchema = "EventLine"

// eventDataSchema returns the schema of the data of a type, with the fields in the order of
// the documentation, and adds the schemas that it refers to.
func (d *describer) eventDataSchema(t eventjson.Type) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "object", Description: "The data of " + string(t.Name) + ".",
		Properties: jsonschema.NewProperties()}
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, LookupComment: textOf}
	all := r.ReflectFromType(reflect.TypeFor[eventjson.Data]()).Properties
	for _, f := range t.Fields {
		field, _ := all.Get(f.Name) // every name is that of a field of Data
		if field.Type == "object" { // the metadata, which answers have too
			field = &jsonschema.Schema{Ref: openapi.SchemaPath + openapi.SchemaName(
				reflect.TypeFor[metadataJSON]()), Description: field.Description}
		}
		if field.Type == "array" { // the lines
			line := *field.Items
			line.Description = "A course of the purchase of a bundle."
			d.schemas.All[eventLineSchema] = &line
			field = &jsonschema.Schema{Type: "array", Description: field.Description,
				Items: &jsonschema.Schema{Ref: openapi.SchemaPath + eventLineSchema}}
		}
		schema.Properties.Set(f.Name, field)
		if f.If == "" {
			schema.Required = append(schema.Required, f.Name)
		}
	}
	return schema
}
