package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// The events of the end of access. Each is written once for each end that an enrolment gets.
const (
	EventEnrollmentExpiring core.EventType = "enrollment.expiring"
	EventEnrollmentExpired  core.EventType = "enrollment.expired"
)

// expiringBefore is how long before the end of access a student is told of it.
const expiringBefore = 7 * 24 * time.Hour

// RenewBefore is how long before the end of access a course may be bought again.
const RenewBefore = 30 * 24 * time.Hour

// reasonExpired is why an enrolment ended in whose place another one came.
const reasonExpired = "The access had ended"

// LaterEnd returns the later one of two ends of access, of which zero, which is none, is the
// latest.
func LaterEnd(a, b time.Time) time.Time {
	if a.IsZero() || b.IsZero() {
		return time.Time{}
	}
	return core.Latest(a, b)
}

// CanRenew reports whether the course of an enrolment may be bought again: the access has ended, or
// ends in less than 30 days. While an end counts that an admin has decided, a purchase would give
// nothing, so that the course can be bought only after it.
func (e Enrollment) CanRenew(now time.Time) bool {
	if e.HasOverride {
		return e.HasExpired(now)
	}
	return !e.ExpiresAt.IsZero() && !now.Before(e.ExpiresAt.Add(-RenewBefore))
}

// FirstStep returns when the first thing is to be told about a new end of access: seven days before
// it, or at the end if access does not last longer. It is zero for no end.
func (e Enrollment) FirstStep(now time.Time) time.Time {
	if e.ExpiresAt.IsZero() || e.ExpiresAt.Sub(now) <= expiringBefore {
		return e.ExpiresAt
	}
	return e.ExpiresAt.Add(-expiringBefore)
}

// EndExpired ends an enrolment whose access has ended, because another one takes its place, in a
// transaction that has locked the user and read the enrolment after that. title is that of the
// course.
func (s *ForRooms) EndExpired(
	ctx context.Context, tx EnrollmentTx, changes *core.Changes, e Enrollment, title string,
) error {
	return s.EndEnrollment(ctx, tx, changes, Ending{Enrollment: e, Reason: reasonExpired,
		CourseTitle: title})
}

// expiryBatch is how many enrolments are read at a time.
const expiryBatch = 100

// endAccess tells of each end of access that has come or comes soon, and ends what is open in the
// enrolment, each in its own transaction. Two instances that do so at once tell it once. After a
// failure it goes on with the others, unless a whole batch has failed.
func (s *Service) endAccess(ctx context.Context) error {
	var first error
	failed := map[EnrollmentKey]bool{}
	for {
		// Those that have failed are due still, and come first.
		limit := expiryBatch + len(failed)
		due, err := s.store.DueExpiries(ctx, s.base.Now(), limit)
		if err != nil {
			return fmt.Errorf("list the enrolments whose access ends: %w", err)
		}
		for _, e := range due {
			if failed[e] {
				continue
			}
			if err := s.tellExpiry(ctx, e); err != nil {
				first, failed[e] = cmp.Or(first, err), true
			}
		}
		if len(due) < limit || len(failed) >= expiryBatch || ctx.Err() != nil {
			return core.Wrap(fmt.Sprintf("tell of the end of %d enrolments; the first",
				len(failed)), first)
		}
	}
}

// tellExpiry does the step that is due of one enrolment:
//
//	now                        event                  next step
//	at the end or later        enrollment.expired     none
//	in the seven days before   enrollment.expiring    the end
//	earlier, or no end         none                   as it is
//
// The last row is that of an enrolment that was changed meanwhile.
func (s *Service) tellExpiry(ctx context.Context, due EnrollmentKey) error {
	title, err := s.catalog.EventTitle(ctx, due.CourseID)
	if err != nil {
		return err
	}
	err = s.base.ChangeOfUser(ctx, due.UserID, func(tx Tx, changes *core.Changes) error {
		// Read the state after the lock of the user, and whether a step is still due.
		e, err := tx.Enrollment(ctx, due.UserID, due.CourseID)
		if errors.Is(err, core.ErrNoRecord) {
			return nil // it has ended meanwhile
		}
		if err != nil {
			return err
		}
		now := s.base.Now()
		if e.StepAt.IsZero() || now.Before(e.StepAt) {
			return nil
		}
		if !e.HasExpired(now) {
			addExpiryEvent(changes, EventEnrollmentExpiring, e, title)
			const byNobody = ""
			changes.Notify(byNobody, core.Notification{
				Kind:     NotifyEnrollmentExpiring,
				ReaderID: e.UserID,
				Thing:    e.CourseID,
				NotificationIDs: core.NotificationIDs{CourseID: e.CourseID,
					PurchaseID: PurchaseOf(e.PurchaseID)},
			})
			e.StepAt = e.ExpiresAt
			return tx.SetExpiry(ctx, e)
		}
		addExpiryEvent(changes, EventEnrollmentExpired, e, title)
		e.StepAt = time.Time{}
		if err := tx.SetExpiry(ctx, e); err != nil {
			return err
		}
		return tx.AccessEnded(ctx, e, e.ExpiresAt)
	})
	return err
}

// addExpiryEvent adds an event of the end of access. title is that of its course.
func addExpiryEvent(changes *core.Changes, t core.EventType, e Enrollment, title string) {
	changes.Add(t, "user", e.UserID, core.EventData{UserID: e.UserID, CourseID: e.CourseID,
		CourseTitle: title, PurchaseID: PurchaseOf(e.PurchaseID), ExpiresAt: e.ExpiresAt})
}

// expiryReader reads which enrolments end.
type expiryReader interface {
	// DueExpiries lists at most limit enrolments of which something is to be told until a time,
	// that which is due first.
	DueExpiries(ctx context.Context, until time.Time, limit int) ([]EnrollmentKey, error)
}
