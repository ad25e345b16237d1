package learning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// OpenOrder returns the order with which the actor can pay a course. If there is none,
// it opens one at the gateway. A user has at most one open order for a course, also
// with concurrent calls in many processes: OpenOrder stores the purchase with a lease
// before it calls the gateway, and concurrent calls wait for its order or for the end
// of the lease. If the course is free, OpenOrder enrols the actor without an order.
//
// Errors: [ErrUnauthenticated], [ErrUserNotFound], [ErrCourseNotFound],
// [ErrAlreadyEnrolled], [ErrGatewayNotConfigured]. If the gateway fails, no purchase
// stays. Waiting calls give up after one lease plus a margin, so that a hanging
// gateway does not add up time-outs.
func (p *Platform) OpenOrder(ctx context.Context, actor Actor, courseID string) (Order, error) {
	return p.OpenOrderWithCoupon(ctx, actor, courseID, "")
}

// OpenOrderWithCoupon is OpenOrder with the code of a coupon, which reduces the price, or
// "" for none. An open order with another coupon is replaced as one with another price is.
// Additional errors: [ErrCouponNotFound], [ErrCouponUnusable].
func (p *Platform) OpenOrderWithCoupon(ctx context.Context, actor Actor, courseID, couponCode string) (Order, error) {
	c, err := p.newCheckout(ctx, actor, courseID, couponCode)
	if err != nil {
		return Order{}, err
	}
	waitCtx, cancel := context.WithTimeout(ctx, p.timeout+2*lease.Margin)
	defer cancel()
	var order Order
	waitErr := lease.Poll(waitCtx, func() (done bool, _ error) {
		order, err = c.step(ctx)
		return !errors.Is(err, errRetry), nil
	})
	if waitErr != nil {
		return Order{}, fmt.Errorf("wait for an order that is being opened: %w", waitErr)
	}
	return order, err
}

// checkout is one attempt of a user to buy a course.
type checkout struct {
	*Platform
	userID string
	course Course
	coupon Coupon // the zero Coupon for none
	price  Money  // with the coupon
}

// errRetry means that the state changed or another call holds the lease. The caller
// must read the state again.
var errRetry = errors.New("learning: the order is not open yet")

// newCheckout returns a checkout after checking the user, the course and the coupon.
func (p *Platform) newCheckout(ctx context.Context, actor Actor, courseID, couponCode string) (checkout, error) {
	if err := actor.Require(); err != nil {
		return checkout{}, err
	}
	if err := p.requireRecord(ctx, actor); err != nil {
		return checkout{}, err
	}
	course, err := p.published(ctx, courseID)
	if err != nil {
		return checkout{}, err
	}
	coupon, err := p.validCoupon(ctx, courseID, couponCode)
	if err != nil {
		return checkout{}, err
	}
	return checkout{p, actor.UserID, course, coupon, coupon.apply(course.FinalPrice())}, nil
}

// step reads the state once and does the next step. It returns errRetry if the state
// must be read again.
func (c checkout) step(ctx context.Context) (Order, error) {
	if err := c.notEnrolled(ctx, c.store); err != nil {
		return Order{}, err
	}
	open, err := c.store.OpenPurchase(ctx, c.userID, c.course.ID)
	if err != nil && !errors.Is(err, ErrNoRecord) {
		return Order{}, fmt.Errorf("read the open purchase: %w", err)
	}
	if err := c.requireRedeemable(ctx, open); err != nil {
		return Order{}, err
	}
	switch {
	case err != nil && c.price == 0:
		return c.enrollFree(ctx, Purchase{})
	case err != nil:
		return c.openFirst(ctx)
	case open.OrderID == "":
		return c.takeOver(ctx, open)
	case open.Amount == c.price && open.Currency == c.currency && open.CouponID == c.coupon.ID:
		return c.answer(open)
	default:
		return c.replaceOrder(ctx, open)
	}
}

func (c checkout) notEnrolled(ctx context.Context, r Reader) error {
	enrolled, err := r.Enrolled(ctx, c.userID, c.course.ID)
	if err != nil {
		return fmt.Errorf("read the enrolment: %w", err)
	}
	if enrolled {
		return ErrAlreadyEnrolled
	}
	return nil
}

// purchase returns a new purchase with the current price.
func (c checkout) purchase(status PurchaseStatus) Purchase {
	now := c.now()
	return Purchase{ID: c.newID(), UserID: c.userID, CourseID: c.course.ID, Amount: c.price, Currency: c.currency,
		Status: status, CreatedAt: now, UpdatedAt: now, CouponID: c.coupon.ID}
}

// replaceOrder marks a purchase with an old price or coupon as failed, unless its order was paid
// meanwhile. If the course is free now and the gateway fails, the user is enrolled
// without asking the gateway.
func (c checkout) replaceOrder(ctx context.Context, old Purchase) (Order, error) {
	payments, err := c.paymentsOf(ctx, old)
	if err != nil && c.price == 0 {
		c.log.WarnContext(ctx, "open order of a free course is given up without asking the gateway", "purchase", old.ID,
			"order", old.OrderID, "error", err)
		return c.enrollFree(ctx, old)
	}
	if err != nil {
		return Order{}, err
	}
	paid, err := c.completePaid(ctx, old, payments)
	if err != nil {
		return Order{}, err
	}
	if paid {
		return Order{}, ErrAlreadyEnrolled
	}
	err = c.store.InTx(ctx, func(tx Tx) error { return failPurchase(ctx, tx, old, c.now()) })
	if err != nil {
		return Order{}, fmt.Errorf("give up an order at an old price: %w", err)
	}
	return Order{}, errRetry
}

// failPurchase marks a pending purchase as failed, and gives its coupon back.
func failPurchase(ctx context.Context, tx Tx, old Purchase, at time.Time) error {
	failed, err := tx.FailPurchase(ctx, old.ID, at)
	if err != nil || !failed {
		return err
	}
	return giveCouponBack(ctx, tx, old.CouponID)
}

// enrollFree completes a purchase of a free course without the gateway. If old is not
// zero, the same transaction marks that open purchase as failed. A later payment of
// it is completed by webhook, proof or [System.ReconcilePurchases], and logged as a
// double payment.
func (c checkout) enrollFree(ctx context.Context, old Purchase) (Order, error) {
	free := c.purchase(PurchaseCompleted)
	free.CompletedAt = free.CreatedAt
	err := c.inTxEvents(ctx, func(tx Tx, out *outbox) error {
		if old.ID != "" {
			if err := failPurchase(ctx, tx, old, free.CreatedAt); err != nil {
				return err
			}
		}
		if err := tx.InsertPurchase(ctx, free); err != nil {
			return err
		}
		if err := c.redeem(ctx, tx); err != nil {
			return err
		}
		out.purchase(EventPurchaseCompleted, free, c.course.Title)
		return c.enroll(ctx, tx, out, c.enrollment(free), c.course.Title)
	})
	switch {
	case errors.Is(err, ErrDuplicate) && c.coupon.ID != "": // enrolled, or the coupon is redeemed with another purchase
		return Order{}, errRetry
	case errors.Is(err, ErrDuplicate):
		return Order{}, ErrAlreadyEnrolled
	case errors.Is(err, ErrCouponUnusable):
		return Order{}, ErrCouponUnusable
	case errors.Is(err, ErrNoRecord): // the course was deleted
		return Order{}, ErrCourseNotFound
	case err != nil:
		return Order{}, fmt.Errorf("enrol in a free course: %w", err)
	}
	return c.answer(free)
}

func (c checkout) answer(p Purchase) (Order, error) {
	o := Order{PurchaseID: p.ID, OrderID: p.OrderID, Amount: p.Amount, Currency: p.Currency}
	if c.gateway != nil {
		o.KeyID = c.gateway.KeyID()
	}
	return o, nil
}
