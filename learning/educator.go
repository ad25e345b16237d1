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
	list, err := p.store.CoursesOf(ctx, actor.UserID)
	if err != nil {
		return nil, fmt.Errorf("list an educator's courses: %w", err)
	}
	return list, nil
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
	// CoursesOf lists the courses, including drafts, the newest first.
	CoursesOf(ctx context.Context, educatorID string) ([]Course, error)
	// StudentsOf lists the enrolments in the courses, the oldest first.
	StudentsOf(ctx context.Context, educatorID string) ([]TaughtStudent, error)
	// EarningsOf counts the courses and sums their completed purchases in a currency.
	EarningsOf(ctx context.Context, educatorID, currency string) (courses int, earned Money, err error)
}
