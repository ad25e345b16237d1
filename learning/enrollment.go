package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Enrollment is the right of a person to a course. There is one a person and
// course; it is never taken away by the rules of this package.
type Enrollment struct {
	UserID     string
	CourseID   string
	PurchaseID string // what gave the right
	CreatedAt  time.Time
}

// EnrolledCourse is a course as somebody sees it who is enrolled in it.
type EnrolledCourse struct {
	Course
	Stars int // that the person gave, from 1 to 5; 0 for none
}

// EnrolledCourses lists the courses that the actor is enrolled in, also those that
// are not published any more, the oldest enrolment first.
func (p *Platform) EnrolledCourses(ctx context.Context, actor Actor) ([]EnrolledCourse, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	list, err := p.store.EnrolledCourses(ctx, actor.UserID)
	if err != nil {
		return nil, fmt.Errorf("list the courses of a student: %w", err)
	}
	return list, nil
}

// EnrolledCourse is a course that the actor is enrolled in, with the URLs of all
// its lectures. [ErrCourseDenied] for any other, whether it exists or not.
func (p *Platform) EnrolledCourse(ctx context.Context, actor Actor, courseID string) (EnrolledCourse, []Chapter, error) {
	c, err := p.enrolledIn(ctx, actor, courseID)
	if errors.Is(err, ErrCourseNotFound) || errors.Is(err, ErrNotPurchased) {
		return EnrolledCourse{}, nil, ErrCourseDenied
	}
	if err != nil {
		return EnrolledCourse{}, nil, err
	}
	content, err := p.store.CourseContent(ctx, courseID)
	if err != nil {
		return EnrolledCourse{}, nil, fmt.Errorf("read the content of a course: %w", err)
	}
	return c, content, nil
}

// enrolledIn reads a course that the actor must be enrolled in; see
// [Platform.denied] for who is not.
func (p *Platform) enrolledIn(ctx context.Context, actor Actor, courseID string) (EnrolledCourse, error) {
	if err := actor.Require(); err != nil {
		return EnrolledCourse{}, err
	}
	c, err := p.store.EnrolledCourse(ctx, actor.UserID, courseID)
	if errors.Is(err, ErrNoRecord) {
		return EnrolledCourse{}, p.denied(ctx, courseID)
	}
	if err != nil {
		return EnrolledCourse{}, fmt.Errorf("read a course of a student: %w", err)
	}
	return c, nil
}

// requireEnrolled is enrolledIn where the course itself is not needed.
func (p *Platform) requireEnrolled(ctx context.Context, actor Actor, courseID string) error {
	if err := actor.Require(); err != nil {
		return err
	}
	enrolled, err := p.store.Enrolled(ctx, actor.UserID, courseID)
	if err != nil {
		return fmt.Errorf("read an enrolment: %w", err)
	}
	if !enrolled {
		return p.denied(ctx, courseID)
	}
	return nil
}

// denied is why somebody may not have a course: [ErrNotPurchased], or
// [ErrCourseNotFound], also for a draft, of which they do not learn.
func (p *Platform) denied(ctx context.Context, courseID string) error {
	if _, err := p.published(ctx, courseID); err != nil {
		return err
	}
	return ErrNotPurchased
}

// EnrollmentReader reads enrolments.
type EnrollmentReader interface {
	Enrolled(ctx context.Context, userID, courseID string) (bool, error)
	// EnrolledCourses lists the courses that a person is enrolled in, drafts too, the
	// oldest enrolment first, by course on a tie.
	EnrolledCourses(ctx context.Context, userID string) ([]EnrolledCourse, error)
	// EnrolledCourse reads one of them.
	EnrolledCourse(ctx context.Context, userID, courseID string) (EnrolledCourse, error)
}

// EnrollmentWriter writes enrolments.
type EnrollmentWriter interface {
	// InsertEnrollment adds one; [ErrDuplicate] when the person is enrolled.
	InsertEnrollment(ctx context.Context, e Enrollment) error
}
