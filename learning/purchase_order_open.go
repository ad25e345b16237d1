package learning

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/lease"
)

// leasedPurchase is a created purchase with the lease to open its order.
type leasedPurchase struct {
	Purchase
	lease Lease
}

// withLease returns p with a new lease, which covers one call to the gateway.
func (c checkout) withLease(p Purchase) leasedPurchase {
	return leasedPurchase{p, c.newLease("order:"+p.ID, c.timeout)}
}

// openFirst inserts a purchase with its lease, and then opens its order.
func (c checkout) openFirst(ctx context.Context) (Order, error) {
	if c.gateway == nil {
		return Order{}, ErrGatewayNotConfigured
	}
	mine := c.withLease(c.purchase(PurchaseCreated))
	err := c.store.InTx(ctx, func(tx Tx) error {
		if err := tx.InsertPurchase(ctx, mine.Purchase); err != nil {
			return err
		}
		if err := tx.InsertLease(ctx, mine.lease); err != nil {
			return err
		}
		// Read again after the INSERT: if the previous purchase was completed meanwhile,
		// it did not prevent the INSERT.
		if err := c.notEnrolled(ctx, tx); err != nil {
			return err
		}
		if err := c.redeem(ctx, tx); err != nil {
			return err
		}
		// The lock keeps a concurrent deletion from missing the purchase. It comes last, so
		// that purchases of one course wait for each other as little as possible.
		return lockCourse(ctx, tx, c.course.ID)
	})
	switch {
	case errors.Is(err, ErrDuplicate):
		return Order{}, errRetry
	case isPublic(err):
		return Order{}, err
	case err != nil: // an unanswered COMMIT may have stored it
		return Order{}, c.abandon(ctx, mine, fmt.Errorf("store a purchase: %w", err))
	}
	return c.open(ctx, mine)
}

// takeOver opens the order of a purchase whose lease has expired. If the lease has not,
// it returns errRetry.
func (c checkout) takeOver(ctx context.Context, old Purchase) (Order, error) {
	mine := c.withLease(old)
	held, err := c.store.Lease(ctx, mine.lease.Name)
	switch {
	case err != nil:
		return Order{}, fmt.Errorf("read the lease of a purchase: %w", err)
	case !held.Expired(c.now()):
		return Order{}, errRetry
	case c.price == 0: // a free course needs no order
		return Order{}, c.deleteAbandoned(ctx, mine)
	case c.gateway == nil:
		return Order{}, ErrGatewayNotConfigured
	}
	mine.Amount, mine.Currency, mine.UpdatedAt, mine.CouponID = c.price, c.currency, c.now(), c.coupon.ID
	err = c.acquire(ctx, mine, func(tx Tx) (bool, error) { return c.reprice(ctx, tx, mine.Purchase, old.CouponID) })
	switch {
	case errors.Is(err, errRetry), errors.Is(err, ErrCouponUnusable):
		return Order{}, err
	case err != nil:
		return Order{}, c.abandon(ctx, mine, fmt.Errorf("take over a purchase: %w", err))
	}
	return c.open(ctx, mine)
}

// reprice gives a created purchase the current price and coupon. It takes a redemption
// only if the coupon is another one.
func (c checkout) reprice(ctx context.Context, tx Tx, mine Purchase, oldCouponID string) (changed bool, err error) {
	changed, err = tx.RepricePurchase(ctx, mine, oldCouponID)
	if err != nil || !changed || mine.CouponID == oldCouponID {
		return changed, err
	}
	if err := giveCouponBack(ctx, tx, oldCouponID); err != nil {
		return false, err
	}
	return true, c.redeem(ctx, tx)
}

// acquire takes the lease of a created purchase, and changes the purchase in the same
// transaction. It returns errRetry if another call holds the lease, or if the purchase
// has an order.
func (c checkout) acquire(ctx context.Context, mine leasedPurchase, change func(tx Tx) (bool, error)) error {
	err := c.inTxRetry(ctx, func(tx Tx) error {
		if err := lease.Acquire(ctx, tx, mine.lease, c.now()); err != nil {
			return err
		}
		changed, err := change(tx)
		if err == nil && !changed {
			err = errRetry
		}
		return err
	})
	if errors.Is(err, lease.ErrHeld) || errors.Is(err, ErrDuplicate) {
		return errRetry
	}
	return err
}

// deleteAbandoned deletes a purchase whose lease has expired. It returns errRetry if it
// did, because the next step enrols the user.
func (c checkout) deleteAbandoned(ctx context.Context, mine leasedPurchase) error {
	err := c.acquire(ctx, mine, func(tx Tx) (bool, error) {
		if err := lease.Release(ctx, tx, mine.lease); err != nil {
			return false, err
		}
		return deleteCreated(ctx, tx, mine.Purchase)
	})
	if err != nil && !errors.Is(err, errRetry) {
		return fmt.Errorf("delete an abandoned purchase: %w", err)
	}
	return errRetry
}

// open creates the order of a leased purchase at the gateway and stores it. It
// continues if the caller cancels the request, so that the next call finds the order.
func (c checkout) open(ctx context.Context, mine leasedPurchase) (Order, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout+lease.Margin)
	defer cancel()
	orderID, err := c.createOrder(ctx, mine.Purchase)
	if err != nil {
		return Order{}, c.abandon(ctx, mine, fmt.Errorf("open an order at the gateway: %w", err))
	}
	stored := false
	err = c.store.InTx(ctx, func(tx Tx) (err error) {
		if err := lease.Release(ctx, tx, mine.lease); err != nil {
			return err
		}
		stored, err = tx.SetPurchaseOrder(ctx, mine.ID, orderID, c.now())
		return err
	})
	switch {
	case errors.Is(err, lease.ErrLost), err == nil && !stored: // another call opens an order, or the purchase is paid
		return Order{}, errRetry
	case err != nil:
		return Order{}, c.abandon(ctx, mine, fmt.Errorf("store the order %s of the purchase %s: %w", orderID, mine.ID, err))
	}
	mine.OrderID = orderID
	return c.answer(mine.Purchase)
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

// abandon deletes a leased purchase and its lease, and returns the error why. It has its
// own time limit, because the time limit of ctx may have ended.
func (c checkout) abandon(ctx context.Context, mine leasedPurchase, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Margin)
	defer cancel()
	err := c.store.InTx(ctx, func(tx Tx) error {
		if err := lease.Release(ctx, tx, mine.lease); err != nil {
			return err
		}
		_, err := deleteCreated(ctx, tx, mine.Purchase)
		return err
	})
	if err == nil || errors.Is(err, lease.ErrLost) {
		return why
	}
	return errors.Join(why, fmt.Errorf("delete the purchase: %w", err))
}

// deleteCreated deletes a created purchase, and gives its coupon back. It reports whether
// it did.
func deleteCreated(ctx context.Context, tx Tx, p Purchase) (bool, error) {
	deleted, err := tx.DeleteCreatedPurchase(ctx, p.ID, p.CouponID)
	if err != nil || !deleted {
		return false, err
	}
	return true, giveCouponBack(ctx, tx, p.CouponID)
}
