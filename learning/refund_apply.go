package learning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// receiveRefund applies the event of a refund, which the platform or an operator of the gateway
// may have started. A refund that cannot be counted is logged and returns nil, because the
// gateway would repeat its webhook after an error.
func (p *Platform) receiveRefund(ctx context.Context, event GatewayEvent) error {
	got := event.Refund
	if !p.hasStorableIDs(ctx, got) {
		return nil
	}

	// Find the purchase. If the event of its payment has not come yet, complete it first.
	purchase, err := p.purchaseOfRefund(ctx, got)
	isPaid := event.Payment.Captured && event.Payment.ID == got.PaymentID
	if errors.Is(err, ErrNoRecord) && isPaid {
		if err := p.System().CapturePayment(ctx, event.Payment); err != nil {
			return err
		}
		purchase, err = p.purchaseOfRefund(ctx, got)
	}
	switch {
	case errors.Is(err, ErrNoRecord):
		p.log.WarnContext(ctx, "refund of an unknown payment",
			"payment", got.PaymentID, "refund", got.ID)
		return nil
	case err != nil:
		return fmt.Errorf("find the purchase of a refund: %w", err)
	}

	_, err = p.countRefund(ctx, purchase, got)
	return err
}

// hasStorableIDs reports whether the ids of a refund can be stored. It logs those that cannot.
func (p *Platform) hasStorableIDs(ctx context.Context, got GatewayRefund) bool {
	if validID(got.ID, maxProviderID) && validID(got.PaymentID, maxProviderID) {
		return true
	}
	p.log.WarnContext(ctx, "refund whose ids cannot be kept", "payment", got.PaymentID)
	return false
}

// purchaseOfRefund returns the purchase that the payment of a refund has completed. If there
// are several, it returns the one in the notes, else the first one. Error: [ErrNoRecord].
func (p *Platform) purchaseOfRefund(ctx context.Context, got GatewayRefund) (Purchase, error) {
	list, err := p.store.PurchasesByPayment(ctx, got.PaymentID)
	if err != nil {
		return Purchase{}, err
	}
	if len(list) == 0 {
		return Purchase{}, ErrNoRecord
	}
	return firstMatching(list, func(o Purchase) bool { return o.ID == got.PurchaseID }), nil
}

// countRefund applies a refund that the gateway reports to the purchase of its payment, and
// reports whether it did: it logs a refund that cannot be counted.
func (p *Platform) countRefund(
	ctx context.Context, purchase Purchase, got GatewayRefund,
) (counted bool, err error) {
	if got.Currency != "" && got.Currency != purchase.Currency || got.Amount <= 0 {
		p.log.WarnContext(ctx, "refund differs from its purchase",
			"purchase", purchase.ID, "payment", got.PaymentID, "refund", got.ID,
			"refunded", got.Amount.String()+" "+got.Currency, "expected", purchase.Currency)
		return false, nil
	}
	err = p.applyRefund(ctx, purchase.ID, got)
	return err == nil, err
}

// refundChange is one call of [Platform.applyRefund].
type refundChange struct {
	got   GatewayRefund
	title string // of the course, for events

	// The result of the last run of its transaction:
	decision refundDecision
	revoked  Certificate // zero for none
}

// applyRefund stores the state of a refund as the gateway reports it, counts it in its
// purchase once, and ends or restores access, in one transaction. Reports may be repeated and
// come in any order: a refund that has failed at the gateway stays failed.
func (p *Platform) applyRefund(ctx context.Context, purchaseID string, got GatewayRefund) error {
	purchase, err := p.store.Purchase(ctx, purchaseID)
	if err != nil {
		return fmt.Errorf("read the purchase of a refund: %w", err)
	}
	c := refundChange{got: got}
	if c.title, err = p.eventTitle(ctx, purchase.CourseID); err != nil {
		return fmt.Errorf("apply a refund: %w", err)
	}
	err = p.inUserTx(ctx, purchase.UserID, func(tx Tx, out *outbox) error {
		return p.runRefund(ctx, tx, out, purchase.ID, &c)
	})
	if p.refundPolicy.RevokeCertificate {
		p.expireStatusLists() // also on error, because only the answer to COMMIT may be lost
	}
	if err != nil {
		return fmt.Errorf("apply a refund: %w", err)
	}
	p.logRefund(ctx, c)
	if c.revoked.ID != "" {
		p.log.InfoContext(ctx, "certificate revoked", "certificate", c.revoked.ID)
		p.cleanUpRevoked(ctx, c.revoked)
	}
	return nil
}

// runRefund is the transaction of applyRefund, which has locked the buyer.
func (p *Platform) runRefund(
	ctx context.Context, tx Tx, out *outbox, purchaseID string, c *refundChange,
) error {
	// Read the whole state, and decide.
	s, err := p.readRefundState(ctx, tx, purchaseID, c.got)
	if err != nil {
		return err
	}
	now := p.now()
	d := decideRefund(s.Purchase, s.refund, c.got, now)
	after, access := s.refunded(d.counted, d.released, now), accessStays
	if d.counted != 0 {
		access = decideAccess(s, after, p.refundPolicy)
	}
	d.after.EndedAccess = d.after.EndedAccess || access == accessEnds
	d.after.KeptAccess = d.after.KeptAccess || access == accessIsKept
	c.decision, c.revoked = d, Certificate{}
	if !d.changes {
		return nil
	}

	// Store the purchase, the refund, and the one that replaces it.
	if d.counted != 0 || d.released != 0 {
		if err := storePurchase(ctx, tx, s.Purchase, after); err != nil {
			return err
		}
		out.countSale(s.Purchase, after)
	}
	d.after.ID = cmp.Or(d.after.ID, p.newID())
	if err := storeRefund(ctx, tx, s.refund, d.after); err != nil {
		return err
	}
	if d.isAskedAgain {
		again := d.after
		again.ID, again.ProviderID, again.Status = p.newID(), "", RefundPending
		if err := tx.InsertRefund(ctx, again); err != nil {
			return err
		}
	}

	// Tell it, and end or restore access.
	if d.counted > 0 && !s.IsReturned() {
		part := after
		part.Amount = d.counted
		out.purchase(EventPurchaseRefunded, part, c.title)
	}
	if err := p.changeAccess(ctx, tx, out, s, d.after, access, c.title); err != nil {
		return err
	}
	if s.certificate.ID == "" || !access.revokes() {
		return nil
	}

	// Revoke the certificate, unless that was done before.
	revoked, err := tx.RevokeCertificate(ctx, s.certificate.ID, reasonRefunded, now)
	if revoked {
		c.revoked = s.certificate
		out.certificate(EventCertificateRevoked, s.certificate)
	}
	return err
}

// refundState is what the report of a refund depends on.
type refundState struct {
	PurchaseState
	refund Refund // as it is stored; zero if it was started at the gateway

	// What a full refund depends on. It is read if the refund was processed.
	paying      []Purchase  // other purchases that pay the enrolment, if this one pays it
	certificate Certificate // that is revoked with the access; zero for none
}

// readRefundState reads the state in a transaction that has locked the buyer.
func (p *Platform) readRefundState(
	ctx context.Context, tx Tx, purchaseID string, got GatewayRefund,
) (s refundState, err error) {
	if s.PurchaseState, err = tx.PurchaseState(ctx, purchaseID, ""); err != nil {
		return s, err
	}
	if s.refund, err = findRefund(ctx, tx, s.Purchase, got); err != nil {
		return s, err
	}
	if s.Status != PurchaseCompleted || got.Status != RefundProcessed {
		return s, nil
	}
	if s.Enrollment.PurchaseID == s.ID {
		s.paying, err = tx.PayingPurchases(ctx, s.UserID, s.CourseID)
		s.paying = slices.DeleteFunc(s.paying, func(o Purchase) bool { return o.ID == s.ID })
	}
	if err != nil || !p.refundPolicy.RevokeCertificate {
		return s, err
	}
	s.certificate, err = tx.CertificateOf(ctx, s.UserID, s.CourseID)
	if errors.Is(err, ErrNoRecord) {
		err = nil
	}
	return s, err
}

// findRefund reads the refund that the gateway reports: by its id at the gateway, or by our id in
// its notes. It returns the zero Refund if there is none, because it was started at the gateway.
func findRefund(ctx context.Context, tx Tx, purchase Purchase, got GatewayRefund) (stored Refund, err error) {
	err = ErrNoRecord
	if got.ID != "" {
		stored, err = tx.RefundByProviderID(ctx, got.ID)
	}
	if errors.Is(err, ErrNoRecord) && got.RefundID != "" {
		stored, err = tx.Refund(ctx, got.RefundID)
		if err == nil && (stored.PurchaseID != purchase.ID || stored.ProviderID != "") {
			err = ErrNoRecord
		}
	}
	if errors.Is(err, ErrNoRecord) {
		return Refund{}, nil
	}
	return stored, err
}

// refundDecision is what a report of the gateway changes.
type refundDecision struct {
	changes      bool
	after        Refund // as it is stored; its id is "" if it is new
	counted      Money  // added to what was refunded; negative if a counted refund has failed
	released     Money  // no longer pending; negative if it is pending again
	isAskedAgain bool   // a new refund of the same amount is to be requested
	isRefused    bool   // a refund of a returned payment was refused or failed
}

// decideRefund returns what a report of the gateway changes.
//
//	stored               reported as  result
//	nothing              refused      nothing
//	nothing              pending      nothing: a later report decides
//	nothing              processed    inserted and counted
//	nothing              failed       inserted
//	pending              pending      its id at the gateway is stored
//	pending              processed    counted, and no longer pending
//	pending              failed       no longer pending
//	processed            pending      nothing
//	processed            processed    nothing, or the rest of its amount is counted
//	processed            failed       its amount is subtracted again
//	failed, known there  any          nothing: it stays failed
//	failed, unknown      processed    counted: our request had an effect after all
//	failed, unknown      any other    nothing
//
// No more is counted than what is left of the purchase. The rest is counted at a later report if an
// earlier refund has failed meanwhile. A refund of a returned payment that is refused stays pending,
// and one that has failed is replaced by a new pending one, as long as something is left: see
// [System.ReconcilePurchases].
func decideRefund(purchase Purchase, stored Refund, got GatewayRefund, now time.Time) (d refundDecision) {
	isNew, isKnown := stored.ID == "", stored.ProviderID != ""
	amount, left := cmp.Or(got.Amount, stored.Amount), purchase.Amount-purchase.RefundedAmount
	d.after = stored
	if isNew {
		d.after = Refund{
			PurchaseID: purchase.ID, PaymentID: got.PaymentID, Amount: got.Amount,
			Currency: purchase.Currency, CreatedAt: now,
		}
	}
	d.after.Status, d.after.ProviderID, d.after.UpdatedAt = got.Status, cmp.Or(got.ID, stored.ProviderID), now

	switch was, is := stored.Status, got.Status; {
	case isNew && got.ID == "", is == RefundPending && (isNew || was != RefundPending || isKnown):
		return refundDecision{}
	case was == RefundFailed && (isKnown || is != RefundProcessed):
		return refundDecision{}
	case was == RefundProcessed && is == RefundProcessed:
		d.counted = max(0, min(amount-stored.Amount, left))
		d.after.Amount = stored.Amount + d.counted
		d.changes = d.counted > 0
		return d
	case is == RefundProcessed:
		d.counted = min(amount, left)
		d.after.Amount = d.counted
	case was == RefundProcessed && is == RefundFailed:
		d.counted = -stored.Amount
	}
	if stored.Status == RefundPending && got.Status != RefundPending {
		d.released = stored.Amount
	}
	d.changes = true

	// The refund of a returned payment must be made.
	if d.isRefused = purchase.IsReturned() && got.Status == RefundFailed && !isNew && left+max(0, -d.counted) > 0; d.isRefused {
		if got.ID == "" {
			return refundDecision{isRefused: true}
		}
		d.isAskedAgain = true
		d.released -= stored.Amount
	}
	return d
}

// storeRefund inserts or updates the row of a refund.
func storeRefund(ctx context.Context, tx Tx, stored, after Refund) error {
	if stored.ID == "" {
		return tx.InsertRefund(ctx, after)
	}
	updated, err := tx.UpdateRefund(ctx, stored, after)
	if err == nil && !updated {
		err = fmt.Errorf("store a refund: %w", ErrDuplicate) // see storePurchase
	}
	return err
}

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

// changeAccess stores a change of the enrolment in the transaction of a refund r. title is that of
// the course, for events.
func (p *Platform) changeAccess(
	ctx context.Context, tx Tx, out *outbox, s refundState, r Refund, change accessChange, title string,
) error {
	e := s.Enrollment
	switch change {
	case accessMoves:
		e.PurchaseID = s.paying[0].ID
		return tx.UpdateEnrollment(ctx, e)
	case accessIsGrant:
		e.PurchaseID = ""
		return tx.UpdateEnrollment(ctx, e)
	case accessEnds:
		return p.endEnrollment(ctx, tx, out, e, r.CreatedBy, reasonRefunded, title)
	case accessIsRestored:
		return p.restoreAccess(ctx, tx, out, s.PurchaseState, title)
	}
	return nil // it stays, or the flags of the refund tell it
}

// restoreAccess enrols the user again if the enrolment has ended because of a refund of the
// purchase, and the user is not enrolled meanwhile. The enrolment that ended stays among the past
// ones, with who refunded it and when. A revoked certificate stays revoked.
func (p *Platform) restoreAccess(
	ctx context.Context, tx Tx, out *outbox, s PurchaseState, title string,
) error {
	ended, err := tx.ClearRefundEndedAccess(ctx, s.ID)
	if err != nil || !ended {
		return err
	}
	now := p.now()
	if err := tx.RestorePastEnrollment(ctx, s.UserID, s.CourseID, s.ID, now); err != nil {
		return err
	}
	if s.Enrollment.exists() {
		return nil
	}
	return p.enroll(ctx, tx, out, s.enrollment(now), title)
}

// logRefund logs what an operator should know.
func (p *Platform) logRefund(ctx context.Context, c refundChange) {
	d, r := c.decision, c.decision.after
	log := p.log.With("purchase", r.PurchaseID, "payment", r.PaymentID, "refund", r.ProviderID)
	if r.Status == RefundProcessed && d.counted >= 0 && c.got.Amount > r.Amount {
		log.WarnContext(ctx, "refund exceeds what was left of its purchase", "refunded", c.got.Amount.String(), "counted", r.Amount.String())
	}
	if d.counted < 0 {
		log.WarnContext(ctx, "counted refund failed at the gateway", "amount", r.Amount.String())
	}
	if d.isRefused {
		p.log.ErrorContext(ctx, "the refund of a returned payment failed and is requested again", "purchase", c.got.PurchaseID,
			"payment", c.got.PaymentID, "refund", cmp.Or(c.got.RefundID, c.got.ID))
	}
}
