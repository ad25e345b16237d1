package learning

import (
	"context"
	"fmt"
	"time"
)

// PastEnrollment is an enrolment that ended. The progress, quiz results, ratings and
// certificates of the user in the course stay.
type PastEnrollment struct {
	ID string
	Enrollment
	EndedAt   time.Time
	EndedBy   string // the user who ended it; "" if the platform did
	EndReason string
}

// enrollmentEnd is the end of an enrolment: whose it is, who decided, and why.
type enrollmentEnd struct {
	UserID, CourseID string
	PurchaseID       string // only the enrolment that this purchase created; "" for any
	By               string // "" if the platform decides
	Reason           string
	Title            string // of the course, for the event: see [Platform.eventTitle]
}

// endEnrollment ends an enrolment in the transaction tx, and reports whether there was
// one: it moves the row to the past enrolments, adds the event to out, and decrements the
// number of students. The deleted row decides which of two concurrent calls ended it. The
// transaction must not be declared repeatable, because a second run would find no
// enrolment, and the caller must run it again on [ErrDuplicate].
func (p *Platform) endEnrollment(ctx context.Context, tx Tx, out *outbox, end enrollmentEnd) (ended bool, err error) {
	id := p.newID()
	e := Enrollment{UserID: end.UserID, CourseID: end.CourseID, PurchaseID: end.PurchaseID}
	found, err := tx.InsertPastEnrollment(ctx, PastEnrollment{ID: id, Enrollment: e, EndedAt: p.now(), EndedBy: end.By, EndReason: end.Reason})
	if err != nil || !found {
		return false, err
	}
	deleted, err := tx.DeleteEnrollment(ctx, end.UserID, end.CourseID)
	if err == nil && !deleted { // on an engine that does not lock what an INSERT reads, a concurrent call was first
		err = fmt.Errorf("end an enrolment: %w", ErrDuplicate)
	}
	if err != nil {
		return false, err
	}
	past, err := tx.PastEnrollment(ctx, id)
	if err != nil {
		return false, err
	}
	out.enrollment(EventEnrollmentEnded, past.Enrollment, end.Title)
	if err := out.write(ctx, tx); err != nil {
		return false, err
	}
	return true, tx.DecrementEnrollments(ctx, end.CourseID)
}
