package httpapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/internal/openapi"
	"github.com/openlectern/openlectern/learning"
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

// eventTexts say when an event is sent, by its type.
var eventTexts = map[learning.EventType]string{
	learning.EventCoursePublished:   "A course can be bought",
	learning.EventCourseUpdated:     "A published course was changed",
	learning.EventCourseUnpublished: "A course can no longer be bought",
	learning.EventPurchaseCompleted: "A purchase was paid, or a free course was taken",
	learning.EventPurchaseRefunded: "What was paid for a purchase was refunded, or a " +
		"part of it",
	learning.EventPurchaseRefundFailed: "A refund that was counted has failed at the provider, so " +
		"that its amount stands again",
	learning.EventEnrollmentCreated:    "A user has access to a course",
	learning.EventEnrollmentEnded:      "A user has no access to a course any more",
	learning.EventCourseCompleted:      "A student has completed all lectures of a course",
	learning.EventLectureCompleted:     "A student has completed a lecture",
	learning.EventPostCreated:          "A user has written a post",
	learning.EventReplyCreated:         "A user has replied to a post",
	learning.EventQuizSubmitted:        "The answers of a student to a quiz were marked",
	learning.EventAssignmentSubmitted:  "A student has submitted work on an assignment",
	learning.EventAssignmentGraded:     "The work of a student was graded, perhaps again",
	learning.EventAssignmentReturned:   "The work of a student was returned, to be done again",
	learning.EventReviewCreated:        "A student has added a text to the rating of a course",
	learning.EventCertificateIssued:    "A certificate was issued",
	learning.EventCertificateRevoked:   "A certificate was revoked",
	learning.EventApplicationSubmitted: "A user has applied to become an educator, perhaps again",
	learning.EventApplicationApproved:  "A user has become an educator",
	learning.EventApplicationRejected:  "The application of a user was rejected",
	learning.EventUserDeleted:          "The record of a user was deleted",
}

// webhooks describes the webhooks of all types of events, by type.
func (d *describer) webhooks() map[string]map[string]*openapi.Operation {
	all := map[string]map[string]*openapi.Operation{}
	for kind := range eventjson.Fields {
		all[string(kind)] = map[string]*openapi.Operation{"post": d.webhook(kind)}
	}
	return all
}

// webhook describes the webhook of a type of events, and adds the schemas that it refers to.
func (d *describer) webhook(kind learning.EventType) *openapi.Operation {
	ref := &jsonschema.Schema{Ref: openapi.SchemaPath + d.eventSchema(kind)}
	return &openapi.Operation{
		ID: "event." + string(kind), Tags: []string{eventsTag["name"]}, Summary: eventTexts[kind],
		Description: eventTexts[kind] + ". It is sent at least once, in order for each subject.",
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
				Examples: map[string]*openapi.Example{"event": {Value: exampleEvent(kind)}}},
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
func (d *describer) eventSchema(kind learning.EventType) string {
	name := ""
	for _, part := range strings.FieldsFunc(string(kind), isSeparator) {
		name += strings.ToUpper(part[:1]) + part[1:]
	}
	d.schemas.All[name+"Data"] = eventDataSchema(kind)
	fields := jsonschema.NewProperties()
	fields.Set("id", &jsonschema.Schema{Type: "string",
		Description: "The same in every delivery of the event."})
	fields.Set("type", &jsonschema.Schema{Type: "string", Const: string(kind),
		Description: "Always `" + string(kind) + "`."})
	fields.Set("createdAt", &jsonschema.Schema{Type: "string", Format: "date-time",
		Description: "When it happened: ISO 8601, UTC, with milliseconds."})
	fields.Set("subject", &jsonschema.Schema{Type: "string", Pattern: "^" + subjectOf(kind) + ":",
		Description: "What the event is about. Its events are sent in order."})
	fields.Set("data", &jsonschema.Schema{Ref: openapi.SchemaPath + name + "Data",
		Description: "The ids, amounts and titles of what happened."})
	d.schemas.All[name+"Event"] = &jsonschema.Schema{Type: "object",
		Description: eventTexts[kind] + ".", Properties: fields,
		Required: []string{"id", "type", "createdAt", "subject", "data"}}
	return name + "Event"
}

// isSeparator reports whether a character stands between the words of a type of event.
func isSeparator(r rune) bool { return r == '.' || r == '_' }

// eventDataSchema returns the schema of the data of a type, with the fields in the order of
// the documentation.
func eventDataSchema(kind learning.EventType) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "object", Description: "The data of " + string(kind) + ".",
		Properties: jsonschema.NewProperties()}
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, LookupComment: textOf}
	all := r.ReflectFromType(reflect.TypeFor[eventjson.Data]()).Properties
	for _, name := range eventjson.Fields[kind] {
		field, _ := all.Get(name) // every name is that of a field of Data
		schema.Properties.Set(name, field)
		if !isOptional(kind, name) {
			schema.Required = append(schema.Required, name)
		}
	}
	return schema
}

// isOptional reports whether a field is missing in some events of a type: an enrolment may have
// been created without a purchase, a purchase of a free course has no payment, and a post may be in
// no course and at no lecture.
func isOptional(kind learning.EventType, field string) bool {
	if kind == learning.EventPostCreated || kind == learning.EventReplyCreated {
		return slices.Contains([]string{"courseId", "courseTitle", "lectureId"}, field)
	}
	return field == "purchaseId" && subjectOf(kind) != "purchase" || field == "paymentId"
}

// subjectOf returns the noun before the colon in the subjects of a type. It tells the type by its
// fields: only events about a purchase have an amount, and of the others only those about a user
// have a user.
func subjectOf(kind learning.EventType) string {
	switch fields := eventjson.Fields[kind]; {
	case slices.Contains(fields, "amount"):
		return "purchase"
	case slices.Contains(fields, "userId"):
		return "user"
	}
	return "course"
}

// exampleEvent returns an event of a type in JSON.
func exampleEvent(kind learning.EventType) json.RawMessage {
	subject := map[string]string{"purchase": "purchase:0197f3a2-0000-7000-8000-000000000001",
		"user": "user:user_student", "course": "course:course-1"}[subjectOf(kind)]
	// The example has values for the fields of all types; those that this type lacks are deleted
	// below. Texts and numbers always encode.
	event, _ := eventjson.Marshal(learning.Event{
		ID: "019bb5a1-7c00-7a3e-9f21-5d8c0e6b4a17", Type: kind, Subject: subject,
		CreatedAt: time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC),
		Data: learning.EventData{
			CourseID: "course-1", CourseTitle: "Bread for Beginners", EducatorID: "user_educator",
			UserID:     "user_student",
			PurchaseID: "0197f3a2-0000-7000-8000-000000000001", Amount: 49900, Currency: "INR",
			PaymentID: "pay_ABCDEFGHIJKLMN", RefundID: "019bb5a1-7c00-7a3e-9f21-000000000008",
			CertificateID: "7f1c5a9e-2d84-4b6f-9c3a-5e8d1b7a4f20",
			ApplicationID: "019bb5a1-7c00-7a3e-9f21-000000000002",
			LectureID:     "lecture-1",
			PostID:        "019bb5a1-7c00-7a3e-9f21-000000000003",
			ReplyID:       "019bb5a1-7c00-7a3e-9f21-000000000004",
			ChapterID:     "chapter_1",
			ResultID:      "019bb5a1-7c00-7a3e-9f21-000000000005",
			ReviewID:      "019bb5a1-7c00-7a3e-9f21-000000000006",
			SubmissionID:  "019bb5a1-7c00-7a3e-9f21-000000000007",
		},
	})
	var tree map[string]any
	_ = json.Unmarshal(event, &tree) // it was encoded above
	data := tree["data"].(map[string]any)
	for name := range data {
		if !slices.Contains(eventjson.Fields[kind], name) {
			delete(data, name)
		}
	}
	event, _ = json.Marshal(tree)
	return event
}
