package learning

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxEnrollmentReason is the maximum length of the reason of an enrolment by an admin, in
// code points.
const MaxEnrollmentReason = 500

// GrantEnrollment enrols a user in a course, which may be a draft, without a purchase, and
// reports whether it did: it changes nothing if the user is enrolled. reason may be "". An
// open order of the user can still be paid. Errors: [ErrUnauthenticated], [ErrForbidden],
// [ErrInvalidRequest], [ErrUserNotFound], also for a deleted user, [ErrCourseNotFound].
func (p *Platform) GrantEnrollment(ctx context.Context, actor Actor, userID, courseID, reason string) (created bool, err error) {
	if err := actor.RequireRole(Admin); err != nil {
		return false, err
	}
	if reason = strings.TrimSpace(reason); !isText(reason, 0, MaxEnrollmentReason) || !utf8.ValidString(reason) {
		return false, ErrInvalidRequest
	}
	course, err := p.granted(ctx, userID, courseID)
	if err != nil {
		return false, err
	}
	e := Enrollment{UserID: userID, CourseID: courseID, GrantedBy: actor.UserID, Reason: reason, CreatedAt: p.now()}
	err = p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
		exists, err := tx.LockUser(ctx, userID) // a concurrent deletion comes before or after
		if err == nil && !exists {
			err = ErrUserNotFound
		}
		if err != nil {
			return err
		}
		return p.enroll(ctx, tx, out, e, course.Title)
	})
	switch {
	case errors.Is(err, ErrDuplicate):
		return false, nil
	case errors.Is(err, ErrNoRecord): // the course was deleted meanwhile
		return false, ErrCourseNotFound
	}
	return err == nil, wrap("enrol a user", err)
}

// granted returns the course in which an admin enrols a user. Errors: [ErrUserNotFound],
// [ErrCourseNotFound].
func (p *Platform) granted(ctx context.Context, userID, courseID string) (Course, error) {
	s, err := p.store.AccountState(ctx, userID)
	if err == nil && (!s.Known || s.Deleted) {
		return Course{}, ErrUserNotFound
	}
	if err != nil {
		return Course{}, fmt.Errorf("read a user: %w", err)
	}
	course, err := p.store.Course(ctx, courseID)
	if errors.Is(err, ErrNoRecord) {
		return Course{}, ErrCourseNotFound
	}
	return course, wrap("read a course", err)
}

// EndEnrollment ends the enrolment of a user in a course, whatever it came from. The
// progress stays, and is there again when the user is enrolled again. An enrolment of a
// deleted user can be ended too. Errors: [ErrUnauthenticated], [ErrForbidden],
// [ErrEnrollmentNotFound], or if there is none, [ErrUserNotFound] and [ErrCourseNotFound].
func (p *Platform) EndEnrollment(ctx context.Context, actor Actor, userID, courseID string) error {
	if err := actor.RequireRole(Admin); err != nil {
		return err
	}
	enrolled, err := p.store.Enrolled(ctx, userID, courseID)
	if err != nil {
		return fmt.Errorf("read an enrolment: %w", err)
	}
	if enrolled {
		enrolled, err = p.revokeEnrollment(ctx, enrollmentEnd{UserID: userID, CourseID: courseID, By: actor.UserID})
	}
	if err != nil || enrolled {
		return wrap("end an enrolment", err)
	}
	if _, err := p.granted(ctx, userID, courseID); err != nil {
		return err
	}
	return ErrEnrollmentNotFound
}

// revokeEnrollment ends an enrolment in a transaction of its own, and reports whether there
// was one.
func (p *Platform) revokeEnrollment(ctx context.Context, end enrollmentEnd) (ended bool, err error) {
	if end.Title, err = p.eventTitle(ctx, end.CourseID); err != nil {
		return false, err
	}
	err = retryDuplicate(func() error {
		return p.inTxEvents(ctx, func(tx Tx, out *outbox) (err error) {
			ended, err = p.endEnrollment(ctx, tx, out, end)
			return err
		})
	})
	return ended, err
}
