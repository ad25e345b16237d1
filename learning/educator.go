package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// TaughtStudent is one enrolment in a course of an educator.
type TaughtStudent struct {
	CourseID    string
	CourseTitle string
	Student     Person
	EnrolledAt  time.Time
}

// Dashboard is the overview of an educator's courses.
type Dashboard struct {
	Earnings Money // of completed purchases, before fees
	Courses  int
	Students []TaughtStudent // the newest first
}

// TaughtCourses lists the actor's own courses, including drafts, the newest first.
// Errors: [ErrUnauthenticated], [ErrForbidden].
func (p *Platform) TaughtCourses(ctx context.Context, actor Actor) ([]Course, error) {
	if err := actor.RequireRole(Educator); err != nil {
		return nil, err
	}
	list, err := p.store.CoursesOf(ctx, actor.UserID, Page{})
	if err != nil {
		return nil, fmt.Errorf("list an educator's courses: %w", err)
	}
	return list, nil
}

// TaughtCoursesPage returns a page of [Platform.TaughtCourses], and the position after which
// the next one begins, zero at the end. Errors: [ErrUnauthenticated], [ErrForbidden],
// [ErrInvalidRequest].
func (p *Platform) TaughtCoursesPage(ctx context.Context, actor Actor, page Page) ([]Course, Position, error) {
	if err := actor.RequireRole(Educator); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "list an educator's courses", page, func(ctx context.Context, page Page) ([]Course, error) {
		return p.store.CoursesOf(ctx, actor.UserID, page)
	}, func(c Course) Position { return Position{At: c.CreatedAt, ID: c.ID} })
}

// TaughtStudents lists the enrolments in the actor's courses, the oldest first.
// Errors: [ErrUnauthenticated], [ErrForbidden].
func (p *Platform) TaughtStudents(ctx context.Context, actor Actor) ([]TaughtStudent, error) {
	if err := actor.RequireRole(Educator); err != nil {
		return nil, err
	}
	list, err := p.store.StudentsOf(ctx, actor.UserID)
	if err != nil {
		return nil, fmt.Errorf("list an educator's students: %w", err)
	}
	return list, nil
}

// TaughtStudentsPage returns a page of the enrolments in the actor's courses, and the position
// after which the next one begins, zero at the end. The enrolments are in the order of the ids
// of their courses, the oldest of a course first, so that a page reads no other enrolments.
// Errors: [ErrUnauthenticated], [ErrForbidden], [ErrInvalidRequest].
func (p *Platform) TaughtStudentsPage(ctx context.Context, actor Actor, page Page) ([]TaughtStudent, Position, error) {
	if err := actor.RequireRole(Educator); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "list an educator's students", page, func(ctx context.Context, page Page) ([]TaughtStudent, error) {
		return p.studentsByCourse(ctx, actor.UserID, page)
	}, func(s TaughtStudent) Position { return Position{At: s.EnrolledAt, ID: s.Student.ID, ID2: s.CourseID} })
}

// studentsByCourse reads the rest of the course in which the page begins, and then one course
// after the other until the page is full.
func (p *Platform) studentsByCourse(ctx context.Context, educatorID string, page Page) (list []TaughtStudent, err error) {
	after := page.After.ID2
	if after != "" {
		if list, err = p.store.StudentsIn(ctx, educatorID, after, page); err != nil {
			return nil, err
		}
	}
	for len(list) < page.Limit {
		ids, err := p.store.CoursesWithStudents(ctx, educatorID, after, page.Limit)
		if err != nil || len(ids) == 0 {
			return list, err
		}
		for _, after = range ids {
			if len(list) == page.Limit {
				break
			}
			rows, err := p.store.StudentsIn(ctx, educatorID, after, Page{Limit: page.Limit - len(list)})
			if err != nil {
				return nil, err
			}
			list = append(list, rows...)
		}
	}
	return list, nil
}

// Dashboard returns the overview of the actor's courses. Errors: [ErrUnauthenticated],
// [ErrForbidden].
func (p *Platform) Dashboard(ctx context.Context, actor Actor) (Dashboard, error) {
	students, err := p.TaughtStudents(ctx, actor)
	if err != nil {
		return Dashboard{}, err
	}
	slices.SortStableFunc(students, func(a, b TaughtStudent) int { return b.EnrolledAt.Compare(a.EnrolledAt) })
	d := Dashboard{Students: students}
	if d.Courses, d.Earnings, err = p.store.EarningsOf(ctx, actor.UserID, p.currency); err != nil {
		return Dashboard{}, fmt.Errorf("sum up an educator's courses: %w", err)
	}
	return d, nil
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
	// StudentsIn lists a page of the enrolments in one of the courses, the oldest first.
	StudentsIn(ctx context.Context, educatorID, courseID string, page Page) ([]TaughtStudent, error)
	// StudentsOf lists the enrolments in the courses, the oldest first.
	StudentsOf(ctx context.Context, educatorID string) ([]TaughtStudent, error)
	// EarningsOf counts the courses and sums their completed purchases in a currency, less
	// what was refunded.
	EarningsOf(ctx context.Context, educatorID, currency string) (courses int, earned Money, err error)
}
