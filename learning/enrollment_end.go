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

// endEnrollment ends e in a transaction that has locked the user and read e after that: it moves
// the row to the past enrolments, adds the event to out, and decrements the number of students.
// by is "" if the platform decides. title is that of the course, for the event.
func (p *Platform) endEnrollment(ctx context.Context, tx Tx, out *outbox, e Enrollment, by, reason, title string) error {
	past := PastEnrollment{ID: p.newID(), Enrollment: e, EndedAt: p.now(), EndedBy: by, EndReason: reason}
	if err := tx.InsertPastEnrollment(ctx, past); err != nil {
		return err
	}
	deleted, err := tx.DeleteEnrollment(ctx, e.UserID, e.CourseID)
	if err == nil && !deleted {
		err = fmt.Errorf("end an enrolment: %w", ErrDuplicate) // see storePurchase
	}
	if err != nil {
		return err
	}

	// The row of the course is locked from here on, so its counter comes after the event.
	out.enrollment(EventEnrollmentEnded, e, title)
	if err := out.write(ctx, tx); err != nil {
		return err
	}
	out.count(e.UserID, Total{Kind: TotalEnrollments, Number: -1})
	return tx.DecrementEnrollments(ctx, e.CourseID)
}
