package core

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/outbox"
)

// EventType is the kind of an [Event]. The rooms declare those of their nouns. docs/events.md says
// when each is written, and has its subject and the fields of its data. They are declared in
// internal/eventjson/types.go, too.
type EventType string

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
	Provider      string // of the purchase: see purchase.Purchase
	ListPrice     Money  // of the purchase, before Discount; 0 if it is not known
	Discount      Money  // what the discount of the course and the coupon took off together
	CouponCode    string // of the purchase; "" for none
	PaymentID     string // at the provider, of what was paid or refunded
	RefundID      string // of the refund
	DisputeID     string // at the provider
	Won           *bool  // of a dispute that was closed: whether the payment stays
	CertificateID string
	ApplicationID string
	LectureID     string
	PostID        string
	ReplyID       string
	ChapterID     string
	ResultID      string // of the result
	ReviewID      string
	SubmissionID  string
	ExpiresAt     time.Time // the end of access to a course

	Kind           string // of a notification
	AttemptID      string
	AnnouncementID string

	Metadata Metadata // of the purchase

	BundleID string // of a purchase; then CourseID is "" and CourseTitle the title of the bundle
	// Lines are the courses of the purchase of a bundle, with what was paid for each; of a refund,
	// with what was given back.
	Lines []EventLine
}

// EventLine is a course of the purchase of a bundle.
type EventLine struct {
	CourseID string
	Amount   Money
}

// EventHandler receives events: see WithEvents of package learning.
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

// EventOf returns an event of the outbox with its data. The data would be zero if it had another
// type than the data that this package writes. That is only a precaution: the store returns this
// type.
func EventOf(e outbox.Event) Event {
	data, _ := e.Data.(EventData)
	return Event{
		ID:        e.ID,
		Type:      EventType(e.Type),
		CreatedAt: e.CreatedAt,
		Subject:   e.Subject,
		Data:      data,
	}
}
