package study

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// EnrollmentChange is what an admin decides about an enrolment. What is nil stays as it is.
type EnrollmentChange struct {
	UserID   string
	CourseID string
	// ExpiresAt is when access ends; the zero time for no end. A past time ends it now.
	ExpiresAt *time.Time
	OpenAll   *bool // whether all lectures are open, whatever the terms say
	Reason    *string
	Metadata  *core.Metadata // all of the new one; see [Service.SetMetadata]
}

// ChangedEnrollment is an enrolment after a change.
type ChangedEnrollment struct {
	Enrollment
	IsExpired bool
}

// reason returns the reason of the change, "" for none.
func (c EnrollmentChange) reason() string {
	if c.Reason == nil {
		return ""
	}
	return *c.Reason
}

// changesAccess reports whether there is more to change than the metadata.
func (c EnrollmentChange) changesAccess() bool {
	return c.ExpiresAt != nil || c.OpenAll != nil || c.Reason != nil
}

// normal returns the change as it is stored, or [core.ErrInvalidRequest] if it changes nothing or a
// value is not valid.
func (c EnrollmentChange) normal() (EnrollmentChange, error) {
	if !c.changesAccess() && c.Metadata == nil {
		return c, core.ErrInvalidRequest
	}
	var err error
	if c.Reason != nil {
		c.Reason = new(strings.TrimSpace(*c.Reason))
		err = core.RequireText("reason", *c.Reason, 0, MaxEnrollmentReason)
	}
	if c.Metadata != nil {
		err = cmp.Or(err, c.Metadata.Check())
	}
	if c.ExpiresAt != nil {
		c.ExpiresAt = new(endAt(*c.ExpiresAt))
		err = cmp.Or(err, core.Require(core.IsStorableTime(*c.ExpiresAt), "expiresAt",
			core.StorableTimeRule))
	}
	return c, err
}

// of returns an enrolment after the change by an admin.
func (c EnrollmentChange) of(e Enrollment, adminID string, at time.Time) Enrollment {
	e.DecidedBy, e.DecidedAt = adminID, at
	if c.Reason != nil {
		e.WhyDecided = *c.Reason
	}
	if c.OpenAll != nil {
		e.OpenAll = *c.OpenAll
	}
	if c.ExpiresAt != nil {
		e.HasOverride, e.ExpiresAt = true, *c.ExpiresAt
	}
	return e
}

// ChangeEnrollment sets the end of the access of an enrolment, whether all its lectures are open,
// and its metadata. The end counts until the enrolment ends, whatever pays it. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest], also for a change of
// nothing; if there is no enrolment, [people.ErrUserNotFound], [catalog.ErrCourseNotFound] or
// [ErrEnrollmentNotFound], as with [Service.EndEnrollment].
func (s *Service) ChangeEnrollment(
	ctx context.Context, actor core.Actor, change EnrollmentChange,
) (changed ChangedEnrollment, err error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return ChangedEnrollment{}, err
	}
	if change, err = change.normal(); err != nil {
		return ChangedEnrollment{}, err
	}
	err = s.base.ChangeOfUser(ctx, change.UserID, func(tx Tx, changes *core.Changes) error {
		changed, err = s.changeEnrollment(ctx, tx, changes, actor.UserID, change)
		return err
	})
	if errors.Is(err, core.ErrNoRecord) {
		err = s.whyNotEnrolled(ctx, change.UserID, change.CourseID)
	}
	return changed, core.Wrap("change an enrolment", err)
}

// changeEnrollment is the transaction of ChangeEnrollment, which has locked the user. It returns
// [core.ErrNoRecord] if the user was deleted, whose enrolments get no new data, or is not enrolled.
func (s *Service) changeEnrollment(
	ctx context.Context, tx Tx, changes *core.Changes, adminID string, change EnrollmentChange,
) (changed ChangedEnrollment, err error) {
	// Read the state.
	account, err := tx.AccountState(ctx, change.UserID)
	if err == nil && account.Deleted {
		err = core.ErrNoRecord
	}
	if err != nil {
		return changed, err
	}
	before, err := tx.Enrollment(ctx, change.UserID, change.CourseID)
	if err != nil {
		return changed, err
	}

	// Store the metadata, and the access.
	if change.Metadata != nil {
		if _, err := tx.SetEnrollmentMetadata(ctx, change.UserID, change.CourseID,
			*change.Metadata); err != nil {
			return changed, err
		}
	}
	now := s.base.Now()
	after := before
	if change.changesAccess() {
		after = change.of(before, adminID, now)
		decide(changes, DecisionEnrollmentChanged, adminID, change.reason(), before)
		if err := s.ForRooms().ChangeEnrollment(ctx, tx, before, after); err != nil {
			return changed, err
		}
	}

	// What is open in it ends with the access.
	changed = ChangedEnrollment{Enrollment: after, IsExpired: after.HasExpired(now)}
	if changed.IsExpired && !before.HasExpired(now) {
		return changed, tx.AccessEnded(ctx, after, now)
	}
	return changed, nil
}

// endAt returns an end of access as it is stored.
func endAt(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}
