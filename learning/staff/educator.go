package staff

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// TaughtTotals sums up the courses of an educator.
type TaughtTotals struct {
	Courses  int
	Earnings core.Money // of completed purchases, less what was refunded, before fees
}

// Waiting is what waits for the educator of courses.
type Waiting struct {
	Submissions int // that no grader has decided on
	Questions   int // posts of others that are not resolved, without a reply of staff
	Reviews     int // with a text and without an answer
}

// Dashboard is the overview of an educator's courses.
type Dashboard struct {
	TaughtTotals
	Waiting    Waiting
	ByCurrency []Revenue                       // the earnings by currency, that of the platform included
	Students   core.OrderedRows[TaughtStudent] // the newest first
}

// TaughtCourses returns a page of the actor's own courses, including drafts, the newest first.
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest] if page has no
// valid limit.
func (s *Service) TaughtCourses(
	ctx context.Context, actor core.Actor, page core.PageRequest,
) (core.Page[catalog.Course], error) {
	if err := actor.RequireRole(core.Educator); err != nil {
		return core.Page[catalog.Course]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]catalog.Course, error) {
		return s.store.CoursesOf(ctx, actor.UserID, page)
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "list an educator's courses", page, read,
		func(c catalog.Course) core.Position { return core.Position{At: c.CreatedAt, ID: c.ID} })
}

// Dashboard returns the overview of the actor's courses. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden].
func (s *Service) Dashboard(ctx context.Context, actor core.Actor) (d Dashboard, err error) {
	if err = actor.RequireRole(core.Educator); err != nil {
		return Dashboard{}, err
	}

	// The totals are read now, and the students while the caller ranges over them.
	if d.TaughtTotals, err = s.store.TaughtTotals(ctx, actor.UserID, s.currency); err != nil {
		return Dashboard{}, fmt.Errorf("sum up an educator's courses: %w", err)
	}
	if d.Waiting, err = s.store.Waiting(ctx, actor.UserID); err != nil {
		return Dashboard{}, fmt.Errorf("count what waits for an educator: %w", err)
	}
	earned, err := s.store.RevenueOfEducator(ctx, actor.UserID)
	if err != nil {
		return Dashboard{}, fmt.Errorf("sum up an educator's courses: %w", err)
	}
	d.ByCurrency = s.ofAll(earned)
	d.Students, err = s.studentsInOrder(ctx, actor.UserID, core.NewestFirst)
	return d, err
}

// educatorReader reads the courses of one educator.
type educatorReader interface {
	studentListReader
	// CoursesOf lists a page of the courses, including drafts, the newest first.
	CoursesOf(ctx context.Context, educatorID string, page core.PageRequest) ([]catalog.Course,
		error)
	// CoursesWithStudents lists the ids of at most limit courses that have students, in the
	// order of the ids, which are greater than after.
	CoursesWithStudents(ctx context.Context, educatorID, after string, limit int) ([]string, error)
	// StudentIn reads the student, the enrolment time and the time of the last activity of an
	// enrolment. The other fields are zero.
	StudentIn(ctx context.Context, userID, courseID string) (StudentProgress, error)
	// TaughtTotals counts the courses and sums their completed purchases in a currency.
	TaughtTotals(ctx context.Context, educatorID, currency string) (TaughtTotals, error)
	// Waiting counts what waits in the courses.
	Waiting(ctx context.Context, educatorID string) (Waiting, error)
}
