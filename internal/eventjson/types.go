package eventjson

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// Type declares a type of events. The API document, the table of docs/events.md and the tests
// follow from it.
type Type struct {
	Name    core.EventType
	Subject string  // the noun before the colon of the subject: course, purchase or user
	Fields  []Field // of the data, in the order of the documentation
	Text    string  // when the event is sent: a sentence without its full stop
	Note    string  // what docs/events.md says in addition; "" for nothing
}

// Field is a field of the data of a type.
type Field struct {
	Name string // in JSON
	// If says when an event has the field: "if there was a payment". It is "" for a field that all
	// events of the type have.
	If string
}

var (
	ofCourse   = fields("courseId", "courseTitle", "educatorId")
	ofPurchase = fields("purchaseId", "userId", "courseId if it is of a course",
		"courseTitle", "amount", "currency",
		"provider if there is one", "listPrice if the course has a price",
		"discount if the course has a price", "couponCode if there was a coupon",
		"paymentId if there was a payment", "metadata if the order was opened with it",
		"bundleId if it is of a bundle", "lines if it is of a bundle")
	ofRefund     = append(slices.Clone(ofPurchase), Field{Name: "refundId"})
	ofDispute    = append(slices.Clone(ofPurchase), Field{Name: "disputeId"})
	ofEnrollment = fields("userId", "courseId", "courseTitle",
		"purchaseId if there was a purchase")
	ofCertificate = fields("certificateId", "userId", "courseId", "courseTitle")
	ofSubmission  = fields("userId", "courseId", "courseTitle", "lectureId", "submissionId")
	ofApplication = fields("applicationId", "userId")
)

// Types declares all types of events. The tests of this package fail for an event that is not
// declared, and TestEvents_DataHasTheDocumentedFields of package learning for one that nothing
// sends.
var Types = []Type{
	{
		Name:    catalog.EventCoursePublished,
		Subject: "course",
		Fields:  ofCourse,
		Text:    "A course can be bought",
	},
	{
		Name:    catalog.EventCourseUpdated,
		Subject: "course",
		Fields:  ofCourse,
		Text:    "A published course was changed",
	},
	{
		Name:    catalog.EventCourseUnpublished,
		Subject: "course",
		Fields:  ofCourse,
		Text:    "A course can no longer be bought",
	},
	{
		Name:    purchase.EventCompleted,
		Subject: "purchase",
		Fields:  ofPurchase,
		Text:    "A purchase was paid, a free course was taken, or a sale elsewhere recorded",
	},
	{
		Name:    purchase.EventRefunded,
		Subject: "purchase",
		Fields:  ofRefund,
		Text:    "What was paid for a purchase was refunded, or a part of it",
		Note:    "`amount` is that of this refund, or of what was added to it later",
	},
	{
		Name:    purchase.EventRefundFailed,
		Subject: "purchase",
		Fields:  ofRefund,
		Text:    "A refund that was counted has failed at the provider, so that its amount stands again",
		Note:    "`amount` is what stands again",
	},
	{
		Name:    purchase.EventFailed,
		Subject: "purchase",
		Fields:  ofPurchase,
		Text:    "The order of a purchase was closed or refused for good by the provider",
		Note:    "a late `purchase.completed` may follow",
	},
	{
		Name:    purchase.EventDisputed,
		Subject: "purchase",
		Fields:  ofDispute,
		Text:    "The bank of a buyer objects to a payment",
		Note:    "`amount` is what is disputed",
	},
	{
		Name:    purchase.EventDisputeClosed,
		Subject: "purchase",
		Fields:  append(slices.Clone(ofDispute), Field{Name: "won"}),
		Text:    "The bank has decided about a dispute",
		Note:    "`amount` is what was disputed",
	},
	{
		Name:    study.EventEnrollmentCreated,
		Subject: "user",
		Fields:  ofEnrollment,
		Text:    "A user has access to a course",
	},
	{
		Name:    study.EventEnrollmentEnded,
		Subject: "user",
		Fields:  ofEnrollment,
		Text:    "A user has no access to a course any more",
	},
	{
		Name:    study.EventEnrollmentExpiring,
		Subject: "user",
		Fields:  append(slices.Clone(ofEnrollment), Field{Name: "expiresAt"}),
		Text:    "The access of a user to a course ends in seven days",
		Note:    "it is not sent where access lasts seven days or less",
	},
	{
		Name:    study.EventEnrollmentExpired,
		Subject: "user",
		Fields:  append(slices.Clone(ofEnrollment), Field{Name: "expiresAt"}),
		Text:    "The time of the access of a user to a course is over",
		Note:    "the enrolment stays, and the user can buy the course again",
	},
	{
		Name:    study.EventCourseCompleted,
		Subject: "user",
		Fields:  fields("userId", "courseId", "courseTitle"),
		Text:    "A student has completed all lectures of a course",
		Note:    "once for each user and course",
	},
	{
		Name:    study.EventLectureCompleted,
		Subject: "user",
		Fields:  fields("userId", "courseId", "courseTitle", "lectureId"),
		Text:    "A student has completed a lecture",
		Note:    "perhaps again after the mark was removed",
	},
	{
		Name:    community.EventPostCreated,
		Subject: "user",
		Fields: fields("postId", "userId",
			"courseId if it is in a course", "courseTitle if it is in a course",
			"lectureId if it is at a lecture"),
		Text: "A user has written a post",
	},
	{
		Name:    community.EventReplyCreated,
		Subject: "user",
		Fields: fields("postId", "replyId", "userId",
			"courseId if the post is in a course", "lectureId if the post is at a lecture"),
		Text: "A user has replied to a post",
	},
	{
		Name:    assess.EventQuizSubmitted,
		Subject: "user",
		Fields:  fields("userId", "courseId", "courseTitle", "chapterId", "resultId"),
		Text:    "The answers of a student to a quiz were marked",
		Note:    "once for each result",
	},
	{
		Name:    assess.EventAssignmentSubmitted,
		Subject: "user",
		Fields:  ofSubmission,
		Text:    "A student has submitted work on an assignment",
	},
	{
		Name:    assess.EventAssignmentGraded,
		Subject: "user",
		Fields:  ofSubmission,
		Text:    "The work of a student was graded, perhaps again",
		Note:    "`userId` is the student",
	},
	{
		Name:    assess.EventAssignmentReturned,
		Subject: "user",
		Fields:  ofSubmission,
		Text:    "The work of a student was returned, to be done again",
	},
	{
		Name:    community.EventReviewCreated,
		Subject: "user",
		Fields:  fields("reviewId", "userId", "courseId", "courseTitle"),
		Text:    "A student has added a text to the rating of a course",
		Note:    "perhaps after removing one; a change of the text is not told",
	},
	{
		Name:    certify.EventCertificateIssued,
		Subject: "user",
		Fields:  ofCertificate,
		Text:    "A certificate was issued",
	},
	{
		Name:    certify.EventCertificateRevoked,
		Subject: "user",
		Fields:  ofCertificate,
		Text:    "A certificate was revoked",
	},
	{
		Name:    staff.EventApplicationSubmitted,
		Subject: "user",
		Fields:  ofApplication,
		Text:    "A user has applied to become an educator, perhaps again",
	},
	{
		Name:    staff.EventApplicationApproved,
		Subject: "user",
		Fields:  ofApplication,
		Text:    "A user has become an educator",
	},
	{
		Name:    staff.EventApplicationRejected,
		Subject: "user",
		Fields:  ofApplication,
		Text:    "The application of a user was rejected",
	},
	{
		Name:    inbox.EventAnnouncementPublished,
		Subject: "course",
		Fields:  fields("announcementId", "courseId", "courseTitle", "educatorId"),
		Text:    "An announcement to the students of a course was published",
	},
	{
		Name:    core.EventNotificationCreated,
		Subject: "user",
		Fields: fields("kind", "userId", "courseId if it names one", "chapterId if it names one",
			"lectureId if it names one", "postId if it names one", "replyId if it names one",
			"submissionId if it names one", "attemptId if it names one",
			"reviewId if it names one", "certificateId if it names one",
			"purchaseId if it names one", "announcementId if it names one"),
		Text: "A user was notified, who has not muted the kind: `userId` is the reader",
		Note: "A host sends mails by it",
	},
	{
		Name:    people.EventUserDeleted,
		Subject: "user",
		Fields:  fields("userId"),
		Text:    "The record of a user was deleted",
	},
}

// fields returns fields from their texts, such as "userId" and "paymentId if there was a payment".
func fields(texts ...string) []Field {
	all := make([]Field, len(texts))
	for i, text := range texts {
		name, condition, isOptional := strings.Cut(text, " if ")
		if all[i].Name = name; isOptional {
			all[i].If = "if " + condition
		}
	}
	return all
}

// TypeOf returns the declaration of a type, and whether there is one.
func TypeOf(name core.EventType) (Type, bool) {
	i := slices.IndexFunc(Types, func(t Type) bool { return t.Name == name })
	if i < 0 {
		return Type{}, false
	}
	return Types[i], true
}

// Example returns an event of the type in JSON, with all fields of its data. The names of the
// fields are in alphabetical order.
func (t Type) Example() json.RawMessage {
	data := map[string]any{}
	for _, f := range t.Fields {
		data[f.Name] = exampleOf(f.Name)
	}
	text, _ := json.Marshal(map[string]any{ // texts and numbers always encode
		"id":        "019bb5a1-7c00-7a3e-9f21-5d8c0e6b4a17",
		"type":      t.Name,
		"createdAt": "2026-01-31T09:30:00.000Z",
		"subject":   t.Subject + ":" + data[t.Subject+"Id"].(string),
		"data":      data,
	})
	return text
}

// exampleOf returns the value of the tag example of a field of [Data].
func exampleOf(name string) any {
	for field := range reflect.TypeFor[Data]().Fields() {
		if jsonName, _, _ := strings.Cut(field.Tag.Get("json"), ","); jsonName != name {
			continue
		}
		text := field.Tag.Get("example")
		isText := field.Type.Kind() == reflect.String || field.Type == reflect.TypeFor[*string]()
		if isText {
			return text
		}
		return json.RawMessage(text)
	}
	return ""
}
