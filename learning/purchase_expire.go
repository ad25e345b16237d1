package learning

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// couponOrderTime is how long an open purchase holds a redemption without being looked up at the
// gateway.
const couponOrderTime = 24 * time.Hour

// expireCouponOrders looks up the purchases that have held a redemption for a day, so that users who
// never pay do not use up a coupon. If one fails, it continues with the others and returns all their
// errors. err is the error of reading the list.
func (p *Platform) expireCouponOrders(ctx context.Context, found *Reconciliation) (failed []error, err error) {
	before, page := p.now().Add(-couponOrderTime), Page{Limit: reconcilePage}
	for {
		list, err := p.store.OpenPurchasesWithCoupon(ctx, before, page)
		if err != nil {
			return failed, fmt.Errorf("list the open purchases with a coupon: %w", err)
		}
		for _, purchase := range list {
			expired, err := p.expireCouponOrder(ctx, purchase)
			if err != nil {
				failed = append(failed, fmt.Errorf("purchase %s: %w", purchase.ID, err))
			}
			if expired {
				found.Expired++
			}
		}
		if len(list) < reconcilePage || ctx.Err() != nil {
			return failed, ctx.Err()
		}
		last := list[len(list)-1]
		page.After = Position{At: last.CreatedAt, ID: last.ID}
	}
}

// expireCouponOrder releases the redemption of an open purchase, unless it is or may be paid. It
// reports whether it did.
//
//	order   payments                   result
//	none    none                       deleted, unless a call is opening the order
//	some    one was captured           completed
//	some    one may still be captured  nothing
//	some    any other                  failed; a late payment is completed or returned
func (p *Platform) expireCouponOrder(ctx context.Context, purchase Purchase) (expired bool, err error) {
	if purchase.OrderID == "" {
		return p.deleteUnopened(ctx, purchase)
	}
	payments, err := p.paymentsOf(ctx, purchase)
	if err != nil {
		return false, err
	}
	paid, err := p.completePaid(ctx, purchase, payments)
	if err != nil || paid || slices.ContainsFunc(payments, func(o Payment) bool { return o.Pending }) {
		return false, err
	}
	if err := p.failPurchase(ctx, purchase); err != nil {
		return false, fmt.Errorf("give up an order that was not paid in time: %w", err)
	}
	return true, nil
}

// deleteUnopened deletes a purchase without an order whose lease has expired. It reports whether it
// did.
func (p *Platform) deleteUnopened(ctx context.Context, purchase Purchase) (deleted bool, err error) {
	err = p.store.InTx(ctx, func(tx Tx) error {
		if err := lockUser(ctx, tx, purchase.UserID); err != nil {
			return err
		}
		l, err := tx.Lease(ctx, orderLease(purchase.ID))
		if deleted = err == nil && l.Expired(p.now()); !deleted {
			return err
		}
		return deletePurchase(ctx, tx, purchase, l)
	})
	return deleted && err == nil, wrap("delete a purchase without an order", err)
}
