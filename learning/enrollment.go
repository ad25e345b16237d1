package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Enrollment is the access of a user to a course. There is at most one for a user and
// a course. This package never removes an enrolment.
type Enrollment struct {
	UserID     string
	CourseID   string
	PurchaseID string // the purchase that created the enrolment
	CreatedAt  time.Time
}

// EnrolledCourse is a course together with the rating of an enrolled user.
type EnrolledCourse struct {
	Course
	Stars int // the rating of the user, from 1 to 5; 0 for none
}

// EnrolledCourses lists the courses that the actor is enrolled in, including drafts,
// the oldest enrolment first.
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

// EnrolledCourse returns a course that the actor is enrolled in, with the URLs of all
// its lectures. It returns [ErrCourseDenied] if the actor is not enrolled, also if
// there is no such course.
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

// enrolledIn returns a course that the actor is enrolled in. If the actor is not
// enrolled, it returns the error of [Platform.denied].
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

// requireEnrolled returns the error that enrolledIn returns. It does not read the
// course of an enrolled actor.
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

// denied returns the error for a user who is not enrolled: [ErrNotPurchased], or
// [ErrCourseNotFound] if there is no such course or it is a draft.
func (p *Platform) denied(ctx context.Context, courseID string) error {
	if _, err := p.published(ctx, courseID); err != nil {
		return err
	}
	return ErrNotPurchased
}

// enrollmentReader reads enrolments.
type enrollmentReader interface {
	Enrolled(ctx context.Context, userID, courseID string) (bool, error)
	// EnrolledCourses lists the courses that a user is enrolled in, including drafts, by
	// the time of the enrolment and the id of the course.
	EnrolledCourses(ctx context.Context, userID string) ([]EnrolledCourse, error)
	// EnrolledCourse reads a course that a user is enrolled in.
	EnrolledCourse(ctx context.Context, userID, courseID string) (EnrolledCourse, error)
}

// enrollmentWriter writes enrolments.
type enrollmentWriter interface {
	// InsertEnrollment adds an enrolment. It returns [ErrDuplicate] if the user is
	// enrolled.
	InsertEnrollment(ctx context.Context, e Enrollment) error
}
