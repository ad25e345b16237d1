package refund

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// refundChange is one call of applyRefund.
type refundChange struct {
	got   payment.Refund
	title string // of the course, for events

	// The result of the last run of its transaction:
	decision Decision
	revoked  []certify.Certificate
}

// applyRefund stores the state of a refund as the gateway reports it, counts it in its
// purchase once, and ends or restores access, in one transaction. Reports may be repeated and
// come in any order: a refund that has failed at the gateway stays failed.
func (s *Service) applyRefund(ctx context.Context, purchaseID string, got payment.Refund) error {
	// Read what the events show, before the transaction.
	p, err := s.store.Purchase(ctx, purchaseID)
	if err != nil {
		return fmt.Errorf("read the purchase of a refund: %w", err)
	}
	c := refundChange{got: got}
	if c.title, err = purchase.TitleOf(ctx, s.catalog, p); err != nil {
		return fmt.Errorf("apply a refund: %w", err)
	}

	// Apply the report in one transaction that has locked the buyer.
	err = s.base.ChangeOfUser(ctx, p.UserID, func(tx Tx, changes *core.Changes) error {
		return s.runRefund(ctx, tx, changes, p.ID, &c)
	})
	if s.policy.RevokeCertificate {
		// The cached status lists may miss a revoked certificate: let them be signed again. This is
		// done on error too, because only the answer to COMMIT may be lost.
		s.certify.ExpireStatusLists()
	}
	if err != nil {
		return fmt.Errorf("apply a refund: %w", err)
	}

	// Log what is unusual, and remove the PDFs of revoked certificates.
	s.logRefund(ctx, c)
	for _, revoked := range c.revoked {
		s.base.Log.InfoContext(ctx, "certificate revoked", "certificate", revoked.ID)
		s.certify.CleanUpRevoked(ctx, revoked)
	}
	return nil
}

// runRefund is the transaction of applyRefund, which has locked the buyer. It sets the result in c,
// and sets it anew if the transaction runs again.
func (s *Service) runRefund(
	ctx context.Context, tx Tx, changes *core.Changes, purchaseID string, c *refundChange,
) error {
	// Read the whole state, and decide.
	state, err := s.readRefundState(ctx, tx, purchaseID, c.got)
	if err != nil {
		return err
	}
	now := s.base.Now()
	d := DecideReport(state.Purchase, state.refund, c.got, now)
	after := state.Refunded(d.Counted, d.Released, now)
	after = state.countLines(&d, after, s.desk.StepOf(state.Provider, state.Currency))
	given := state.State
	given.Purchase = after
	parts := purchase.AfterRefund(state.AllParts(c.title), purchase.LinesOf(given.AllParts("")),
		state.causes, s.policy.KeepAccess, now)
	after.Lines = s.markLines(state, after.Lines, parts)
	if state.BundleID == "" {
		d.After.EndedAccess = d.After.EndedAccess || purchase.HasChange(parts, study.AccessEnds)
	}
	d.After.KeptAccess = d.After.KeptAccess || purchase.HasChange(parts, study.AccessIsKept)
	c.decision, c.revoked = d, nil
	if !d.Changes {
		return nil
	}

	// Store the purchase, the refund, and the refund that replaces a failed one.
	if d.Counted != 0 || d.Released != 0 {
		if err := purchase.Store(ctx, tx, state.Purchase, after); err != nil {
			return err
		}
		purchase.CountSale(changes, state.Purchase, after)
	}
	d.After.ID = cmp.Or(d.After.ID, s.base.NewID()) // a refund started at the gateway is new here
	if err := storeRefund(ctx, tx, state.refund, d.After); err != nil {
		return err
	}
	if d.IsAskedAgain {
		if err := insertRefund(ctx, tx, d.After.again(s.base.NewID())); err != nil {
			return err
		}
	}

	// Tell of it, except for a returned payment, which completed nothing, and change the access.
	if d.Counted != 0 && !state.IsReturned() {
		if err := tellRefund(ctx, tx, changes, after, d, c.title); err != nil {
			return err
		}
	}
	c.revoked, err = s.changeParts(ctx, tx, changes, state, parts, d.After.CreatedBy)
	return err
}

// markLines records in lines whose enrolments a refund ends, and whose are given back or, as long
// as a dispute keeps them ended, are left to that.
func (s *Service) markLines(
	state refundState, lines []purchase.Line, parts []purchase.PartChange,
) []purchase.Line {
	if _, isKept := state.keeper(s.disputes); isKept {
		return purchase.LeaveToDispute(lines, parts)
	}
	lines = purchase.MarkLines(lines, parts)
	if state.areDisputesWon() {
		lines = purchase.MarkDisputesWon(lines, parts)
	}
	return lines
}

// changeParts stores what a refund does to the enrolments of a purchase, and returns the
// certificates that it has revoked. by is the admin, "" for the provider.
func (s *Service) changeParts(
	ctx context.Context, tx Tx, changes *core.Changes, state refundState,
	parts []purchase.PartChange, by string,
) (revoked []certify.Certificate, err error) {
	for _, part := range purchase.InCourseOrder(parts) {
		// Only what the refund had ended is given back, if the user has not been enrolled since,
		// and what disputes had ended that were won since. A revoked certificate stays revoked.
		givesBack := false
		if part.Access == study.AccessIsRestored {
			if givesBack, err = s.takeMark(ctx, tx, state, part); err != nil {
				return nil, err
			}
		}
		err := part.Store(ctx, s.study, tx, changes, givesBack, by, reasonRefunded)
		if err != nil {
			return nil, err
		}
		held, err := s.revokeCertificate(ctx, tx, changes, part)
		if err != nil {
			return nil, err
		}
		if held.ID != "" {
			revoked = append(revoked, held)
		}
	}
	return revoked, nil
}

// reasonRefunded is the reason of an enrolment's end and of a certificate's revocation.
const reasonRefunded = "The purchase was refunded"

// revokeCertificate revokes the certificate of the buyer in a course with a change of the access,
// if there is one and the policy says so. It returns the certificate, zero if it has revoked none.
func (s *Service) revokeCertificate(
	ctx context.Context, tx Tx, changes *core.Changes, c purchase.PartChange,
) (certify.Certificate, error) {
	none := certify.Certificate{}
	if !s.policy.RevokeCertificate || !c.Revokes() {
		return none, nil
	}
	held, err := tx.CertificateOf(ctx, c.UserID, c.CourseID)
	if errors.Is(err, core.ErrNoRecord) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	revoked, err := s.certify.Revoke(ctx, tx, changes, held, reasonRefunded, s.base.Now())
	if !revoked { // it was revoked before
		return none, err
	}
	return held, err
}

// NotifyRefunded tells a buyer that a purchase, or a part of it, was refunded.
const NotifyRefunded core.NotificationKind = "purchase.refunded"

// tellRefund adds the event of a refund that was counted, or that has failed after that, calls its
// hook, and tells the buyer of one that was counted.
func tellRefund(ctx context.Context, tx Tx, changes *core.Changes, p purchase.Purchase, d Decision,
	title string) error {
	told := d.After
	told.Shares = d.Shares // what this report has counted
	addEvent(changes, p, told, d.Counted, title)
	if d.Counted < 0 {
		return tx.RefundFailed(ctx, p, told)
	}
	changes.Notify(d.After.CreatedBy, core.Notification{
		Kind:     NotifyRefunded,
		ReaderID: p.UserID,
		Thing:    p.ID,
		NotificationIDs: core.NotificationIDs{CourseID: p.CourseID,
			PurchaseID: p.ID},
	})
	return tx.RefundCounted(ctx, p, told, d.Counted)
}

// again returns the refund that asks for the same once more, with a new id.
func (r Refund) again(id string) Refund {
	r.ID = id
	r.ProviderID = ""
	r.Status = payment.RefundPending
	return r
}

// refundState is what the report of a refund depends on.
type refundState struct {
	purchase.State
	refund Refund // as it is stored; zero if none is, because it was started at the gateway

	// causes are what gives access now in the courses. They are read if the refund was processed.
	causes []study.Cause
	// disputes are those of the purchase. They are read if the refund has failed after it was
	// counted.
	disputes []Dispute
}

// areDisputesWon reports whether there were disputes, and all of them were won.
func (s refundState) areDisputesWon() bool {
	return len(s.disputes) > 0 && firstNotWon(s.disputes) < 0
}

// keeper returns the dispute that keeps access ended by a policy although the refund has failed,
// and whether there is one.
func (s refundState) keeper(policy DisputePolicy) (Dispute, bool) {
	i := firstNotWon(s.disputes)
	if i < 0 || !policy.EndAccess {
		return Dispute{}, false
	}
	return s.disputes[i], true
}

// takeMark removes the records that refunds of a purchase of one course, or disputes that were won,
// have ended the enrolment: a dispute that was won while all was refunded has given nothing back.
// It reports whether the enrolment is given back. A dispute that keeps it ended has the record
// then, and gives it back when it is won. The records of a bundle are those of its lines.
func (s *Service) takeMark(
	ctx context.Context, tx Tx, state refundState, part purchase.PartChange,
) (givesBack bool, err error) {
	keeper, isKept := state.keeper(s.disputes)
	wasEnded := part.RefundEnded || part.DisputeEnded && (isKept || state.areDisputesWon())
	if state.BundleID == "" {
		if wasEnded, err = tx.ClearRefundEndedAccess(ctx, state.ID); err != nil {
			return false, err
		}
		for _, d := range state.disputes {
			if d.Status != payment.DisputeWon || !d.EndedAccess {
				continue
			}
			wasEnded, d.EndedAccess = true, false
			if err := tx.UpdateDispute(ctx, d); err != nil {
				return false, err
			}
		}
	}
	if !isKept || !wasEnded || keeper.EndedAccess {
		return wasEnded && !isKept, nil
	}
	keeper.EndedAccess = true
	return false, tx.UpdateDispute(ctx, keeper)
}

// readRefundState reads the state in a transaction that has locked the buyer.
func (s *Service) readRefundState(
	ctx context.Context, tx Tx, purchaseID string, got payment.Refund,
) (state refundState, err error) {
	// The purchase, and what is stored about this refund.
	if state.State, err = tx.PurchaseState(ctx, purchaseID, ""); err != nil {
		return state, err
	}
	if state.refund, err = findRefund(ctx, tx, state.Purchase, got); err != nil {
		return state, err
	}
	if got.Status == payment.RefundFailed && state.refund.Status == payment.RefundProcessed {
		state.disputes, err = tx.DisputesOf(ctx, purchaseID)
		return state, err
	}
	if state.Status != purchase.Completed || got.Status != payment.RefundProcessed {
		return state, nil
	}

	// What may give the enrolments in place of this purchase.
	state.causes, err = purchase.Causes(ctx, tx, state.AllParts(""))
	return state, err
}

// findRefund reads the refund that the gateway reports: by its id at the gateway, or by our id in
// its notes. It returns the zero Refund if there is none, because it was started at the gateway.
func findRefund(ctx context.Context, tx Tx, p purchase.Purchase,
	got payment.Refund) (stored Refund, err error) {
	err = core.ErrNoRecord // until it is found by one of the ids

	// By the id at the gateway.
	if got.ID != "" {
		stored, err = tx.RefundByProviderID(ctx, got.ID)
	}

	// By our id, unless it is of another purchase, or the gateway has it by another id.
	if errors.Is(err, core.ErrNoRecord) && got.RefundID != "" {
		stored, err = tx.Refund(ctx, got.RefundID)
		if err == nil && (stored.PurchaseID != p.ID || stored.ProviderID != "") {
			err = core.ErrNoRecord
		}
	}
	if errors.Is(err, core.ErrNoRecord) {
		return Refund{}, nil
	}
	return stored, err
}

// Decision is what a report of the gateway changes.
type Decision struct {
	Changes      bool       // whether anything is to be stored
	After        Refund     // as it is stored; its id is "" if it is new
	Counted      core.Money // added to what was refunded; negative if a counted refund has failed
	Released     core.Money // no longer pending; negative if it is pending again
	IsAskedAgain bool       // a new refund of the same amount is to be requested
	IsRefused    bool       // a refund of a returned payment was refused or failed

	Shares []purchase.Share // of what is counted, for the lines of a bundle
}

// DecideReport returns what a report of the gateway changes. stored is zero if nothing is stored.
// A stored refund is known there if its id at the gateway is stored. A report without an id at the
// gateway is a refusal of our request.
//
//	stored               reported as  result
//	nothing              refused      nothing
//	nothing              pending      nothing: a later report decides
//	nothing              processed    inserted and counted
//	nothing              failed       inserted
//	pending, unknown     pending      its id at the gateway is stored
//	pending, known there pending      nothing
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
// earlier refund has failed meanwhile. A refund of a returned payment that is refused stays
// pending, and one that has failed is replaced by a new pending one, as long as something is left:
// see [ForRooms.ReconcilePending].
func DecideReport(p purchase.Purchase, stored Refund, got payment.Refund,
	now time.Time) (d Decision) {
	isNew, isKnown := stored.ID == "", stored.ProviderID != ""
	amount := cmp.Or(got.Amount, stored.Amount) // a report may have no amount
	left := p.Amount - p.RefundedAmount

	// The row afterwards: the stored one, or a new one, as the gateway reports it.
	d.After = stored
	if isNew {
		d.After = Refund{
			PurchaseID: p.ID, PaymentID: got.PaymentID, Provider: p.Provider,
			Amount: got.Amount, Currency: p.Currency, CreatedAt: now,
		}
	}
	d.After.Status = got.Status
	d.After.ProviderID = cmp.Or(got.ID, stored.ProviderID)
	d.After.UpdatedAt = now

	// What is counted: see the table.
	was, is := stored.Status, got.Status                  // was is "" if nothing is stored
	isFirstID := was == payment.RefundPending && !isKnown // the gateway gives the refund its id
	switch {
	case isNew && got.ID == "": // refused
		return Decision{}
	case is == payment.RefundPending && !isFirstID:
		return Decision{}
	case was == payment.RefundFailed && (isKnown || is != payment.RefundProcessed):
		return Decision{}
	case was == payment.RefundProcessed && is == payment.RefundProcessed:
		d.Counted = max(0, min(amount-stored.Amount, left))
		d.After.Amount = stored.Amount + d.Counted
		d.Changes = d.Counted > 0
		return d
	case is == payment.RefundProcessed:
		d.Counted = min(amount, left)
		d.After.Amount = d.Counted
	case was == payment.RefundProcessed && is == payment.RefundFailed:
		d.Counted = -stored.Amount
	}
	if was == payment.RefundPending && is != payment.RefundPending {
		d.Released = stored.Amount
	}
	d.Changes = true

	// The refund of a returned payment must be made. A refused one stays pending, and one that has
	// failed is replaced by a new one, which is pending in its place.
	leftAfter := left + max(0, -d.Counted) // a counted refund that has failed is left again
	d.IsRefused = p.IsReturned() && is == payment.RefundFailed && !isNew && leftAfter > 0
	switch {
	case d.IsRefused && got.ID == "":
		return Decision{IsRefused: true}
	case d.IsRefused:
		d.IsAskedAgain = true
		d.Released -= stored.Amount // the amount of the new refund is pending
	}
	return d
}

// storeRefund updates the row of a refund, or inserts it if stored is zero.
func storeRefund(ctx context.Context, tx Tx, stored, after Refund) error {
	if stored.ID == "" {
		return insertRefund(ctx, tx, after)
	}
	updated, err := tx.UpdateRefund(ctx, stored, after)
	if err == nil && !updated {
		// A program that does not lock users has changed it: the transaction runs again.
		err = fmt.Errorf("store a refund: %w", core.ErrDuplicate)
	}
	if err != nil {
		return err
	}
	return storeShares(ctx, tx, stored, after)
}

// logRefund logs what an operator should know about an applied refund, if it is unusual.
func (s *Service) logRefund(ctx context.Context, c refundChange) {
	d, r := c.decision, c.decision.After
	log := s.base.Log.With("purchase", r.PurchaseID, "payment", r.PaymentID, "refund", r.ProviderID)
	// r has the counted amount, which is less than the reported one if no more was left.
	isCutOff := r.Status == payment.RefundProcessed && d.Counted >= 0 && c.got.Amount > r.Amount
	if isCutOff {
		log.WarnContext(ctx, "refund exceeds what was left of its purchase", "refunded",
			core.FormatMoney(c.got.Amount, r.Currency), "counted",
			core.FormatMoney(r.Amount, r.Currency))
	}
	if d.Counted < 0 {
		log.WarnContext(ctx, "counted refund failed at the gateway", "amount",
			core.FormatMoney(r.Amount, r.Currency))
	}
	if d.IsRefused { // r is zero if the refund stays as it is stored
		s.base.Log.ErrorContext(ctx,
			"the refund of a returned payment failed and is requested again",
			"purchase", c.got.PurchaseID, "payment", c.got.PaymentID,
			"refund", cmp.Or(c.got.RefundID, c.got.ID))
	}
}
