package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// MaxEnrollmentReason is the maximum length of the reason of an enrolment by an admin, in
// code points.
const MaxEnrollmentReason = 500

// Grant is an enrolment without a purchase.
type Grant struct {
	UserID   string
	CourseID string
	Reason   string // may be ""
	// ExpiresAt is when its access ends; zero for the terms of the course. A course that has ended
	// needs it.
	ExpiresAt time.Time
}

// The notifications of enrolments.
const (
	// NotifyEnrollmentGranted tells a student that an admin has given access to a course.
	NotifyEnrollmentGranted core.NotificationKind = "enrollment.granted"
	// NotifyEnrollmentExpiring tells a student that the access to a course ends soon.
	NotifyEnrollmentExpiring core.NotificationKind = "enrollment.expiring"
)

// The decisions about enrolments.
const (
	DecisionEnrollmentGranted core.DecisionKind = "enrollment.granted"
	DecisionEnrollmentChanged core.DecisionKind = "enrollment.changed"
	DecisionEnrollmentEnded   core.DecisionKind = "enrollment.ended"
)

// decide adds the decision of an admin about the enrolment of a user in a course.
func decide(changes *core.Changes, kind core.DecisionKind, adminID, reason string, e Enrollment) {
	changes.Decide(core.Decision{
		Kind:        kind,
		ActorID:     adminID,
		UserID:      e.UserID,
		Reason:      reason,
		DecisionIDs: core.DecisionIDs{CourseID: e.CourseID},
	})
}

// GrantEnrollment enrols a user in a course, which may be a draft, without a purchase, and
// reports whether it did. If the user is enrolled by a purchase, the grant is kept beside it, so
// that a refund does not end the access. An existing grant stays as it is, unless its access has
// ended. An open order of the user can still be paid. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [core.ErrInvalidRequest], [people.ErrUserNotFound], also for a deleted user,
// [catalog.ErrCourseNotFound], [catalog.ErrCourseEnded].
func (s *Service) GrantEnrollment(
	ctx context.Context, actor core.Actor, g Grant,
) (created bool, err error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return false, err
	}
	userID, courseID := g.UserID, g.CourseID
	g.Reason = strings.TrimSpace(g.Reason)
	err = cmp.Or(core.RequireText("reason", g.Reason, 0, MaxEnrollmentReason),
		core.Require(core.IsStorableTime(g.ExpiresAt), "expiresAt", core.StorableTimeRule))
	if err != nil {
		return false, err
	}

	// Read the course before the transaction: its title is for the event. The transaction runs
	// again if another one has enrolled the user meanwhile.
	course, err := s.courseToGrant(ctx, userID, courseID)
	if err != nil {
		return false, err
	}
	now := s.base.Now()
	ends := g.ExpiresAt.UTC().Truncate(time.Microsecond)
	if g.ExpiresAt.IsZero() {
		if course.Terms.HasEnded(now) {
			return false, catalog.ErrCourseEnded
		}
		ends = course.Terms.EndOf(now)
	}
	err = record.RetryDuplicate(ctx, func() error {
		return s.base.Change(ctx, func(tx Tx, changes *core.Changes) (err error) {
			created, err = s.grantEnrollment(ctx, tx, changes, course, Enrollment{
				UserID: userID, CourseID: courseID, GrantedBy: actor.UserID, Reason: g.Reason,
				ExpiresAt: ends, GrantExpiresAt: ends,
			})
			return err
		})
	})
	if errors.Is(err, core.ErrNoRecord) { // the course was deleted meanwhile
		return false, catalog.ErrCourseNotFound
	}
	// A transaction that failed may have set created.
	return created && err == nil, core.Wrap("enrol a user", err)
}

// grantEnrollment stores a grant in a transaction, and reports whether it enrols the user. grant
// has no times yet. Errors: [people.ErrUserNotFound], and [core.ErrNoRecord] if the course was
// deleted.
//
//	enrolled                            created  what changes
//	no                                  true     enrolled by the grant
//	its access has ended                true     it ends, and the grant enrols
//	by a grant, also beside a purchase  false    nothing
//	by a purchase alone                 false    the grant is added to the enrolment
func (s *Service) grantEnrollment(ctx context.Context, tx Tx, changes *core.Changes,
	course catalog.Course,
	grant Enrollment) (created bool, err error) {
	// Lock the user, so that the deletion of the user, purchases and refunds come before or after.
	if err := core.LockUser(ctx, tx, grant.UserID); err != nil {
		return false, err
	}
	account, err := tx.AccountState(ctx, grant.UserID)
	if err == nil && (!account.Known || account.Deleted) {
		err = people.ErrUserNotFound
	}
	if err != nil {
		return false, err
	}

	// Enrol the user, or add the grant to the enrolment: see the table.
	now := s.base.Now()
	e, err := tx.Enrollment(ctx, grant.UserID, grant.CourseID)
	if err == nil && !e.HasExpired(now) && e.IsGranted() {
		return false, nil
	}
	decide(changes, DecisionEnrollmentGranted, grant.GrantedBy, grant.Reason, grant)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return true, s.enrolByGrant(ctx, tx, changes, course, grant, now)
	case err != nil:
		return false, err
	case e.HasExpired(now):
		if err := s.ForRooms().EndExpired(ctx, tx, changes, e, course.Title); err != nil {
			return false, err
		}
		return true, s.enrolByGrant(ctx, tx, changes, course, grant, now)
	}

	// Enrolled by a purchase alone. The access lasts as long as the longer of both.
	before := e
	e.GrantedBy = grant.GrantedBy
	e.GrantedAt = now
	e.Reason = grant.Reason
	e.GrantExpiresAt = grant.GrantExpiresAt
	if !e.HasOverride {
		e.ExpiresAt = LaterEnd(e.ExpiresAt, grant.GrantExpiresAt)
	}
	return false, s.ForRooms().ChangeEnrollment(ctx, tx, before, e)
}

// enrolByGrant enrols a user who has no access, and tells the user.
func (s *Service) enrolByGrant(
	ctx context.Context, tx Tx, changes *core.Changes, course catalog.Course, grant Enrollment,
	now time.Time,
) error {
	grant.CreatedAt, grant.GrantedAt = now, now
	changes.Notify(grant.GrantedBy, core.Notification{
		Kind:            NotifyEnrollmentGranted,
		ReaderID:        grant.UserID,
		Thing:           grant.CourseID,
		NotificationIDs: core.NotificationIDs{CourseID: grant.CourseID},
	})
	return s.ForRooms().Enroll(ctx, tx, changes, grant, course.Title)
}

// courseToGrant returns the course in which an admin enrols a user, which may be a draft. Errors:
// [people.ErrUserNotFound] if there is no record of the user or the user was deleted,
// [catalog.ErrCourseNotFound].
func (s *Service) courseToGrant(ctx context.Context, userID, courseID string) (catalog.Course,
	error) {
	account, err := s.store.AccountState(ctx, userID)
	if err == nil && (!account.Known || account.Deleted) {
		return catalog.Course{}, people.ErrUserNotFound
	}
	if err != nil {
		return catalog.Course{}, fmt.Errorf("read a user: %w", err)
	}
	return s.catalog.Any(ctx, courseID)
}

// EndEnrollment ends the enrolment of a user in a course, whatever it came from. The
// progress stays, and is there again when the user is enrolled again. An enrolment of a
// deleted user can be ended too. Errors: [core.ErrUnauthenticated], [core.ErrForbidden]. If there
// is no enrolment: [people.ErrUserNotFound] if the user has no record or was deleted, else
// [catalog.ErrCourseNotFound] if there is no such course, else [ErrEnrollmentNotFound].
func (s *Service) EndEnrollment(ctx context.Context, actor core.Actor, userID,
	courseID string) error {
	if err := actor.RequireRole(core.Admin); err != nil {
		return err
	}
	title, err := s.catalog.EventTitle(ctx,
		courseID) // "" if the course was deleted, or without events
	if err != nil {
		return err
	}

	// Lock the user, read the enrolment, and end it. The transaction runs again if another one has
	// ended the enrolment after it was read.
	err = record.RetryDuplicate(ctx, func() error {
		return s.base.Change(ctx, func(tx Tx, changes *core.Changes) error {
			if err := core.LockUser(ctx, tx, userID); err != nil {
				return err
			}
			e, err := tx.Enrollment(ctx, userID, courseID)
			if err != nil {
				return err
			}
			decide(changes, DecisionEnrollmentEnded, actor.UserID, "", e)
			return s.ForRooms().EndEnrollment(ctx, tx, changes,
				Ending{Enrollment: e, By: actor.UserID, CourseTitle: title})
		})
	})

	if !errors.Is(err, core.ErrNoRecord) {
		return core.Wrap("end an enrolment", err)
	}
	return s.whyNotEnrolled(ctx, userID, courseID)
}

// whyNotEnrolled returns the error of an enrolment that does not exist. It says whether the user or
// the course is missing, or only the enrolment.
func (s *Service) whyNotEnrolled(ctx context.Context, userID, courseID string) error {
	if _, err := s.courseToGrant(ctx, userID, courseID); err != nil {
		return err
	}
	return ErrEnrollmentNotFound
}
