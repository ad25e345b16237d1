package learning

import (
	"context"
	"errors"
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
	accessEnded                   // there is no enrolment
	accessIsRestored              // what the refund had ended is given back
)

// decideAccess returns what a counted refund does to the enrolment e of the user in the course.
// paying are the other purchases that pay for it.
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
func decideAccess(before, after Purchase, e Enrollment, paying []Purchase, policy RefundPolicy) accessChange {
	switch {
	case before.Status == after.Status:
		return accessStays
	case after.Status == PurchaseCompleted:
		return accessIsRestored
	case !e.exists():
		return accessEnded
	case e.PurchaseID != after.ID:
		return accessStays
	case len(paying) > 0:
		return accessMoves
	case e.isGranted():
		return accessIsGrant
	case policy.KeepAccess:
		return accessIsKept
	}
	return accessEnds
}

// changeAccess changes the enrolment in the transaction of a refund. s is the state before it, and
// after the purchase as it is stored now.
func (p *Platform) changeAccess(ctx context.Context, tx Tx, out *outbox, s PurchaseState, after Purchase, c *refundChange) error {
	e := s.Enrollment
	var paying []Purchase
	if after.Status == PurchaseRefunded && e.PurchaseID == after.ID {
		var err error
		if paying, err = tx.PayingPurchases(ctx, after.UserID, after.CourseID); err != nil {
			return err
		}
	}
	change, err := decideAccess(s.Purchase, after, e, paying, p.refundPolicy), error(nil)
	switch change {
	case accessMoves:
		e.PurchaseID = paying[0].ID
		err = tx.UpdateEnrollment(ctx, e)
	case accessIsGrant:
		e.PurchaseID = ""
		err = tx.UpdateEnrollment(ctx, e)
	case accessIsKept:
		err = tx.SetRefundKeptAccess(ctx, c.decision.after.ID)
	case accessEnds:
		if err = tx.SetRefundEndedAccess(ctx, c.decision.after.ID); err == nil {
			err = p.endEnrollment(ctx, tx, out, e, c.decision.after.CreatedBy, reasonRefunded, c.title)
		}
	case accessIsRestored:
		err = p.restoreAccess(ctx, tx, out, s, after, c.title)
	}
	hasEnded := change == accessEnds || change == accessEnded || change == accessIsKept
	if err == nil && hasEnded && p.refundPolicy.RevokeCertificate {
		c.revoked, err = p.revokeRefunded(ctx, tx, out, after)
	}
	return err
}

// restoreAccess enrols the user again if the enrolment has ended because of a refund of the
// purchase, and the user is not enrolled meanwhile. The enrolment that ended stays among the past
// ones, with who refunded it and when. A revoked certificate stays revoked.
func (p *Platform) restoreAccess(ctx context.Context, tx Tx, out *outbox, s PurchaseState, after Purchase, title string) error {
	ended, err := tx.ClearRefundEndedAccess(ctx, after.ID)
	if err != nil || !ended {
		return err
	}
	now := p.now()
	if err := tx.RestorePastEnrollment(ctx, after.UserID, after.CourseID, after.ID, now); err != nil {
		return err
	}
	if s.Enrollment.exists() {
		return nil
	}
	return p.enroll(ctx, tx, out, after.enrollment(now), title)
}

// revokeRefunded revokes the certificate of the user, and returns it, if there is a valid one.
func (p *Platform) revokeRefunded(ctx context.Context, tx Tx, out *outbox, purchase Purchase) (Certificate, error) {
	certificate, err := tx.CertificateOf(ctx, purchase.UserID, purchase.CourseID)
	if errors.Is(err, ErrNoRecord) {
		return Certificate{}, nil
	}
	if err != nil {
		return Certificate{}, err
	}
	revoked, err := tx.RevokeCertificate(ctx, certificate.ID, reasonRefunded, p.now())
	if err != nil || !revoked {
		return Certificate{}, err
	}
	out.certificate(EventCertificateRevoked, certificate)
	return certificate, nil
}
