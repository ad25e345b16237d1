package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Enrollment is the access of a user to a course. There is at most one for a user and
// a course. One that ends becomes a [PastEnrollment].
type Enrollment struct {
	UserID     string
	CourseID   string
	PurchaseID string // the purchase that pays the enrolment; "" if there is only a grant
	GrantedBy  string // the admin who granted the enrolment, also to a buyer; "" without a grant
	GrantedAt  time.Time
	Reason     string // of the admin
	CreatedAt  time.Time
}

// exists reports whether e is an enrolment, and not the zero value.
func (e Enrollment) exists() bool { return e.UserID != "" }

// isGranted reports whether an admin has granted e, beside a purchase or without one.
func (e Enrollment) isGranted() bool { return e.GrantedBy != "" }

// PastEnrollment is an enrolment that ended. The progress, quiz results, ratings and
// certificates of the user in the course stay.
type PastEnrollment struct {
	ID string
	Enrollment
	EndedAt   time.Time
	EndedBy   string // the user who ended it; "" if the platform did
	EndReason string
}

// EnrolledCourse is a course together with the rating of an enrolled user.
type EnrolledCourse struct {
	Course
	Stars      int // the rating of the user, from 1 to 5; 0 for none
	EnrolledAt time.Time
}

// EnrolledCourses lists the courses that the actor is enrolled in, including drafts,
// the oldest enrolment first.
func (p *Platform) EnrolledCourses(actor Actor) (*List[EnrolledCourse], error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	return pagedList("list the courses of a student", inPages(p.enrolledCoursesOf(actor.UserID)),
		func(c *EnrolledCourse) Position { return Position{At: c.EnrolledAt, ID: c.ID} }), nil
}

// EnrolledCoursesPage returns a page of [Platform.EnrolledCourses], and the position after
// which the next one begins, zero at the end. Errors: [ErrUnauthenticated],
// [ErrInvalidRequest].
func (p *Platform) EnrolledCoursesPage(ctx context.Context, actor Actor, page Page) ([]EnrolledCourse, Position, error) {
	if err := actor.Require(); err != nil {
		return nil, Position{}, err
	}
	return readPage(ctx, "list the courses of a student", page, p.enrolledCoursesOf(actor.UserID),
		func(c EnrolledCourse) Position { return Position{At: c.EnrolledAt, ID: c.ID} })
}

func (p *Platform) enrolledCoursesOf(
	userID string,
) func(context.Context, Page) ([]EnrolledCourse, error) {
	return func(ctx context.Context, page Page) ([]EnrolledCourse, error) {
		return p.store.EnrolledCourses(ctx, userID, page)
	}
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

// enroll stores an enrolment and increments the number of students, in a transaction that has
// locked the user. The events come first, because the transaction locks the row of the course from
// the increment on. It returns [ErrNoRecord] if the course was deleted; the transaction must then be
// rolled back.
func (p *Platform) enroll(ctx context.Context, tx Tx, out *outbox, e Enrollment, title string) error {
	out.enrollment(EventEnrollmentCreated, e, title)
	if err := out.write(ctx, tx); err != nil {
		return err
	}
	if err := tx.IncrementEnrollments(ctx, e.CourseID); err != nil {
		return err
	}
	out.count(e.UserID, Total{Kind: TotalEnrollments, Number: 1})
	return tx.InsertEnrollment(ctx, e)
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

// enrollmentReader reads enrolments.
type enrollmentReader interface {
	Enrolled(ctx context.Context, userID, courseID string) (bool, error)
	Enrollment(ctx context.Context, userID, courseID string) (Enrollment, error)
	// EnrolledCourses lists the courses that a user is enrolled in, including drafts, by
	// the time of the enrolment and the id of the course: a page, or all for the zero page.
	EnrolledCourses(ctx context.Context, userID string, page Page) ([]EnrolledCourse, error)
	// EnrolledCourse reads a course that a user is enrolled in.
	EnrolledCourse(ctx context.Context, userID, courseID string) (EnrolledCourse, error)
	// EnrollmentReports lists a page of the active and the past enrolments, those that began
	// last first.
	EnrollmentReports(ctx context.Context, q EnrollmentQuery, page Page) ([]EnrollmentReport, error)
}

// enrollmentWriter writes enrolments.
type enrollmentWriter interface {
	// InsertEnrollment adds an enrolment. It returns [ErrDuplicate] if the user is
	// enrolled.
	InsertEnrollment(ctx context.Context, e Enrollment) error
	// UpdateEnrollment stores the purchase and the grant of an enrolment. It returns
	// [ErrNoRecord] if the user is not enrolled.
	UpdateEnrollment(ctx context.Context, e Enrollment) error
	InsertPastEnrollment(ctx context.Context, e PastEnrollment) error
	// RestorePastEnrollment records that the past enrolment of a purchase is given back, so
	// that it no longer counts as the end of what the purchase gave. The row stays.
	RestorePastEnrollment(ctx context.Context, userID, courseID, purchaseID string, at time.Time) error
	// DeleteEnrollment deletes an enrolment, and reports whether there was one.
	DeleteEnrollment(ctx context.Context, userID, courseID string) (bool, error)
	// ForgetEnrollmentReasons removes the texts of admins from the enrolments of a user.
	ForgetEnrollmentReasons(ctx context.Context, userID string) error
	// ForgetPastEnrollmentReasons removes the texts of admins from the past enrolments of a
	// user.
	ForgetPastEnrollmentReasons(ctx context.Context, userID string) error
}
