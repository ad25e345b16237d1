package sale

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// reasonRefunded is the reason of an enrolment's end and of a certificate's revocation.
const reasonRefunded = "The purchase was refunded"

// accessChange is what a refund does to the enrolment.
type accessChange int

const (
	accessStays      accessChange = iota
	accessMoves                   // another purchase pays the enrolment from now on
	accessIsGrant                 // only the grant of an admin is left
	accessIsKept                  // the host has decided that the enrolment stays
	accessEnds                    // the enrolment ends
	accessEnded                   // there is no enrolment any more: it ended before
	accessIsRestored              // what the refund had ended is given back, because it failed
	accessIsLeft                  // it lasts as long as what else gives it
)

// revokes reports whether a certificate is revoked with the change, if the [RefundPolicy] says so.
// In the other cases the user still has a right to the course: a purchase or a grant.
func (c accessChange) revokes() bool {
	return c == accessIsKept || c == accessEnds || c == accessEnded
}

// decideAccess returns what a refund does to the enrolment of the user in the course, when it is
// counted or when a counted one has failed. s is the state before it, and after is the purchase
// after it. The first row that fits decides. The column purchase is the status of after, and "as
// before" means that it has not changed, as by the refund of a part. paying are the other purchases
// that may pay the enrolment.
//
//	purchase afterwards  enrolment                 paying  KeepAccess  change
//	as before            any                       any     any         accessStays
//	completed again      any                       any     any         accessIsRestored
//	refunded             none                      any     any         accessEnded
//	refunded             by another purchase       any     any         accessIsLeft
//	refunded             by a grant only           any     any         accessIsLeft
//	refunded             by this purchase          some    any         accessMoves
//	refunded             by it, and by a grant     none    any         accessIsGrant
//	refunded             by it                     none    yes         accessIsKept
//	refunded             by it                     none    no          accessEnds
func decideAccess(s refundState, after Purchase, policy RefundPolicy) accessChange {
	switch {
	case s.Status == after.Status:
		return accessStays
	case after.Status == PurchaseCompleted: // it was refunded before, and that refund has failed
		return accessIsRestored
	}
	change := s.withoutPayment()
	if change == accessEnds && policy.KeepAccess {
		return accessIsKept
	}
	return change
}

// withoutPayment returns what happens to the enrolment if the purchase does not pay it any more: the
// last rows of the table of decideAccess, without the policy.
func (s refundState) withoutPayment() accessChange {
	switch {
	case !s.Enrollment.Exists():
		return accessEnded
	case s.Enrollment.PurchaseID != s.ID:
		return accessIsLeft
	case len(s.paying) > 0:
		return accessMoves
	case s.Enrollment.IsGranted():
		return accessIsGrant
	}
	return accessEnds
}

// accessCause is why an enrolment changes.
type accessCause struct {
	by     string // the admin; "" for the provider
	reason string
	title  string // of the course, for events
}

// changeAccess stores a change of the enrolment in the transaction of a refund or a dispute. state
// is what was before it.
func (s *Service) changeAccess(
	ctx context.Context, tx Tx, changes *core.Changes, state refundState, change accessChange,
	cause accessCause,
) error {
	e := state.Enrollment
	switch change {
	case accessMoves: // to the first of the paying purchases, by id
		e.PurchaseID = state.paying[0].ID
		return s.study.ChangeEnrollment(ctx, tx, state.Enrollment, state.leftOf(e))
	case accessIsGrant:
		e.PurchaseID = ""
		return s.study.ChangeEnrollment(ctx, tx, state.Enrollment, state.leftOf(e))
	case accessIsLeft:
		left := state.leftOf(e)
		if left.ExpiresAt.Equal(e.ExpiresAt) {
			return nil
		}
		return s.study.ChangeEnrollment(ctx, tx, e, left)
	case accessEnds:
		return s.study.EndEnrollment(ctx, tx, changes, study.Ending{
			Enrollment: e, By: cause.by, Reason: cause.reason, CourseTitle: cause.title,
		})
	case accessIsRestored:
		return s.restoreAccess(ctx, tx, changes, state.PurchaseState, cause.title)
	}
	return nil // accessStays, accessEnded, and accessIsKept, which the refund stores as KeptAccess
}

// leftOf returns an enrolment with the latest end of what gives it, without the purchase of s: the
// other purchases that pay it, and the grant. What an admin has decided stays.
func (s refundState) leftOf(e study.Enrollment) study.Enrollment {
	if e.HasOverride || len(s.paying) == 0 && !e.IsGranted() {
		return e
	}
	isFirst := true
	add := func(end time.Time) {
		if !isFirst {
			end = study.LaterEnd(e.ExpiresAt, end)
		}
		e.ExpiresAt, isFirst = end, false
	}
	for _, p := range s.paying {
		add(p.ExpiresAt)
	}
	if e.IsGranted() {
		add(e.GrantExpiresAt)
	}
	return e
}

// restoreAccess enrols the user again if the enrolment has ended because of a refund of the
// purchase, and the user has not been enrolled since. The enrolment that ended stays among the past
// ones, with who refunded it and when. A revoked certificate stays revoked.
func (s *Service) restoreAccess(
	ctx context.Context, tx Tx, changes *core.Changes, state PurchaseState, title string,
) error {
	// Only what the refund had ended is given back.
	ended, err := tx.ClearRefundEndedAccess(ctx, state.ID)
	if err != nil || !ended {
		return err
	}
	return s.giveAccessBack(ctx, tx, changes, state, title)
}

// giveAccessBack enrols the user again whose enrolment had ended because of the purchase.
func (s *Service) giveAccessBack(
	ctx context.Context, tx Tx, changes *core.Changes, state PurchaseState, title string,
) error {
	now := s.base.Now()
	// The enrolment gets the metadata of the one that ended. Read it before that is marked.
	metadata, err := tx.EndedMetadata(ctx, state.UserID, state.CourseID, state.ID)
	if err != nil {
		return err
	}
	// The purchase may pay an enrolment again: its past one does not count as its end any more.
	err = tx.RestorePastEnrollment(ctx, state.UserID, state.CourseID, state.ID, now)
	if err != nil {
		return err
	}

	// The user may have bought the course again since: that purchase pays the enrolment, which lasts
	// as long as the longer of both.
	if e := state.Enrollment; e.Exists() {
		longer := e
		longer.ExpiresAt = study.LaterEnd(e.ExpiresAt, state.ExpiresAt)
		if e.HasOverride || longer.ExpiresAt.Equal(e.ExpiresAt) {
			return nil
		}
		return s.study.ChangeEnrollment(ctx, tx, e, longer)
	}
	restored := state.enrollment(now)
	restored.Metadata = metadata
	return s.study.Enroll(ctx, tx, changes, restored, title)
}
