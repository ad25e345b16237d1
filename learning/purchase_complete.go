package learning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// errPaymentUsed means that a payment that is not proven has completed another purchase.
var errPaymentUsed = errors.New("learning: the payment has completed another purchase")

// paymentResult is what a captured payment does to its purchase.
type paymentResult int

const (
	paymentRepeated  paymentResult = iota // nothing: the purchase was decided before
	paymentRefused                        // nothing: the payment completes no second purchase
	paymentCompletes                      // it completes the purchase
	paymentIsLate                         // it completes the purchase if its coupon can be redeemed again
)

// decidePayment returns what a captured payment does to its purchase. A payment is proven by a
// signature for the order of the purchase, or if the gateway names that order.
//
//	status               payment                  coupon   result
//	completed, refunded  any                      any      paymentRepeated
//	any other            used and not proven      any      paymentRefused
//	created, pending     any other                any      paymentCompletes
//	failed               any other                none     paymentCompletes
//	failed               any other                some     paymentIsLate
func decidePayment(s PurchaseState, isProven bool) paymentResult {
	switch {
	case s.Status == PurchaseCompleted, s.Status == PurchaseRefunded:
		return paymentRepeated
	case s.PaymentUsed && !isProven:
		return paymentRefused
	case s.Status == PurchaseFailed && s.CouponID != "":
		return paymentIsLate
	}
	return paymentCompletes
}

// completion is one call of [Platform.complete].
type completion struct {
	purchaseID string
	paymentID  string
	isProven   bool
	title      string // of the course, for events

	// The result of the last run of its transaction:
	result   paymentResult
	before   PurchaseState
	returned Refund // of a late payment whose coupon could not be redeemed again; else zero
}

// complete completes a purchase by a captured payment, increments the number of students of the
// course, and enrols the user, in one transaction. However often and concurrently it is called,
// there is one enrolment, the number grows by one, and the first payment stays. A late payment whose
// coupon cannot be redeemed again is refunded instead, and complete returns [ErrPaymentReturned].
// See decidePayment for isProven; complete logs and returns errPaymentUsed if such a payment has
// completed another purchase.
func (p *Platform) complete(ctx context.Context, purchase Purchase, paymentID string, isProven bool) error {
	title, err := p.eventTitle(ctx, purchase.CourseID)
	if err != nil {
		return fmt.Errorf("complete a purchase: %w", err)
	}
	var c completion
	err = retryDuplicate(func() error {
		return p.inTxEvents(ctx, func(tx Tx, out *outbox) error {
			c = completion{purchaseID: purchase.ID, paymentID: paymentID, isProven: isProven, title: title}
			return p.runCompletion(ctx, tx, out, purchase.UserID, &c)
		})
	})
	if err != nil {
		return fmt.Errorf("complete a purchase: %w", err)
	}
	p.logCompletion(ctx, c)
	switch {
	case c.result == paymentRefused:
		return errPaymentUsed
	case c.returned.ID != "":
		p.refundAtOnce(ctx, c.returned)
		return ErrPaymentReturned
	case c.before.IsReturned():
		return ErrPaymentReturned
	}
	return nil
}

// runCompletion is the transaction of complete.
func (p *Platform) runCompletion(ctx context.Context, tx Tx, out *outbox, userID string, c *completion) error {
	// Lock the user, read the whole state, and decide.
	if err := lockUser(ctx, tx, userID); err != nil {
		return err
	}
	s, err := tx.PurchaseState(ctx, c.purchaseID, c.paymentID)
	if err != nil {
		return err
	}
	c.before, c.result = s, decidePayment(s, c.isProven)

	// A late payment needs a redemption of its coupon, or is returned.
	switch c.result {
	case paymentRepeated, paymentRefused:
		return nil
	case paymentIsLate:
		redeemed, err := p.takeCouponBack(ctx, tx, s.Purchase)
		if err != nil {
			return err
		}
		if !redeemed {
			return p.returnPayment(ctx, tx, c)
		}
	}

	// Store the purchase. A second run of the usual transaction finds the purchase completed and
	// has nothing to log, so it is repeatable.
	now := p.now()
	after := s.Purchase.completed(c.paymentID, s.PaymentUsed, now)
	if err := storePurchase(ctx, tx, s.Purchase, after); err != nil {
		return err
	}
	out.purchase(EventPurchaseCompleted, after, c.title)
	out.countSale(s.Purchase, after)
	if s.CourseDeleted || s.Enrollment.exists() {
		return nil // see logCompletion
	}
	if c.result == paymentCompletes && !s.PaymentUsed {
		tx.Repeatable()
	}
	err = p.enroll(ctx, tx, out, after.enrollment(now), c.title)
	if errors.Is(err, ErrNoRecord) { // the course was deleted after the state was read
		err = fmt.Errorf("enrol: %w", ErrDuplicate)
	}
	return err
}

// returnPayment stores that a late payment is refunded instead of completing its purchase. The
// refund is requested after the transaction, and by [System.ReconcilePurchases] until it is made.
func (p *Platform) returnPayment(ctx context.Context, tx Tx, c *completion) error {
	now := p.now()
	after := c.before.Purchase.returned(c.paymentID, c.before.PaymentUsed, now)
	if err := storePurchase(ctx, tx, c.before.Purchase, after); err != nil {
		return err
	}
	c.returned = Refund{
		ID: p.newID(), PurchaseID: after.ID, PaymentID: after.PaymentID, Amount: after.Amount,
		Currency: after.Currency, Status: RefundPending, CreatedAt: now, UpdatedAt: now,
	}
	return tx.InsertRefund(ctx, c.returned)
}

// returnTimeout bounds the first request for the refund of a returned payment, because the gateway
// waits for the answer to its webhook.
const returnTimeout = 3 * time.Second

// refundAtOnce requests a refund that is stored. If that fails, [System.ReconcilePurchases]
// requests it again.
func (p *Platform) refundAtOnce(ctx context.Context, r Refund) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(p.timeout, returnTimeout)+lease.Margin)
	defer cancel()
	if p.gateway == nil {
		return
	}
	if err := p.requestRefund(ctx, r, returnTimeout); err != nil {
		p.log.WarnContext(ctx, "return a payment", "refund", r.ID, "purchase", r.PurchaseID, "error", err)
	}
}

// enrollment returns the enrolment that a purchase gives.
func (p Purchase) enrollment(at time.Time) Enrollment {
	return Enrollment{UserID: p.UserID, CourseID: p.CourseID, PurchaseID: p.ID, CreatedAt: at}
}

// enroll stores an enrolment and increments the number of students, in a transaction that has
// locked the user. The events come first, because the transaction locks the row of the course from
// the increment on. It returns [ErrNoRecord] if the course was deleted; the transaction must then be
// rolled back.
func (p *Platform) enroll(ctx context.Context, tx Tx, out *outbox, e Enrollment, title string) error {
	out.enrollment(EventEnrollmentCreated, e, title)
	if err := out.write(ctx, tx); err != nil {
		return err
	}
	if err := tx.IncrementEnrollments(ctx, e.CourseID); err != nil {
		return err
	}
	out.count(e.UserID, Total{Kind: TotalEnrollments, Number: 1})
	return tx.InsertEnrollment(ctx, e)
}

// logCompletion logs what was unusual about a payment.
func (p *Platform) logCompletion(ctx context.Context, c completion) {
	log := p.log.With("purchase", c.purchaseID, "payment", c.paymentID)
	switch {
	case c.result == paymentRefused:
		log.WarnContext(ctx, "payment has completed another purchase already", "order", c.before.OrderID, "completed", false)
		return
	case c.before.IsReturned():
		log.WarnContext(ctx, "payment for a purchase whose payment is returned")
		return
	case c.before.Status == PurchaseRefunded:
		log.WarnContext(ctx, "payment for a refunded purchase")
		return
	case c.result == paymentRepeated:
		if c.before.PaymentID != c.paymentID {
			p.logDoublePayment(ctx, c)
		}
		return
	case c.returned.ID != "":
		log.WarnContext(ctx, "late payment is returned, because its coupon cannot be redeemed again", "user", c.before.UserID,
			"coupon", c.before.CouponID, "refund", c.returned.ID)
		return
	}
	if c.before.PaymentUsed {
		log.WarnContext(ctx, "payment has completed another purchase already", "order", c.before.OrderID, "completed", true)
	}
	switch {
	case c.before.CourseDeleted:
		log.WarnContext(ctx, "payment for a deleted course", "user", c.before.UserID, "course", c.before.CourseID, "order", c.before.OrderID)
	case c.before.Enrollment.exists():
		p.logDoublePayment(ctx, c)
	}
}

func (p *Platform) logDoublePayment(ctx context.Context, c completion) {
	p.log.WarnContext(ctx, "double payment", "purchase", c.purchaseID, "user", c.before.UserID, "course", c.before.CourseID,
		"order", c.before.OrderID, "payment", c.paymentID, "first_payment", c.before.PaymentID)
}
