package study

import (
	"context"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// Cause is what a payment gives: access of a user to a course. Its id is that of the purchase of a
// course, or of a line of a purchase of several courses, and stands in [Enrollment.PurchaseID].
type Cause struct {
	ID        string
	UserID    string
	CourseID  string
	ExpiresAt time.Time // the end of the access that it gives; zero for no end
}

// causeMark separates the id of a purchase from the number of its line.
const causeMark = "."

// LineCause returns the id of the cause that line n of a purchase of several courses is.
func LineCause(purchaseID, n string) string { return purchaseID + causeMark + n }

// PurchaseOf returns the id of the purchase that a cause belongs to; "" for "".
func PurchaseOf(causeID string) string {
	purchaseID, _, _ := strings.Cut(causeID, causeMark)
	return purchaseID
}

// enrollment returns the enrolment that the cause gives.
func (c Cause) enrollment(at time.Time) Enrollment {
	return Enrollment{UserID: c.UserID, CourseID: c.CourseID, PurchaseID: c.ID, CreatedAt: at,
		ExpiresAt: c.ExpiresAt}
}

// CauseTx is what a transaction needs in which a cause gives or loses access.
type CauseTx interface {
	EnrollmentTx
	PaidEnrollmentTx
}

// GiveAccess gives a user what a cause gives since a time, in a transaction that has locked the
// user. e is the enrolment that the user has, zero for none. It must be one that can be renewed:
// see [Enrollment.CanRenew].
//
//	e                            then
//	none                         the cause enrols
//	its access has ended         it becomes a past one, and the cause enrols
//	its access ends later        it lasts until the end of the cause
//
// title is that of the course. Errors: those of [ForRooms.Enroll].
func (s *ForRooms) GiveAccess(
	ctx context.Context, tx CauseTx, changes *core.Changes, c Cause, e Enrollment, at time.Time,
	title string,
) error {
	switch {
	case !e.Exists():
	case e.HasExpired(s.base.Now()):
		if err := s.EndExpired(ctx, tx, changes, e, title); err != nil {
			return err
		}
	default:
		renewed := e // no admin has decided its end
		renewed.ExpiresAt = LaterEnd(e.ExpiresAt, c.ExpiresAt)
		return s.ChangeEnrollment(ctx, tx, e, renewed)
	}
	return s.Enroll(ctx, tx, changes, c.enrollment(at), title)
}

// AccessChange is what becomes of an enrolment when one of its causes ends or is restored.
type AccessChange int

// The changes of an enrolment.
const (
	AccessStays      AccessChange = iota
	AccessMoves                   // another cause gives the enrolment from now on
	AccessIsGrant                 // only the grant of an admin is left
	AccessIsKept                  // the host has decided that the enrolment stays
	AccessEnds                    // the enrolment ends
	AccessEnded                   // there is no enrolment any more: it ended before
	AccessIsRestored              // what the end of the cause had ended is given back
	AccessIsLeft                  // it lasts as long as what else gives it
)

// Without returns what happens to an enrolment, which is zero for none, when a cause ends. others
// are the other causes that give access now. The first row that fits decides:
//
//	enrolment               others  change
//	none                    any     AccessEnded
//	by another cause        any     AccessIsLeft
//	by a grant only         any     AccessIsLeft
//	by the cause            some    AccessMoves
//	by it, and by a grant   none    AccessIsGrant
//	by it                   none    AccessEnds
func (e Enrollment) Without(causeID string, others []Cause) AccessChange {
	switch {
	case !e.Exists():
		return AccessEnded
	case e.PurchaseID != causeID:
		return AccessIsLeft
	case len(others) > 0:
		return AccessMoves
	case e.IsGranted():
		return AccessIsGrant
	}
	return AccessEnds
}

// Loss is the end of a cause of an enrolment.
type Loss struct {
	Enrollment
	Others      []Cause // that give access now
	By          string  // the user who ends it; "" for the provider
	Reason      string
	CourseTitle string // for the event
}

// TakeAccess stores what becomes of an enrolment when a cause ends, in a transaction that has
// locked the user. It stores nothing for AccessStays, AccessEnded, AccessIsKept and
// AccessIsRestored.
func (s *ForRooms) TakeAccess(
	ctx context.Context, tx CauseTx, changes *core.Changes, change AccessChange, loss Loss,
) error {
	e := loss.Enrollment
	switch change {
	case AccessMoves: // to the first of the others
		e.PurchaseID = loss.Others[0].ID
		return s.ChangeEnrollment(ctx, tx, loss.Enrollment, e.lasting(loss.Others))
	case AccessIsGrant:
		e.PurchaseID = ""
		return s.ChangeEnrollment(ctx, tx, loss.Enrollment, e.lasting(loss.Others))
	case AccessIsLeft:
		left := e.lasting(loss.Others)
		if left.ExpiresAt.Equal(e.ExpiresAt) {
			return nil
		}
		return s.ChangeEnrollment(ctx, tx, e, left)
	case AccessEnds:
		return s.EndEnrollment(ctx, tx, changes, Ending{
			Enrollment: e, By: loss.By, Reason: loss.Reason, CourseTitle: loss.CourseTitle,
		})
	}
	return nil
}

// lasting returns the enrolment with the latest end of what gives it: the causes and the grant.
// What an admin has decided stays.
func (e Enrollment) lasting(causes []Cause) Enrollment {
	if e.HasOverride || len(causes) == 0 && !e.IsGranted() {
		return e
	}
	isFirst := true
	add := func(end time.Time) {
		if !isFirst {
			end = LaterEnd(e.ExpiresAt, end)
		}
		e.ExpiresAt, isFirst = end, false
	}
	for _, c := range causes {
		add(c.ExpiresAt)
	}
	if e.IsGranted() {
		add(e.GrantExpiresAt)
	}
	return e
}

// RestoreAccess enrols a user again whose enrolment had ended because of a cause, in a transaction
// that has locked the user. e is the enrolment that the user has now, zero for none. The enrolment
// that ended stays among the past ones, with who ended it and when.
func (s *ForRooms) RestoreAccess(
	ctx context.Context, tx CauseTx, changes *core.Changes, c Cause, e Enrollment, title string,
) error {
	now := s.base.Now()
	// The enrolment gets the metadata of the one that ended. Read it before that is marked.
	metadata, err := tx.EndedMetadata(ctx, c.UserID, c.CourseID, c.ID)
	if err != nil {
		return err
	}
	// The cause may give an enrolment again: its past one does not count as its end any more.
	err = tx.RestorePastEnrollment(ctx, c.UserID, c.CourseID, c.ID, now)
	if err != nil {
		return err
	}

	// The user may have bought the course again since: that purchase gives the enrolment, which
	// lasts as long as the longer of both.
	if e.Exists() {
		longer := e
		longer.ExpiresAt = LaterEnd(e.ExpiresAt, c.ExpiresAt)
		if e.HasOverride || longer.ExpiresAt.Equal(e.ExpiresAt) {
			return nil
		}
		return s.ChangeEnrollment(ctx, tx, e, longer)
	}
	restored := c.enrollment(now)
	restored.Metadata = metadata
	return s.Enroll(ctx, tx, changes, restored, title)
}

// Others returns those of causes that give what c gives at a time, in their order.
func (c Cause) Others(causes []Cause, at time.Time) (others []Cause) {
	for _, o := range causes {
		hasEnded := !o.ExpiresAt.IsZero() && !at.Before(o.ExpiresAt)
		if o.UserID == c.UserID && o.CourseID == c.CourseID && o.ID != c.ID && !hasEnded {
			others = append(others, o)
		}
	}
	return others
}

// CauseReader reads what gives access.
type CauseReader interface {
	// PayingCauses lists the causes of a user in courses that are paid, by id, without those whose
	// enrolment has ended.
	PayingCauses(ctx context.Context, userID string, courseIDs []string) ([]Cause, error)
}
