package learning

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
)

// leaseMargin is the part of a lease after the time limit of the call to the gateway.
// It is the time to store the answer of the gateway.
const leaseMargin = 5 * time.Second

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
	c, err := p.newCheckout(ctx, actor, courseID)
	if err != nil {
		return Order{}, err
	}
	waitCtx, cancel := context.WithTimeout(ctx, p.timeout+2*leaseMargin)
	defer cancel()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		order, err := c.step(ctx)
		if !errors.Is(err, errRetry) {
			return order, err
		}
		if err := wait(waitCtx, pause); err != nil {
			return Order{}, fmt.Errorf("wait for an order that is being opened: %w", err)
		}
	}
}

// checkout is one attempt of a user to buy a course.
type checkout struct {
	*Platform
	userID string
	course Course
	price  Money
}

// errRetry means that the state changed or another call holds the lease. The caller
// must read the state again.
var errRetry = errors.New("learning: the order is not open yet")

// newCheckout returns a checkout after checking the user and the course.
func (p *Platform) newCheckout(ctx context.Context, actor Actor, courseID string) (checkout, error) {
	if err := actor.Require(); err != nil {
		return checkout{}, err
	}
	switch s, err := p.store.AccountState(ctx, actor.UserID); {
	case err != nil:
		return checkout{}, fmt.Errorf("read the buyer: %w", err)
	case !s.Known || s.Deleted:
		return checkout{}, ErrUserNotFound
	}
	course, err := p.published(ctx, courseID)
	if err != nil {
		return checkout{}, err
	}
	return checkout{p, actor.UserID, course, course.FinalPrice()}, nil
}

// step reads the state once and does the next step. It returns errRetry if the state
// must be read again.
func (c checkout) step(ctx context.Context) (Order, error) {
	if err := c.notEnrolled(ctx, c.store); err != nil {
		return Order{}, err
	}
	open, err := c.store.OpenPurchase(ctx, c.userID, c.course.ID)
	switch {
	case errors.Is(err, ErrNoRecord) && c.price == 0:
		return c.enrollFree(ctx, "")
	case errors.Is(err, ErrNoRecord):
		return c.claim(ctx)
	case err != nil:
		return Order{}, fmt.Errorf("read the open purchase: %w", err)
	case open.OrderID == "" && c.now().Before(open.LeaseUntil):
		return Order{}, errRetry
	case open.OrderID == "":
		return c.takeOver(ctx, open)
	case open.Amount == c.price && open.Currency == c.currency:
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
		Status: status, CreatedAt: now, UpdatedAt: now}
}

// withLease returns p with a lease of this checkout. It covers one call to the gateway.
func (c checkout) withLease(p Purchase) Purchase {
	p.Holder, p.LeaseUntil = c.newID(), c.now().Add(c.timeout+leaseMargin)
	return p
}

// claim inserts a purchase with a lease, and then opens its order.
func (c checkout) claim(ctx context.Context) (Order, error) {
	if c.gateway == nil {
		return Order{}, ErrGatewayNotConfigured
	}
	mine := c.withLease(c.purchase(PurchaseCreated))
	err := c.store.InTx(ctx, func(tx Tx) error {
		if err := tx.InsertPurchase(ctx, mine); err != nil {
			return err
		}
		// Read again after the INSERT: if the previous purchase was completed meanwhile,
		// it did not prevent the INSERT.
		return c.notEnrolled(ctx, tx)
	})
	switch {
	case errors.Is(err, ErrDuplicate):
		return Order{}, errRetry
	case errors.Is(err, ErrAlreadyEnrolled):
		return Order{}, err
	case err != nil: // an unanswered COMMIT may have stored it
		return Order{}, c.deleteLease(ctx, mine, fmt.Errorf("claim a purchase: %w", err))
	}
	return c.open(ctx, mine)
}

// takeOver takes the lease of a purchase whose lease has ended, and opens its order.
func (c checkout) takeOver(ctx context.Context, old Purchase) (Order, error) {
	if c.price == 0 { // a free course needs no order: delete the purchase and retry
		return Order{}, c.deleteLease(ctx, old, errRetry)
	}
	if c.gateway == nil {
		return Order{}, ErrGatewayNotConfigured
	}
	mine := c.withLease(old)
	mine.Amount, mine.Currency, mine.UpdatedAt = c.price, c.currency, c.now()
	won := false
	err := c.store.InTx(ctx, func(tx Tx) (err error) {
		won, err = tx.TakeOverPurchase(ctx, mine, old.Holder)
		return err
	})
	if err != nil {
		return Order{}, c.deleteLease(ctx, mine, fmt.Errorf("take over a purchase: %w", err))
	}
	if !won {
		return Order{}, errRetry
	}
	return c.open(ctx, mine)
}

// open creates the order of a leased purchase at the gateway and stores it. It
// continues if the caller cancels the request, so that the next call finds the order.
func (c checkout) open(ctx context.Context, mine Purchase) (Order, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout+leaseMargin)
	defer cancel()
	orderID, err := c.createOrder(ctx, mine)
	if err != nil {
		return Order{}, c.deleteLease(ctx, mine, fmt.Errorf("open an order at the gateway: %w", err))
	}
	stored := false
	err = c.store.InTx(ctx, func(tx Tx) (err error) {
		stored, err = tx.SetPurchaseOrder(ctx, mine.ID, mine.Holder, orderID, c.now())
		return err
	})
	if err != nil {
		return Order{}, c.deleteLease(ctx, mine, fmt.Errorf("store the order %s of the purchase %s: %w", orderID, mine.ID, err))
	}
	if !stored {
		return Order{}, errRetry
	}
	mine.OrderID = orderID
	return c.answer(mine)
}

func (c checkout) createOrder(ctx context.Context, mine Purchase) (string, error) {
	ctx, cancel := c.provider(ctx)
	defer cancel()
	id, err := c.gateway.CreateOrder(ctx, NewOrder{Amount: mine.Amount, Currency: mine.Currency, PurchaseID: mine.ID, Title: c.course.Title})
	if err == nil && !validID(id, maxProviderID) {
		return "", errors.New("the gateway answered no usable order id")
	}
	return id, err
}

// deleteLease deletes a leased purchase without an order, and returns the error why. It
// has its own time limit, because the time limit of ctx may have ended.
func (c checkout) deleteLease(ctx context.Context, claim Purchase, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseMargin)
	defer cancel()
	err := c.store.InTx(ctx, func(tx Tx) error {
		_, err := tx.DeletePurchaseClaim(ctx, claim.ID, claim.Holder)
		return err
	})
	switch {
	case err == nil:
		return why
	case errors.Is(why, errRetry): // a retry would find the purchase
		return fmt.Errorf("remove the claim: %w", err)
	default:
		return errors.Join(why, fmt.Errorf("remove the claim: %w", err))
	}
}

// replaceOrder marks a purchase with an old price as failed, unless its order was paid
// meanwhile. If the course is free now and the gateway fails, the user is enrolled
// without asking the gateway.
func (c checkout) replaceOrder(ctx context.Context, old Purchase) (Order, error) {
	payments, err := c.paymentsOf(ctx, old)
	if err != nil && c.price == 0 {
		c.log.WarnContext(ctx, "open order of a free course is given up without asking the gateway", "purchase", old.ID,
			"order", old.OrderID, "error", err)
		return c.enrollFree(ctx, old.ID)
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
	err = c.store.InTx(ctx, func(tx Tx) error {
		_, err := tx.FailPurchase(ctx, old.ID, c.now())
		return err
	})
	if err != nil {
		return Order{}, fmt.Errorf("give up an order at an old price: %w", err)
	}
	return Order{}, errRetry
}

// enrollFree completes a purchase of a free course without the gateway. If oldID is not
// empty, the same transaction marks that open purchase as failed. A later payment of
// it is completed by webhook, proof or [Platform.ReconcilePurchases], and logged as a
// double payment.
func (c checkout) enrollFree(ctx context.Context, oldID string) (Order, error) {
	free := c.purchase(PurchaseCompleted)
	free.CompletedAt = free.CreatedAt
	err := c.store.InTx(ctx, func(tx Tx) error {
		if oldID != "" {
			if _, err := tx.FailPurchase(ctx, oldID, free.CreatedAt); err != nil {
				return err
			}
		}
		if err := tx.InsertPurchase(ctx, free); err != nil {
			return err
		}
		return c.enroll(ctx, tx, free)
	})
	if errors.Is(err, ErrDuplicate) {
		return Order{}, ErrAlreadyEnrolled
	}
	if err != nil {
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

// wait sleeps for d/2 to 3d/2, or until ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	return backoff.Sleep(ctx, d/2+rand.N(d))
}
