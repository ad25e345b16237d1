package learning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

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
	done := refundChange{}
	err = retryDuplicate(func() error {
		return p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
			done = refundChange{Platform: p, got: got, title: title}
			return done.apply(ctx, tx, out, purchaseID)
		})
	})
	if p.refundPolicy.RevokeCertificate {
		p.expireStatusLists() // also on error, because only the answer to COMMIT may be lost
	}
	if err != nil {
		return fmt.Errorf("apply a refund: %w", err)
	}
	done.report(ctx)
	return nil
}

// refundChange is one run of the transaction of applyRefund.
type refundChange struct {
	*Platform
	got   GatewayRefund
	title string // of the course, for events

	stored   Refund // as it was found; zero if it is new
	refund   Refund // as it is stored afterwards
	isNew    bool
	counted  Money // added to what was refunded; negative if the refund has failed
	released Money // no longer pending
	revoked  Certificate
}

// apply runs the transaction. It returns [ErrDuplicate] if a concurrent transaction has
// changed what it read, so that it must run again.
func (c *refundChange) apply(ctx context.Context, tx Tx, out *outbox, purchaseID string) error {
	before, err := tx.Purchase(ctx, purchaseID)
	if err != nil {
		return err
	}
	if err := c.find(ctx, tx, before); err != nil {
		return err
	}
	if !c.decide(before) {
		return nil
	}
	if c.counted != 0 || c.released != 0 {
		changed, err := tx.CountRefund(ctx, purchaseID, c.counted, c.released, c.now())
		if err != nil || !changed {
			return errorOrDuplicate(err)
		}
	}
	if err := c.store(ctx, tx); err != nil {
		return err
	}
	after, err := tx.Purchase(ctx, purchaseID) // the row is locked by CountRefund
	if err != nil || c.counted == 0 {
		return err
	}
	if c.counted > 0 {
		refunded := after
		refunded.Amount = c.counted
		out.purchase(EventPurchaseRefunded, refunded, c.title)
	}
	return c.changeAccess(ctx, tx, out, after)
}

// errorOrDuplicate returns err, or ErrDuplicate if it is nil.
func errorOrDuplicate(err error) error {
	if err == nil {
		err = ErrDuplicate
	}
	return err
}

// find reads the refund that the gateway reports: by its id at the gateway, or by our id in
// its notes. If there is none, it was started at the gateway, and is new.
func (c *refundChange) find(ctx context.Context, tx Tx, purchase Purchase) (err error) {
	c.refund, err = Refund{}, ErrNoRecord
	if c.got.ID != "" {
		c.refund, err = tx.RefundByProviderID(ctx, c.got.ID)
	}
	if errors.Is(err, ErrNoRecord) && c.got.RefundID != "" {
		c.refund, err = tx.Refund(ctx, c.got.RefundID)
		if err == nil && (c.refund.PurchaseID != purchase.ID || c.refund.ProviderID != "") {
			err = ErrNoRecord
		}
	}
	if c.isNew = errors.Is(err, ErrNoRecord); !c.isNew {
		c.stored = c.refund
		return err
	}
	c.refund = Refund{ID: c.newID(), PurchaseID: purchase.ID, PaymentID: c.got.PaymentID, Amount: c.got.Amount, Currency: purchase.Currency,
		CreatedAt: c.now()}
	return nil
}

// decide computes the change, and reports whether there is one. An amount that is more than
// what is left is counted up to that, and the rest at a later report if an earlier refund has
// failed meanwhile.
func (c *refundChange) decide(purchase Purchase) bool {
	r, from, amount := &c.refund, c.stored.Status, cmp.Or(c.got.Amount, c.refund.Amount)
	isKnown := r.ProviderID != "" // else a failed one was refused, as far as we knew
	left := purchase.Amount - purchase.RefundedAmount
	if c.got.Status == RefundProcessed && from == RefundProcessed {
		c.counted = max(0, min(amount-r.Amount, left))
		r.Amount, r.UpdatedAt = r.Amount+c.counted, c.now()
		return c.counted > 0
	}
	switch {
	case c.isNew && c.got.ID == "":
		return false
	case c.got.Status == RefundPending && (c.isNew || from != RefundPending || isKnown):
		return false
	case c.got.Status == RefundProcessed && from == RefundFailed && isKnown:
		return false
	case c.got.Status == RefundFailed && from == RefundFailed:
		return false
	}
	if from == RefundPending && c.got.Status != RefundPending {
		c.released = r.Amount
	}
	switch {
	case c.got.Status == RefundProcessed:
		r.Amount = min(amount, left)
		c.counted = r.Amount
	case c.got.Status == RefundFailed && from == RefundProcessed:
		c.counted = -r.Amount
	}
	r.Status, r.UpdatedAt = c.got.Status, c.now()
	if c.got.ID != "" {
		r.ProviderID = c.got.ID
	}
	return true
}

// store inserts or updates the row of the refund.
func (c *refundChange) store(ctx context.Context, tx Tx) error {
	if c.isNew {
		return tx.InsertRefund(ctx, c.refund)
	}
	updated, err := tx.UpdateRefund(ctx, c.refund, c.stored)
	if err == nil && !updated {
		err = ErrDuplicate
	}
	return err
}

// report logs what an operator should know, and removes the PDF of a revoked certificate.
func (c *refundChange) report(ctx context.Context) {
	r := c.refund
	if r.Status == RefundProcessed && c.counted >= 0 && c.got.Amount > r.Amount {
		c.log.WarnContext(ctx, "refund exceeds what was left of its purchase", "purchase", r.PurchaseID, "payment", r.PaymentID, "refund", r.ProviderID,
			"refunded", c.got.Amount.String(), "counted", r.Amount.String())
	}
	if c.counted < 0 {
		c.log.WarnContext(ctx, "counted refund failed at the gateway", "purchase", r.PurchaseID, "payment", r.PaymentID, "refund", r.ProviderID,
			"amount", r.Amount.String())
	}
	if c.revoked.ID != "" {
		c.log.InfoContext(ctx, "certificate revoked", "certificate", c.revoked.ID)
		c.cleanUpRevoked(ctx, c.revoked)
	}
}
