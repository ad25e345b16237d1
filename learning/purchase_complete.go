package learning

import (
	"context"
	"errors"
	"fmt"
)

// completion holds the conditions for completing a purchase, and the title of its course.
type completion struct {
	title    string // for events
	firstUse bool   // the payment must have completed no other purchase
	enroll   bool   // the user must not be enrolled, and becomes enrolled; if it is false, the user must be enrolled
	redeem   bool   // the user must not have redeemed the coupon with another purchase
	deleted  bool   // the course was deleted
}

var (
	errPaymentUsed = errors.New("learning: the payment has completed another purchase")
	errEnrolled    = errors.New("learning: the user is enrolled already")
	errNotEnrolled = errors.New("learning: the enrolment of the user has ended meanwhile")
	errRedeemed    = errors.New("learning: the user has redeemed the coupon with another purchase")
	errDeleted     = errors.New("learning: the course was deleted")
)

// relax removes the condition that made a transaction fail with err, and reports whether
// it did. A proven payment completes its purchase even if it has completed another one.
// A purchase by a user who is enrolled already, by another purchase or by an admin, is
// completed without an enrolment, unless that one ends meanwhile. So is a purchase of a
// deleted course. A late payment completes its purchase even if the user has redeemed its
// coupon again.
func (c *completion) relax(err error, proven bool) bool {
	switch {
	case errors.Is(err, errPaymentUsed) && proven && c.firstUse:
		c.firstUse = false
	case errors.Is(err, errEnrolled) && c.enroll:
		c.enroll = false
	case errors.Is(err, errNotEnrolled) && !c.enroll:
		c.enroll = true
	case errors.Is(err, errRedeemed) && c.redeem:
		c.redeem = false
	case errors.Is(err, errDeleted) && c.enroll:
		c.enroll, c.deleted = false, true
	default:
		return false
	}
	return true
}

// complete completes a paid purchase, increments the number of students of the course,
// and enrols the user, in one transaction. Concurrent and repeated calls create one
// enrolment, increment the number once, and keep the first payment. A payment is proven
// by a signature for the order of the purchase, or if the gateway names that order. A
// payment that is not proven completes at most one purchase: complete logs and returns
// errPaymentUsed if it has completed another one.
func (p *Platform) complete(ctx context.Context, purchase Purchase, paymentID string, proven bool) error {
	title, err := p.eventTitle(ctx, purchase.CourseID)
	if err != nil {
		return fmt.Errorf("complete a purchase: %w", err)
	}
	demands := completion{title: title, firstUse: true, enroll: true, redeem: true}
	done, err := p.tryComplete(ctx, purchase, paymentID, demands)
	for demands.relax(err, proven) {
		done, err = p.tryComplete(ctx, purchase, paymentID, demands)
	}
	switch {
	case errors.Is(err, errPaymentUsed):
		p.logReusedPayment(ctx, purchase, paymentID, false)
		return err
	case err != nil:
		return fmt.Errorf("complete a purchase: %w", err)
	case !done.moved:
		return p.logUnexpectedPayment(ctx, purchase.ID, paymentID)
	}
	p.logCompletion(ctx, purchase, paymentID, demands, done)
	return nil
}

// logCompletion logs what was unusual about a completion.
func (p *Platform) logCompletion(ctx context.Context, purchase Purchase, paymentID string, demands completion, done completionResult) {
	if !demands.firstUse {
		p.logReusedPayment(ctx, purchase, paymentID, true)
	}
	switch {
	case demands.deleted:
		p.log.WarnContext(ctx, "payment for a deleted course", "purchase", purchase.ID, "user", purchase.UserID, "course", purchase.CourseID,
			"order", purchase.OrderID, "payment", paymentID)
	case !demands.enroll:
		p.logDoublePayment(ctx, purchase, paymentID)
	}
	if done.exceedsCoupon {
		p.log.WarnContext(ctx, "late payment exceeds the limit of a coupon", "purchase", purchase.ID, "user", purchase.UserID,
			"coupon", purchase.CouponID, "payment", paymentID)
	}
}

// completionResult is what a transaction of complete did.
type completionResult struct {
	moved         bool // it made the transition
	exceedsCoupon bool // the purchase had failed, and its coupon has more redemptions than its limit now
}

// tryComplete runs the transaction of complete. The counter is updated before the INSERT
// because its row is the lock that serialises the purchases of a course. The usual
// transaction is repeatable, and the one of an unexpected payment is not, because its
// second run would not be logged.
func (p *Platform) tryComplete(ctx context.Context, purchase Purchase, paymentID string, demands completion) (done completionResult, err error) {
	err = p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
		late, err := redeemAgain(ctx, tx, purchase, demands.redeem)
		if err != nil {
			return err
		}
		if demands.firstUse && demands.enroll && !late {
			tx.Repeatable()
		}
		done.moved, err = tx.CompletePurchase(ctx, purchase.ID, paymentID, demands.firstUse, p.now())
		if errors.Is(err, ErrDuplicate) {
			return errPaymentUsed
		}
		if err != nil || !done.moved {
			return err
		}
		if late {
			if done.exceedsCoupon, err = countLateRedemption(ctx, tx, purchase.ID); err != nil {
				return err
			}
		}
		out.purchase(EventPurchaseCompleted, purchase, demands.title)
		switch {
		case demands.deleted:
			return nil
		case !demands.enroll:
			return p.requireLockedEnrollment(ctx, tx, purchase)
		}
		err = p.enroll(ctx, tx, out, p.enrollment(purchase), demands.title)
		switch {
		case errors.Is(err, ErrDuplicate):
			return errEnrolled
		case errors.Is(err, ErrNoRecord):
			return errDeleted
		}
		return err
	})
	return done, err
}

// requireLockedEnrollment returns errNotEnrolled if the user of a purchase is not enrolled
// in its course. It locks the enrolment, so that a concurrent refund of the purchase that
// gave it ends it before, or sees this purchase completed.
func (p *Platform) requireLockedEnrollment(ctx context.Context, tx Tx, purchase Purchase) error {
	locked, err := tx.LockEnrollment(ctx, purchase.UserID, purchase.CourseID)
	if err == nil && !locked {
		err = errNotEnrolled
	}
	return err
}

// enrollment returns the enrolment that a purchase creates.
func (p *Platform) enrollment(purchase Purchase) Enrollment {
	return Enrollment{UserID: purchase.UserID, CourseID: purchase.CourseID, PurchaseID: purchase.ID, CreatedAt: p.now()}
}

// enroll stores an enrolment and increments the number of students. The events come first,
// because the transaction locks the row of the course from the increment on. It returns
// [ErrDuplicate] if the user is enrolled.
func (p *Platform) enroll(ctx context.Context, tx Tx, out *outbox, e Enrollment, title string) error {
	out.enrollment(EventEnrollmentCreated, e, title)
	if err := out.write(ctx, tx); err != nil {
		return err
	}
	if err := tx.IncrementEnrollments(ctx, e.CourseID); err != nil {
		return err
	}
	return tx.InsertEnrollment(ctx, e)
}

// logUnexpectedPayment logs a payment of a purchase that was completed by another
// payment or was refunded.
func (p *Platform) logUnexpectedPayment(ctx context.Context, id, paymentID string) error {
	now, err := p.store.Purchase(ctx, id)
	if err != nil {
		return fmt.Errorf("read a completed purchase: %w", err)
	}
	switch {
	case now.Status == PurchaseRefunded:
		p.log.WarnContext(ctx, "payment for a refunded purchase", "purchase", id, "payment", paymentID)
	case now.PaymentID != paymentID:
		p.logDoublePayment(ctx, now, paymentID)
	}
	return nil
}

func (p *Platform) logReusedPayment(ctx context.Context, purchase Purchase, paymentID string, completed bool) {
	p.log.WarnContext(ctx, "payment has completed another purchase already", "purchase", purchase.ID, "payment", paymentID,
		"order", purchase.OrderID, "completed", completed)
}

func (p *Platform) logDoublePayment(ctx context.Context, purchase Purchase, paymentID string) {
	p.log.WarnContext(ctx, "double payment", "purchase", purchase.ID, "user", purchase.UserID, "course", purchase.CourseID,
		"order", purchase.OrderID, "payment", paymentID, "first_payment", purchase.PaymentID)
}
