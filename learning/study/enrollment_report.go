package study

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
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

// Enrollments returns a page of the active and the past enrolments, those that began last first. An
// enrolment keeps its position when it ends. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) Enrollments(
	ctx context.Context, actor core.Actor, q EnrollmentQuery, page core.PageRequest,
) (core.Page[EnrollmentReport], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return core.Page[EnrollmentReport]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]EnrollmentReport, error) {
		return s.store.EnrollmentReports(ctx, q, page)
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "list the enrolments", page, read,
		func(r EnrollmentReport) core.Position {
			return core.Position{At: r.CreatedAt, ID: r.UserID, ID2: r.CourseID}
		})
}

// EnrollmentReportReader reads the enrolments of the administration.
type EnrollmentReportReader interface {
	// EnrollmentReports lists a page of the active and the past enrolments, those that began
	// last first.
	EnrollmentReports(ctx context.Context, q EnrollmentQuery,
		page core.PageRequest) ([]EnrollmentReport, error)
}
