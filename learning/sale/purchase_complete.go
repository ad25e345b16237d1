package sale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
)

// paymentState is what completing a purchase by a payment depends on.
type paymentState struct {
	purchase.State
	// redeemed is the purchase with which the user holds the coupon of a failed one; zero for none.
	redeemed purchase.Purchase
}

// readPaymentState reads the state in a transaction that has locked the user. paymentID is that of
// the payment that is to complete the purchase. Error: [core.ErrNoRecord] if there is no such
// purchase.
func readPaymentState(
	ctx context.Context, tx Tx, purchaseID, paymentID string,
) (s paymentState, err error) {
	s.State, err = tx.PurchaseState(ctx, purchaseID, paymentID)
	if err != nil || s.Status != purchase.Failed || s.CouponID == "" {
		return s, err
	}
	// A failed purchase has given its coupon back, so the user may have redeemed it with another.
	s.redeemed, err = tx.RedeemingPurchase(ctx, s.UserID, s.CouponID)
	if errors.Is(err, core.ErrNoRecord) { // the user does not hold the coupon
		err = nil
	}
	return s, err
}

// paymentResult is what a captured payment does to its purchase.
type paymentResult int

const (
	paymentRepeated   paymentResult = iota // nothing: the purchase was completed before
	paymentIsReturned                      // nothing: the payment is or was returned
	paymentRefused                         // nothing: the payment completes no second purchase
	paymentCompletes                       // it completes the purchase
	paymentReplaces                        // it does, and the purchase that holds the coupon fails
	paymentRedeems                         // it does, if the coupon can be redeemed once more
	paymentReturns                         // the payment is returned
)

// decidePayment returns what a captured payment does to its purchase. A payment is proven by a
// signature for the order of the purchase, or if the gateway names that order.
//
// A purchase has ended if one of its courses is not sold any more, by the terms of the order and by
// the present ones.
//
//	status                  payment              coupon redeemed with  result
//	refunded, IsReturned()  any                  any                   paymentIsReturned
//	completed, refunded     any                  any                   paymentRepeated
//	any other               used and not proven  any                   paymentRefused
//	any other, has ended    any other            any                   paymentReturns
//	created, pending        any other            any                   paymentCompletes
//	failed                  any other            it has no coupon      paymentCompletes
//	failed                  any other            no purchase           paymentRedeems
//	failed                  any other            open, same offer      paymentReplaces
//	failed                  any other            any other purchase    paymentReturns
//
// The first row that fits decides. A payment is used if it has completed another purchase. The
// third column is the purchase with which the user holds the coupon now: an open one of the same
// course or bundle, or any other.
//
// If the coupon has expired, is not active or has reached its limit, paymentRedeems becomes
// paymentReturns: the UPDATE of the coupon finds out, because the lock of the user does not lock
// the coupon.
func decidePayment(s paymentState, isProven bool, now time.Time) paymentResult {
	switch {
	case s.IsReturned():
		return paymentIsReturned
	case s.Status == purchase.Completed, s.Status == purchase.Refunded:
		return paymentRepeated
	case s.PaymentUsed && !isProven:
		return paymentRefused
	case s.HasEnded(now):
		return paymentReturns
	case s.Status != purchase.Failed, s.CouponID == "":
		return paymentCompletes
	case s.redeemed.ID == "":
		return paymentRedeems
	case s.redeemed.OfferID() == s.OfferID() && s.redeemed.Status.Open():
		return paymentReplaces
	}
	return paymentReturns
}

// completion is one call of complete.
type completion struct {
	purchaseID string
	paymentID  string
	isProven   bool
	title      string // of the course or the bundle, for events

	// The result of the last run of its transaction:
	at     time.Time // when it was decided
	result paymentResult
	before paymentState
	refund refund.Refund // of a payment that is returned
}

// complete completes a purchase by a captured payment, increments the number of students of the
// course, and enrols the user, in one transaction. However often and concurrently it is called,
// there is one enrolment, the number grows by one, and the purchase keeps its first payment. See
// decidePayment for isProven. It returns nil also for a payment that does not complete the
// purchase; logCompletion logs it. A late payment whose coupon cannot be redeemed again is refunded
// instead, and complete returns [ErrPaymentReturned] or [ErrPaymentOfEnded].
func (s *Service) complete(
	ctx context.Context, p purchase.Purchase, paymentID string, isProven bool,
) error {
	// Read the title that the events show, before the transaction.
	c := completion{purchaseID: p.ID, paymentID: paymentID, isProven: isProven}
	var err error
	if c.title, err = purchase.TitleOf(ctx, s.catalog, p); err != nil {
		return fmt.Errorf("complete a purchase: %w", err)
	}

	// Complete the purchase in one transaction.
	err = s.base.ChangeOfUser(ctx, p.UserID, func(tx Tx, changes *core.Changes) error {
		return s.runCompletion(ctx, tx, changes, &c)
	})
	if err != nil {
		return fmt.Errorf("complete a purchase: %w", err)
	}

	// Request the refund of a payment that is returned, now that the refund is stored.
	s.logCompletion(ctx, c)
	switch c.result {
	case paymentReturns:
		s.refunds.RequestAtOnce(ctx, c.refund)
		return whyReturned(c.before.State, c.at)
	case paymentIsReturned: // an earlier call has requested the refund
		return whyReturned(c.before.State, c.at)
	}
	return nil
}

// runCompletion is the transaction of complete, which has locked the user. It sets the result in c,
// and sets it anew if the transaction runs again. In the usual case it declares the transaction
// repeatable, which saves the statement that tells whether an unanswered COMMIT took effect. A
// payment that has completed another purchase is left out, because a second run would not log that.
func (s *Service) runCompletion(
	ctx context.Context, tx Tx, changes *core.Changes, c *completion,
) error {
	// Read the whole state, and decide.
	state, err := readPaymentState(ctx, tx, c.purchaseID, c.paymentID)
	if err != nil {
		return err
	}
	now := s.base.Now()
	c.at, c.before, c.refund = now, state, refund.Refund{} // an earlier run may have set them
	c.result = decidePayment(state, c.isProven, now)

	// Redeem the coupon of a late payment.
	switch c.result {
	case paymentRepeated, paymentIsReturned, paymentRefused:
		return nil // nothing to store
	case paymentReplaces: // the open purchase gives no redemption back: this one takes it over
		err = purchase.Store(ctx, tx, state.redeemed, state.redeemed.Failed(now))
	case paymentRedeems:
		var redeemed bool
		if redeemed, err = tx.RedeemCoupon(ctx, state.CouponID, now); err == nil && !redeemed {
			c.result = paymentReturns
		}
	}
	if err != nil {
		return err
	}

	// Store a payment that is returned. Its refund is requested after the transaction, and by
	// [System.ReconcilePurchases] until it is made.
	if c.result == paymentReturns {
		after := state.Returned(c.paymentID, state.PaymentUsed, now)
		if err = storeReturned(ctx, tx, state.Purchase, after); err == nil {
			c.refund, err = s.refunds.InsertFull(ctx, tx, after, now)
		}
		return err
	}

	// Store the completed purchase, with what follows from it.
	after := state.Expiring(state.Completed(c.paymentID, state.PaymentUsed, now), now)
	if err := storeCompleted(ctx, tx, changes, state.Purchase, after, c.title); err != nil {
		return err
	}

	// Enrol the user, unless the course was deleted or it is a double payment: logCompletion logs
	// it.
	if state.CourseDeleted || state.isDoublePayment(now) {
		return nil
	}
	if c.result == paymentCompletes && !state.PaymentUsed {
		tx.Repeatable() // a second run finds all done, and has nothing to log
	}
	given := state.State
	given.Purchase = after
	err = purchase.Give(ctx, s.study, tx, changes, given.AllParts(c.title), now, now)
	if errors.Is(err, core.ErrNoRecord) { // the course is deleted now: ChangeOfUser runs it again
		err = fmt.Errorf("enrol: %w", core.ErrDuplicate)
	}
	return err
}

// storeReturned stores a purchase whose payment is returned. An open purchase gives its coupon
// back.
func storeReturned(ctx context.Context, tx Tx, before, after purchase.Purchase) error {
	if err := purchase.Store(ctx, tx, before, after); err != nil {
		return err
	}
	return offer.GiveBack(ctx, tx, before.CouponID, before.HoldsCoupon)
}

// isDoublePayment reports whether the user was enrolled before in the course, or in all courses of
// the bundle.
func (s paymentState) isDoublePayment(now time.Time) bool {
	isMissing := func(p purchase.Part) bool { return !p.IsEnrolled(now) }
	return !slices.ContainsFunc(s.AllParts(""), isMissing)
}

// whyReturned returns the error for the buyer whose payment is returned: [ErrPaymentOfEnded] or
// [ErrPaymentReturned].
func whyReturned(s purchase.State, now time.Time) error {
	if s.CouponID == "" || s.HasEnded(now) {
		return ErrPaymentOfEnded
	}
	return ErrPaymentReturned
}

// isReturned reports whether err is that of a payment that is refunded instead of completing its
// purchase.
func isReturned(err error) bool {
	return errors.Is(err, ErrPaymentReturned) || errors.Is(err, ErrPaymentOfEnded)
}

// storeCompleted stores a purchase that a payment completes, its event and its share of the totals
// of sales, and what later rooms make of it.
func storeCompleted(
	ctx context.Context, tx Tx, changes *core.Changes, before, after purchase.Purchase,
	title string,
) error {
	if err := purchase.Store(ctx, tx, before, after); err != nil {
		return err
	}
	purchase.AddEvent(changes, purchase.EventCompleted, after, title)
	purchase.CountSale(changes, before, after)
	return tx.PurchaseCompleted(ctx, after)
}

// logCompletion logs what was unusual about a payment. It logs nothing about a payment that
// completes its purchase as usual, nor about a repetition of it while the purchase is completed.
func (s *Service) logCompletion(ctx context.Context, c completion) {
	log := s.base.Log.With("purchase", c.purchaseID, "payment", c.paymentID)
	state := c.before

	// Payments that have completed nothing.
	switch {
	case c.result == paymentIsReturned:
		log.WarnContext(ctx, "payment for a purchase whose payment is returned")
		return
	case c.result == paymentReturns && state.HasEnded(c.at):
		log.WarnContext(ctx, "payment is returned, because the course has ended",
			"user", state.UserID, "course", state.CourseID, "refund", c.refund.ID)
		return
	case c.result == paymentReturns:
		log.WarnContext(ctx,
			"late payment is returned, because its coupon cannot be redeemed again",
			"user", state.UserID, "coupon", state.CouponID, "refund", c.refund.ID)
		return
	case c.result == paymentRepeated && state.Status == purchase.Refunded:
		log.WarnContext(ctx, "payment for a refunded purchase")
		return
	case c.result == paymentRepeated:
		if state.PaymentID != c.paymentID {
			s.logDoublePayment(ctx, c)
		}
		return
	}

	// One payment for two purchases, whether it has completed the second or not.
	if state.PaymentUsed {
		log.WarnContext(ctx, "payment has completed another purchase already",
			"order", state.OrderID, "completed", c.result != paymentRefused)
	}
	switch {
	case c.result == paymentRefused: // it has bought nothing
	case state.CourseDeleted:
		log.WarnContext(ctx, "payment for a deleted course",
			"user", state.UserID, "course", state.CourseID, "order", state.OrderID)
	case state.isDoublePayment(c.at):
		s.logDoublePayment(ctx, c)
	}
}

// logDoublePayment logs a second payment, for an operator to refund it: another one has completed
// the purchase (first_payment), or the user was enrolled before this payment.
func (s *Service) logDoublePayment(ctx context.Context, c completion) {
	state := c.before
	s.base.Log.WarnContext(ctx, "double payment", "purchase", c.purchaseID, "user", state.UserID,
		"course", state.CourseID, "order", state.OrderID, "payment", c.paymentID,
		"first_payment", state.PaymentID)
}
