package learning

import (
	"context"
	"time"
)

// EnrollmentOrigin is what gave a user an enrolment.
type EnrollmentOrigin string

// The origins of an enrolment.
const (
	EnrollmentPurchased EnrollmentOrigin = "purchase" // a purchase that was paid
	EnrollmentFree      EnrollmentOrigin = "free"     // a purchase of a free course
	EnrollmentGranted   EnrollmentOrigin = "grant"    // an admin
)

// EnrollmentReport is an active or past enrolment as administrators see it.
type EnrollmentReport struct {
	Enrollment
	CourseTitle string
	Origin      EnrollmentOrigin
	EndedAt     time.Time // zero while it is active
	EndedBy     string    // as in [PastEnrollment]
	EndReason   string
}

// EnrollmentQuery selects enrolments. An empty field selects those of all.
type EnrollmentQuery struct {
	UserID   string
	CourseID string
}

// Enrollments lists a page of the active and the past enrolments, those that began last
// first. page.Limit must be from 1 to [MaxPageRows]. next is the position of the next page,
// or zero if there is none. An enrolment keeps its position when it ends. Errors:
// [ErrUnauthenticated], [ErrForbidden], [ErrInvalidRequest].
func (p *Platform) Enrollments(ctx context.Context, actor Actor, q EnrollmentQuery, page Page) (list []EnrollmentReport, next Position, err error) {
	if err := actor.RequireRole(Admin); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "list the enrolments", page, func(ctx context.Context, page Page) ([]EnrollmentReport, error) {
		return p.store.EnrollmentReports(ctx, q, page)
	}, func(r EnrollmentReport) Position { return Position{At: r.CreatedAt, ID: r.UserID, ID2: r.CourseID} })
}
