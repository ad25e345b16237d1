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
	enroll   bool   // the user must not be enrolled, and is enrolled
}

var (
	errPaymentUsed = errors.New("learning: the payment has completed another purchase")
	errEnrolled    = errors.New("learning: the user is enrolled by another purchase")
)

// relax removes the condition that made a transaction fail with err, and reports whether
// it did. A proven payment completes its purchase even if it has completed another one.
// A second purchase of a course is completed without an enrolment.
func (c *completion) relax(err error, proven bool) bool {
	switch {
	case errors.Is(err, errPaymentUsed) && proven && c.firstUse:
		c.firstUse = false
	case errors.Is(err, errEnrolled) && c.enroll:
		c.enroll = false
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
	demands := completion{title: title, firstUse: true, enroll: true}
	moved, err := p.tryComplete(ctx, purchase, paymentID, demands)
	for demands.relax(err, proven) {
		moved, err = p.tryComplete(ctx, purchase, paymentID, demands)
	}
	switch {
	case errors.Is(err, errPaymentUsed):
		p.logReusedPayment(ctx, purchase, paymentID, false)
		return err
	case err != nil:
		return fmt.Errorf("complete a purchase: %w", err)
	case !moved:
		return p.logUnexpectedPayment(ctx, purchase.ID, paymentID)
	}
	if !demands.firstUse {
		p.logReusedPayment(ctx, purchase, paymentID, true)
	}
	if !demands.enroll {
		p.logDoublePayment(ctx, purchase, paymentID)
	}
	return nil
}

// tryComplete runs the transaction of complete and reports whether it made the
// transition. The counter is updated before the INSERT because its row is the lock that
// serialises the purchases of a course. The usual transaction is repeatable, and the one
// of an unexpected payment is not, because its second run would not be logged.
func (p *Platform) tryComplete(ctx context.Context, purchase Purchase, paymentID string, demands completion) (moved bool, err error) {
	err = p.inTxEvents(ctx, func(tx Tx, out *outbox) (err error) {
		if demands.firstUse && demands.enroll {
			tx.Repeatable()
		}
		moved, err = tx.CompletePurchase(ctx, purchase.ID, paymentID, demands.firstUse, p.now())
		if errors.Is(err, ErrDuplicate) {
			return errPaymentUsed
		}
		if err != nil || !moved {
			return err
		}
		out.purchase(EventPurchaseCompleted, purchase, demands.title)
		if !demands.enroll {
			return nil
		}
		if err := p.enroll(ctx, tx, out, purchase, demands.title); !errors.Is(err, ErrDuplicate) {
			return err
		}
		return errEnrolled
	})
	return moved, err
}

// enroll stores the enrolment of a purchase and increments the number of students. The
// events come first, because the transaction locks the row of the course from the
// increment on.
func (p *Platform) enroll(ctx context.Context, tx Tx, out *outbox, purchase Purchase, title string) error {
	out.enrollment(EventEnrollmentCreated, purchase, title)
	if err := out.write(ctx, tx); err != nil {
		return err
	}
	tx.AfterCommit(p.catalogueChanged)
	if err := tx.IncrementEnrollments(ctx, purchase.CourseID); err != nil {
		return err
	}
	return tx.InsertEnrollment(ctx, Enrollment{UserID: purchase.UserID, CourseID: purchase.CourseID, PurchaseID: purchase.ID, CreatedAt: p.now()})
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
