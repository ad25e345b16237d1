package learning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// refundChange is one call of [Platform.applyRefund].
type refundChange struct {
	got   GatewayRefund
	title string // of the course, for events

	// The result of the last run of its transaction:
	decision refundDecision
	returned bool // whether the payment of the purchase is being returned
	revoked  Certificate
}

// applyRefund stores the state of a refund as the gateway reports it, counts it in its
// purchase once, and ends or restores access, in one transaction. Reports may be repeated and
// come in any order: a refund that has failed at the gateway stays failed.
func (p *Platform) applyRefund(ctx context.Context, purchaseID string, got GatewayRefund) error {
	purchase, err := p.store.Purchase(ctx, purchaseID)
	if err != nil {
		return fmt.Errorf("read the purchase of a refund: %w", err)
	}
	title, err := p.eventTitle(ctx, purchase.CourseID)
	if err != nil {
		return fmt.Errorf("apply a refund: %w", err)
	}
	var c refundChange
	err = retryDuplicate(func() error {
		return p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
			c = refundChange{got: got, title: title}
			return p.runRefund(ctx, tx, out, purchase, &c)
		})
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

// runRefund is the transaction of applyRefund. purchase is as it was read before.
func (p *Platform) runRefund(ctx context.Context, tx Tx, out *outbox, purchase Purchase, c *refundChange) error {
	// Lock the buyer, read the whole state, and decide.
	if err := lockUser(ctx, tx, purchase.UserID); err != nil {
		return err
	}
	s, err := tx.PurchaseState(ctx, purchase.ID, "")
	if err != nil {
		return err
	}
	stored, err := findRefund(ctx, tx, s.Purchase, c.got)
	if err != nil {
		return err
	}
	now := p.now()
	c.returned, c.decision = s.IsReturned(), decideRefund(s.Purchase, stored, c.got, now)
	d := &c.decision
	if !d.changes {
		return nil
	}

	// Store the purchase, the refund, and the one that replaces it.
	after := s.Purchase.refunded(d.counted, d.released, now)
	if d.counted != 0 || d.released != 0 {
		if err := storePurchase(ctx, tx, s.Purchase, after); err != nil {
			return err
		}
		out.countSale(s.Purchase, after)
	}
	if d.after.ID == "" {
		d.after.ID = p.newID()
	}
	if err := storeRefund(ctx, tx, stored, d.after); err != nil {
		return err
	}
	if d.isAskedAgain {
		again := d.after
		again.ID, again.ProviderID, again.Status = p.newID(), "", RefundPending
		if err := tx.InsertRefund(ctx, again); err != nil {
			return err
		}
	}
	if d.counted == 0 || c.returned {
		return nil
	}

	// Tell it, and end or restore access.
	if d.counted > 0 {
		part := after
		part.Amount = d.counted
		out.purchase(EventPurchaseRefunded, part, c.title)
	}
	return p.changeAccess(ctx, tx, out, s, after, c)
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
		d.after = Refund{PurchaseID: purchase.ID, PaymentID: got.PaymentID, Amount: got.Amount, Currency: purchase.Currency, CreatedAt: now}
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
