package learning

import (
	"context"
	"errors"
	"fmt"
)

// Dashboard is the overview of an educator's courses.
type Dashboard struct {
	Earnings Money // of completed purchases, before fees
	Courses  int
	Students *List[TaughtStudent] // the newest first
}

// TaughtCourses lists the actor's own courses, including drafts, the newest first.
// Errors: [ErrUnauthenticated], [ErrForbidden].
func (p *Platform) TaughtCourses(actor Actor) (*List[Course], error) {
	if err := actor.RequireRole(Educator); err != nil {
		return nil, err
	}
	return pagedList("list an educator's courses", inPages(p.coursesOf(actor.UserID)),
		func(c *Course) Position { return Position{At: c.CreatedAt, ID: c.ID} }), nil
}

// TaughtCoursesPage returns a page of [Platform.TaughtCourses], and the position after which
// the next one begins, zero at the end. Errors: [ErrUnauthenticated], [ErrForbidden],
// [ErrInvalidRequest].
func (p *Platform) TaughtCoursesPage(ctx context.Context, actor Actor, page Page) ([]Course, Position, error) {
	if err := actor.RequireRole(Educator); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "list an educator's courses", page, p.coursesOf(actor.UserID),
		func(c Course) Position { return Position{At: c.CreatedAt, ID: c.ID} })
}

func (p *Platform) coursesOf(educatorID string) func(context.Context, Page) ([]Course, error) {
	return func(ctx context.Context, page Page) ([]Course, error) {
		return p.store.CoursesOf(ctx, educatorID, page)
	}
}

// Dashboard returns the overview of the actor's courses. Errors: [ErrUnauthenticated],
// [ErrForbidden].
func (p *Platform) Dashboard(ctx context.Context, actor Actor) (d Dashboard, err error) {
	if err = actor.RequireRole(Educator); err != nil {
		return Dashboard{}, err
	}
	if d.Courses, d.Earnings, err = p.store.EarningsOf(ctx, actor.UserID, p.currency); err != nil {
		return Dashboard{}, fmt.Errorf("sum up an educator's courses: %w", err)
	}
	d.Students, err = p.studentsInOrder(ctx, actor.UserID, NewestFirst)
	return d, err
}

// ownCourse returns a course of the actor. If the course is another educator's, it
// returns [ErrForbidden], or [ErrCourseNotFound] for a draft, so that the existence
// of drafts stays unknown.
func (p *Platform) ownCourse(ctx context.Context, actor Actor, courseID string) (Course, error) {
	if err := actor.RequireRole(Educator); err != nil {
		return Course{}, err
	}
	c, err := p.store.Course(ctx, courseID)
	switch mine := c.Educator.ID == actor.UserID; {
	case errors.Is(err, ErrNoRecord) || err == nil && !mine && !c.Published:
		return Course{}, ErrCourseNotFound
	case err != nil:
		return Course{}, fmt.Errorf("read a course: %w", err)
	case !mine:
		return Course{}, ErrForbidden
	}
	return c, nil
}

// educatorReader reads the courses of one educator.
type educatorReader interface {
	// CoursesOf lists the courses, including drafts, the newest first: a page, or all for
	// the zero page.
	CoursesOf(ctx context.Context, educatorID string, page Page) ([]Course, error)
	// CoursesWithStudents lists the ids of at most limit courses that have students, in the
	// order of the ids, which are greater than after.
	CoursesWithStudents(ctx context.Context, educatorID, after string, limit int) ([]string, error)
	// StudentsIn lists a page of the enrolments in one of the courses.
	StudentsIn(
		ctx context.Context, educatorID, courseID string, order ListOrder, page Page,
	) ([]TaughtStudent, error)
	// EarningsOf counts the courses and sums their completed purchases in a currency, less
	// what was refunded.
	EarningsOf(ctx context.Context, educatorID, currency string) (courses int, earned Money, err error)
}
