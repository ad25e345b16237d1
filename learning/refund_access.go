package learning

import (
	"context"
	"errors"
)

// reasonRefunded is the reason of an enrolment's end and of a certificate's revocation.
const reasonRefunded = "The purchase was refunded"

// changeAccess ends the enrolment that a purchase gave, if the refund was its last one, and
// restores it if a refund failed.
func (c *refundChange) changeAccess(ctx context.Context, tx Tx, out *outbox, purchase Purchase) error {
	wasRefunded := purchase.RefundedAmount-c.counted == purchase.Amount
	switch {
	case purchase.Status == PurchaseRefunded && !wasRefunded:
		return c.endAccess(ctx, tx, out, purchase)
	case purchase.Status == PurchaseCompleted && wasRefunded:
		return c.restoreAccess(ctx, tx, out, purchase)
	}
	return nil
}

// endAccess ends the enrolment that a refunded purchase gave, and revokes the certificate,
// each if the host has decided so. If the user has paid for the course by another purchase,
// the enrolment passes to that one.
func (c *refundChange) endAccess(ctx context.Context, tx Tx, out *outbox, purchase Purchase) error {
	moved, err := tx.MoveEnrollment(ctx, purchase.UserID, purchase.CourseID, purchase.ID)
	if err != nil || moved {
		return err
	}
	if c.refundPolicy.RevokeCertificate {
		if err := c.revokeRefunded(ctx, tx, out, purchase); err != nil {
			return err
		}
	}
	if c.refundPolicy.KeepAccess {
		return tx.SetRefundKeptAccess(ctx, c.refund.ID)
	}
	ended, err := c.endEnrollment(ctx, tx, out, enrollmentEnd{UserID: purchase.UserID, CourseID: purchase.CourseID, PurchaseID: purchase.ID,
		By: c.refund.CreatedBy, Reason: reasonRefunded, Title: c.title})
	if err != nil || !ended {
		return err
	}
	return tx.SetRefundEndedAccess(ctx, c.refund.ID)
}

// revokeRefunded revokes the certificate of the user, if there is one.
func (c *refundChange) revokeRefunded(ctx context.Context, tx Tx, out *outbox, purchase Purchase) error {
	certificate, err := tx.CertificateOf(ctx, purchase.UserID, purchase.CourseID)
	if errors.Is(err, ErrNoRecord) {
		return nil
	}
	if err != nil {
		return err
	}
	revoked, err := tx.RevokeCertificate(ctx, certificate.ID, reasonRefunded, c.now())
	if revoked {
		c.revoked = certificate
		out.certificate(EventCertificateRevoked, certificate)
	}
	return err
}

// restoreAccess enrols the user again if the enrolment has ended because of a refund of the
// purchase, and the user is not enrolled meanwhile. The enrolment that ended stays among the past ones, with
// who refunded it and when. A revoked certificate stays revoked.
func (c *refundChange) restoreAccess(ctx context.Context, tx Tx, out *outbox, purchase Purchase) error {
	ended, err := tx.ClearRefundEndedAccess(ctx, purchase.ID)
	if err != nil || !ended {
		return err
	}
	if _, err := tx.RestorePastEnrollment(ctx, purchase.UserID, purchase.CourseID, purchase.ID, c.now()); err != nil {
		return err
	}
	enrolled, err := tx.Enrolled(ctx, purchase.UserID, purchase.CourseID)
	if err != nil || enrolled {
		return err
	}
	return c.enroll(ctx, tx, out, c.enrollment(purchase), c.title)
}
