package sale

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// leasedPurchase is a created purchase with the lease to open its order.
type leasedPurchase struct {
	purchase.Purchase
	lease core.Lease
}

// storeOrderStep decides the next step in a transaction that has locked the user, and stores what
// the step changes. Errors: [offer.ErrCouponUnusable], [catalog.ErrCourseNotFound] if the course
// was deleted meanwhile, and errStateChanged if the lease of the open order was released meanwhile.
// After any other error it deletes the leased purchase, because that may be stored if only the
// answer to COMMIT is lost.
func (s *Service) storeOrderStep(ctx context.Context, want wanted) (d orderDecision, err error) {
	err = s.base.ChangeOfUser(ctx, want.userID, func(tx Tx, changes *core.Changes) (err error) {
		// Read the whole state, and decide.
		state, err := readOrderState(ctx, tx, want)
		if err != nil {
			return err
		}
		now := s.base.Now()
		d = orderDecision{state: state, step: decideOrder(state, want, now)}

		// Store what the step changes. The other steps store nothing.
		switch d.step {
		case enrolFree:
			d.mine.Purchase, err = s.enrolFree(ctx, tx, changes, want, state)
		case createOrder:
			d.mine = s.newLeasedPurchase(want, state, s.base.NewID(), now)
			err = insertOrder(ctx, tx, d.mine, now)
		case takeOver:
			d.mine = s.newLeasedPurchase(want, state, state.open.ID, now)
			d.mine.Purchase = createdAt(d.mine.Purchase, state.open.CreatedAt)
			d.mine.Attempt = nextAttempt(state.open, d.mine.Purchase)
			err = takeOrderOver(ctx, tx, state, d.mine, now)
		}
		return err
	})
	switch {
	case err == nil || core.IsPublic(err): // stored, or refused with an API error and nothing stored
		return d, err
	case errors.Is(err, lease.ErrHeld), errors.Is(err, lease.ErrLost):
		// The call that had the lease has just ended.
		return d, errStateChanged
	case errors.Is(err, core.ErrNoRecord): // enroll finds no course: it was deleted meanwhile
		return d, catalog.ErrCourseNotFound
	case d.mine.lease.Holder != "": // an unanswered COMMIT may have stored the purchase
		err = s.abandon(ctx, d.mine, err)
	}
	return d, fmt.Errorf("store an order: %w", err)
}

// newLeasedPurchase returns a purchase of the offer with a lease to open its order: it lasts for
// the time-out of the gateway and a margin. It stores neither.
func (s *Service) newLeasedPurchase(
	want wanted, state orderState, id string, now time.Time,
) leasedPurchase {
	return leasedPurchase{
		Purchase: want.purchase(state, id, now),
		lease:    s.base.Leases.New(orderLease(id), s.base.Timeout),
	}
}

// createdAt returns p as if it was created at a time.
func createdAt(p purchase.Purchase, at time.Time) purchase.Purchase {
	p.CreatedAt = at
	for i := range p.Lines {
		p.Lines[i].CreatedAt = at
	}
	return p
}

// nextAttempt returns the Attempt of after, which takes over p: another one only if there is
// something else to pay, so that the provider knows a repeated request.
func nextAttempt(p, after purchase.Purchase) int {
	if p.Amount == after.Amount && p.Currency == after.Currency && p.Provider == after.Provider {
		return p.Attempt
	}
	return p.Attempt + 1
}

// insertOrder inserts a purchase with its lease and takes a redemption of its coupon. Error:
// [offer.ErrCouponUnusable].
func insertOrder(ctx context.Context, tx Tx, mine leasedPurchase, now time.Time) error {
	if err := purchase.Insert(ctx, tx, mine.Purchase); err != nil {
		return err
	}
	if err := tx.InsertLease(ctx, mine.lease); err != nil {
		return err
	}
	if err := offer.Redeem(ctx, tx, mine.Purchase.CouponID, now); err != nil {
		return err
	}
	// The lock keeps a concurrent deletion from missing the purchase. It comes last, so that
	// purchases of one course wait for each other as little as possible.
	return purchase.LockCourses(ctx, tx, mine.CourseIDs())
}

// takeOrderOver gives the open purchase of s the price, the coupon and the lease of mine. It has no
// order, and its lease has expired, because the call that was to open the order has ended without
// a result. A redemption of another coupon is given back. Errors: [offer.ErrCouponUnusable], and
// [lease.ErrHeld] if that call has deleted its lease after it was read for s.
func takeOrderOver(ctx context.Context, tx Tx, s orderState, mine leasedPurchase,
	now time.Time) error {
	if err := lease.Acquire(ctx, tx, s.lease, mine.lease, now); err != nil {
		return err
	}
	if err := purchase.Store(ctx, tx, s.open, mine.Purchase); err != nil {
		return err
	}
	if s.open.CouponID != mine.CouponID { // else the purchase keeps its redemption
		if err := offer.GiveBack(ctx, tx, s.open.CouponID, s.open.HoldsCoupon); err != nil {
			return err
		}
		if err := offer.Redeem(ctx, tx, mine.Purchase.CouponID, now); err != nil {
			return err
		}
	}
	// A course that is new in the bundle must not be deleted meanwhile: see insertOrder.
	return purchase.LockCourses(ctx, tx, purchase.CourseIDs(mine.Lines))
}

// enrolFree inserts a completed purchase of a free course, and enrols the user. It returns the
// purchase. The open purchase of s, which has no order and no valid lease, is deleted. A failed
// purchase at an old price may still be paid: then it is completed too, and logged as a double
// payment. Errors: [offer.ErrCouponUnusable], [core.ErrNoRecord] if the course was deleted, and
// [lease.ErrLost] if the call that was to open the order has ended after its lease was read for s.
func (s *Service) enrolFree(ctx context.Context, tx Tx, changes *core.Changes, want wanted,
	state orderState) (purchase.Purchase, error) {
	now := s.base.Now()
	if state.open.ID != "" {
		if err := deletePurchase(ctx, tx, state.open, state.lease); err != nil {
			return purchase.Purchase{}, err
		}
	}
	const paymentID, isShared = "", false // it is completed without a payment
	free := want.purchase(state, s.base.NewID(), now).Completed(paymentID, isShared, now)
	before := state.purchaseState(want, free)
	free = before.Expiring(free, now)
	if err := purchase.Insert(ctx, tx, free); err != nil {
		return purchase.Purchase{}, err
	}
	if err := offer.Redeem(ctx, tx, free.CouponID, now); err != nil {
		return purchase.Purchase{}, err
	}
	purchase.AddEvent(changes, purchase.EventCompleted, free, want.Title)
	none := purchase.Purchase{} // the purchase is new, so it was counted in no total before
	purchase.CountSale(changes, none, free)
	before.Purchase = free
	return free, purchase.Give(ctx, s.study, tx, changes, before.AllParts(want.Title), now, now)
}

// deletePurchase deletes a created purchase and its lease l, which is zero if it has none, and
// gives its coupon back. If the purchase has changed meanwhile, it stays and keeps its coupon, and
// deletePurchase returns nil. It returns [lease.ErrLost] if another holder has the lease.
func deletePurchase(ctx context.Context, tx Tx, created purchase.Purchase, l core.Lease) error {
	if l.Holder != "" {
		if err := lease.Release(ctx, tx, l); err != nil {
			return err
		}
	}
	deleted, err := tx.DeletePurchase(ctx, created)
	if err != nil {
		return err
	}
	if !deleted { // it has changed meanwhile
		return nil
	}
	if len(created.Lines) > 0 {
		if err := tx.DeleteLines(ctx, created.ID); err != nil {
			return err
		}
	}
	return offer.GiveBack(ctx, tx, created.CouponID, created.HoldsCoupon)
}

// openAtProvider creates the order of a leased purchase at its provider and stores it. It continues
// if the caller cancels the request, so that the next call finds the order. If it fails, it deletes
// the purchase. It returns errStateChanged if another call has changed the purchase meanwhile; then
// the new order is in no answer, so that nobody pays it.
func (s *Service) openAtProvider(ctx context.Context, want wanted,
	mine leasedPurchase) (Order, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.base.Timeout+lease.Margin)
	defer cancel()
	opened, err := s.desk.CreateOrder(ctx, mine.Provider, payment.NewOrder{
		PurchaseID: mine.ID,
		Attempt:    mine.Attempt,
		UserID:     mine.UserID,
		CourseID:   mine.CourseID,
		BundleID:   mine.BundleID,
		Title:      want.Title,
		Amount:     mine.Amount,
		Currency:   mine.Currency,
		Language:   want.language,
		Metadata:   mine.Metadata,
	})
	if err != nil {
		return Order{}, s.abandon(ctx, mine, fmt.Errorf("open an order at the provider: %w", err))
	}

	// Store the order, if this call still has the lease and the purchase still waits for it.
	pending := mine.Purchase.Opened(opened, s.base.Now())
	isStored := false
	err = s.base.InTx(ctx, func(tx Tx) (err error) {
		if err := lease.Release(ctx, tx, mine.lease); err != nil {
			return err
		}
		isStored, err = tx.UpdatePurchase(ctx, mine.Purchase, pending)
		return err
	})
	switch {
	case errors.Is(err, lease.ErrLost): // another call opens an order
		return Order{}, errStateChanged
	case err != nil:
		return Order{}, s.abandon(ctx, mine,
			fmt.Errorf("store the order %s of the purchase %s: %w", opened.ID, mine.ID, err))
	case !isStored: // the purchase is paid, or was given another price or coupon
		return Order{}, errStateChanged
	}
	return orderOf(pending, s.desk.KeyID(pending.Provider)), nil
}

// abandon deletes a leased purchase and its lease, and returns why, the error for which its order
// is not opened. If the deletion fails, it returns both errors joined. It has its own time limit,
// because the time limit of ctx may have ended.
func (s *Service) abandon(ctx context.Context, mine leasedPurchase, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Margin)
	defer cancel()
	err := s.base.InTx(ctx,
		func(tx Tx) error { return deletePurchase(ctx, tx, mine.Purchase, mine.lease) })
	if err == nil || errors.Is(err, lease.ErrLost) { // lost: the purchase is another call's now
		return why
	}
	return errors.Join(why, fmt.Errorf("delete the purchase: %w", err))
}
