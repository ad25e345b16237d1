package learning

import (
	"context"
	"time"
)

// EventType is the kind of an [Event].
type EventType string

// The types of events. docs/events.md says when each is written, and has its subject and the fields
// of its data. They are declared in internal/eventjson/types.go, too.
const (
	EventCoursePublished   EventType = "course.published"
	EventCourseUpdated     EventType = "course.updated"
	EventCourseUnpublished EventType = "course.unpublished"

	// Amount is what was paid, what was refunded, or what stands again, because a refund has failed
	// at the gateway after it was counted. What the events of completed purchases and failed refunds
	// add up to, less that of the refunds, is the revenue after each commit.
	EventPurchaseCompleted    EventType = "purchase.completed"
	EventPurchaseRefunded     EventType = "purchase.refunded"
	EventPurchaseRefundFailed EventType = "purchase.refund_failed"

	EventEnrollmentCreated EventType = "enrollment.created"
	EventEnrollmentEnded   EventType = "enrollment.ended"

	EventCourseCompleted  EventType = "course.completed"
	EventLectureCompleted EventType = "lecture.completed"

	EventPostCreated  EventType = "post.created"
	EventReplyCreated EventType = "reply.created" // UserID is the author of the reply

	EventQuizSubmitted EventType = "quiz.submitted"

	// UserID is the student. The decision on a submission may be told several times, because graders
	// may decide again.
	EventAssignmentSubmitted EventType = "assignment.submitted"
	EventAssignmentGraded    EventType = "assignment.graded"
	EventAssignmentReturned  EventType = "assignment.returned"

	EventReviewCreated EventType = "review.created"

	EventCertificateIssued  EventType = "certificate.issued"
	EventCertificateRevoked EventType = "certificate.revoked"

	EventApplicationSubmitted EventType = "application.submitted"
	EventApplicationApproved  EventType = "application.approved"
	EventApplicationRejected  EventType = "application.rejected"

	EventUserDeleted EventType = "user.deleted"
)

// Event tells a host of a change (docs/events.md). It is written in the
// transaction of the change.
type Event struct {
	ID        string // the same in every delivery of the event
	Type      EventType
	CreatedAt time.Time
	Subject   string // "course:ID", "purchase:ID" or "user:ID"; its events are delivered in order
	Data      EventData
}

// EventData is the data of an [Event]. docs/events.md says which fields each type has; the others
// are zero. It contains ids, amounts and titles, and never e-mail addresses, tokens or signatures.
type EventData struct {
	CourseID      string
	CourseTitle   string // when the event was written
	EducatorID    string
	UserID        string
	PurchaseID    string
	Amount        Money  // set together with Currency; 0 for a free course
	Currency      string // ISO 4217
	PaymentID     string // at the gateway, of what was paid or refunded
	RefundID      string // of the [Refund]
	CertificateID string
	ApplicationID string
	LectureID     string
	PostID        string
	ReplyID       string
	ChapterID     string
	ResultID      string // of the [QuizResult]
	ReviewID      string
	SubmissionID  string
}

// EventHandler receives events: see [WithEvents].
type EventHandler interface {
	// HandleEvent handles an event. If it returns an error or panics, it is called again
	// later, and meanwhile with no later event of the same subject. It is called again
	// after a success too, if the success could not be stored, so it must be idempotent by
	// the id of the event. It must return when ctx is done, which is after 15 seconds at
	// the latest. It must be safe for concurrent use.
	HandleEvent(ctx context.Context, e Event) error
}

// EventHandlerFunc is a function that is an [EventHandler].
type EventHandlerFunc func(ctx context.Context, e Event) error

// HandleEvent calls f.
func (f EventHandlerFunc) HandleEvent(ctx context.Context, e Event) error { return f(ctx, e) }
