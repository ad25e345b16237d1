package learning

import "context"

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
	accessEnded                   // there is no enrolment
	accessIsRestored              // what the refund had ended is given back
)

// revokes reports whether a certificate is revoked with the change, by a host's [RefundPolicy].
func (c accessChange) revokes() bool {
	return c == accessIsKept || c == accessEnds || c == accessEnded
}

// decideAccess returns what a counted refund does to the enrolment of the user in the course. s is
// the state before it, and after is the purchase after it.
//
// paying are the other purchases that may pay the enrolment.
//
//	purchase afterwards  enrolment                 paying  KeepAccess  change
//	as before            any                       any     any         accessStays
//	completed again      any                       any     any         accessIsRestored
//	refunded             none                      any     any         accessEnded
//	refunded             by another purchase       any     any         accessStays
//	refunded             by a grant only           any     any         accessStays
//	refunded             by this purchase          some    any         accessMoves
//	refunded             by it, and by a grant     none    any         accessIsGrant
//	refunded             by it                     none    yes         accessIsKept
//	refunded             by it                     none    no          accessEnds
func decideAccess(s refundState, after Purchase, policy RefundPolicy) accessChange {
	switch {
	case s.Status == after.Status:
		return accessStays
	case after.Status == PurchaseCompleted:
		return accessIsRestored
	case !s.Enrollment.exists():
		return accessEnded
	case s.Enrollment.PurchaseID != after.ID:
		return accessStays
	case len(s.paying) > 0:
		return accessMoves
	case s.Enrollment.isGranted():
		return accessIsGrant
	case policy.KeepAccess:
		return accessIsKept
	}
	return accessEnds
}

// changeAccess stores a change of the enrolment in the transaction of a refund r. Of r it takes who
// has ended the enrolment. title is that of the course, for events.
func (p *Platform) changeAccess(
	ctx context.Context, tx Tx, changes *txChanges, s refundState, r Refund, change accessChange,
	title string,
) error {
	e := s.Enrollment
	switch change {
	case accessMoves: // to the first of them, by id
		e.PurchaseID = s.paying[0].ID
		return tx.UpdateEnrollment(ctx, e)
	case accessIsGrant:
		e.PurchaseID = ""
		return tx.UpdateEnrollment(ctx, e)
	case accessEnds:
		return p.endEnrollment(ctx, tx, changes, e, r.CreatedBy, reasonRefunded, title)
	case accessIsRestored:
		return p.restoreAccess(ctx, tx, changes, s.PurchaseState, title)
	}
	return nil // accessStays, accessEnded, and accessIsKept, which a flag of the refund tells
}

// restoreAccess enrols the user again if the enrolment has ended because of a refund of the
// purchase, and the user is not enrolled meanwhile. The enrolment that ended stays among the past
// ones, with who refunded it and when. A revoked certificate stays revoked.
func (p *Platform) restoreAccess(
	ctx context.Context, tx Tx, changes *txChanges, s PurchaseState, title string,
) error {
	// Only what the refund had ended is given back.
	ended, err := tx.ClearRefundEndedAccess(ctx, s.ID)
	if err != nil || !ended {
		return err
	}
	now := p.now()
	// The purchase may pay an enrolment again: its past one does not count as its end any more.
	if err := tx.RestorePastEnrollment(ctx, s.UserID, s.CourseID, s.ID, now); err != nil {
		return err
	}

	// The user may have bought the course again meanwhile.
	if s.Enrollment.exists() {
		return nil
	}
	return p.enroll(ctx, tx, changes, s.enrollment(now), title)
}
