package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
)

type purchaseRow struct {
	ID          string                  `db:"id"`
	UserID      string                  `db:"user_id"`
	CourseID    string                  `db:"course_id"`
	Amount      learning.Money          `db:"amount"`
	Currency    string                  `db:"currency"`
	OrderID     optionalKey             `db:"order_id"`
	PaymentID   optionalKey             `db:"payment_id"`
	Status      learning.PurchaseStatus `db:"status"`
	CreatedAt   timestamp               `db:"created_at"`
	UpdatedAt   timestamp               `db:"updated_at"`
	CompletedAt timestamp               `db:"completed_at"`
	Refunded    learning.Money          `db:"refunded_amount"`
	Pending     learning.Money          `db:"pending_refunds"`
	CouponID    optionalKey             `db:"coupon_id"`
}

const selectPurchases = `
	SELECT id, user_id, course_id, amount, currency, order_id, payment_id, status,
		created_at, updated_at, completed_at, refunded_amount, pending_refunds, coupon_id
	FROM purchases`

// Purchase reads one purchase.
func (r reader) Purchase(ctx context.Context, id string) (learning.Purchase, error) {
	return r.purchase(ctx, "read a purchase", ` WHERE id = ?`, key(id))
}

// PurchasesByOrder lists the purchases that have an order of the gateway, the latest
// first.
func (r reader) PurchasesByOrder(ctx context.Context, orderID string) ([]learning.Purchase, error) {
	list, err := r.purchases(ctx, "list the purchases of an order", ` WHERE order_id = ?`, key(orderID))
	// Sorting in SQL would slow down every payment, and nearly always there is one purchase.
	slices.SortFunc(list, func(a, b learning.Purchase) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID, a.ID))
	})
	return list, err
}

// PurchasesByPayment lists the purchases that a payment has completed, the first completed
// one first.
func (r reader) PurchasesByPayment(ctx context.Context, paymentID string) ([]learning.Purchase, error) {
	list, err := r.purchases(ctx, "list the purchases of a payment", ` WHERE payment_id = ?`, key(paymentID))
	slices.SortFunc(list, func(a, b learning.Purchase) int { // as in PurchasesByOrder
		return cmp.Or(a.CompletedAt.Compare(b.CompletedAt), strings.Compare(a.ID, b.ID))
	})
	return list, err
}

// OpenPurchase reads the one open purchase (created or pending) of a user and a course.
func (r reader) OpenPurchase(ctx context.Context, userID, courseID string) (learning.Purchase, error) {
	return r.purchase(ctx, "read the open purchase", ` WHERE user_id = ? AND course_id = ? AND is_open = 1`, key(userID), key(courseID))
}

// RedeemingPurchase reads the purchase, open or completed, with which a user has redeemed a
// coupon.
func (r reader) RedeemingPurchase(ctx context.Context, userID, couponID string) (learning.Purchase, error) {
	return r.purchase(ctx, "read the purchase with a coupon", ` WHERE coupon_id = ? AND user_id = ? AND holds_coupon = 1`, key(couponID), key(userID))
}

func (r reader) purchase(ctx context.Context, action, where string, args ...any) (learning.Purchase, error) {
	var row purchaseRow
	if err := r.q.get(ctx, action, &row, selectPurchases+where, args...); err != nil {
		return learning.Purchase{}, err
	}
	return row.purchase(), nil
}

// UnpaidPurchases lists purchases that have an order, are pending or failed, and were
// created in [from, to), after the given one in the order of creation time and id, at
// most limit.
func (r reader) UnpaidPurchases(ctx context.Context, from, to time.Time, after learning.Purchase, limit int) ([]learning.Purchase, error) {
	// after must not be earlier than from, because its id would exclude purchases that were
	// created exactly at from.
	if after.CreatedAt.Before(from) {
		after = learning.Purchase{CreatedAt: from}
	}
	return r.purchases(ctx, "list unpaid purchases", `
		WHERE status IN ('pending', 'failed') AND order_id IS NOT NULL
			AND created_at >= ? AND created_at < ? AND (created_at > ? OR id > ?)
		ORDER BY created_at, id LIMIT ?`,
		timestamp(after.CreatedAt), timestamp(to), timestamp(after.CreatedAt), key(after.ID), limit)
}

// PaidPurchases lists purchases that a payment has completed, also refunded ones, and that
// were created before a time, after a position in the order of creation time and id, at most
// limit.
func (r reader) PaidPurchases(ctx context.Context, before time.Time, after learning.Position, limit int) ([]learning.Purchase, error) {
	return r.purchases(ctx, "list paid purchases", `
		WHERE status IN ('completed', 'refunded') AND payment_id IS NOT NULL
			AND created_at >= ? AND created_at < ? AND (created_at > ? OR id > ?)
		ORDER BY created_at, id LIMIT ?`,
		timestamp(after.At), timestamp(before), timestamp(after.At), key(after.ID), limit)
}

func (r reader) purchases(ctx context.Context, action, where string, args ...any) ([]learning.Purchase, error) {
	var rows []purchaseRow
	if err := r.q.list(ctx, action, &rows, selectPurchases+where, args...); err != nil {
		return nil, err
	}
	list := make([]learning.Purchase, len(rows))
	for i := range rows {
		list[i] = rows[i].purchase()
	}
	return list, nil
}

func (r *purchaseRow) purchase() learning.Purchase {
	return learning.Purchase{
		ID: r.ID, UserID: r.UserID, CourseID: r.CourseID, Amount: r.Amount, Currency: r.Currency,
		OrderID: string(r.OrderID), PaymentID: string(r.PaymentID), Status: r.Status,
		CreatedAt: r.CreatedAt.time(), UpdatedAt: r.UpdatedAt.time(), CompletedAt: r.CompletedAt.time(),
		RefundedAmount: r.Refunded, PendingRefunds: r.Pending,
		CouponID: string(r.CouponID),
	}
}

// InsertPurchase adds a purchase. It returns learning.ErrDuplicate if the user has an
// open one for the course already, if the payment has completed another purchase, or if
// the user has redeemed the coupon with another one. The columns is_open, is_first_use and
// holds_coupon ensure that: they are 1 or NULL, each in a unique key, which allows many
// NULLs and a single 1.
func (t *tx) InsertPurchase(ctx context.Context, p learning.Purchase) error {
	return t.insert(ctx, "insert a purchase", `
		INSERT INTO purchases (id, user_id, course_id, is_open, amount, currency, order_id, payment_id, is_first_use, status,
			created_at, updated_at, completed_at, refunded_amount, pending_refunds, coupon_id, holds_coupon)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(p.ID), key(p.UserID), key(p.CourseID), oneIf(p.Status.Open()), p.Amount, p.Currency,
		optionalKey(p.OrderID), optionalKey(p.PaymentID), oneIf(p.PaymentID != ""), string(p.Status),
		timestamp(p.CreatedAt), timestamp(p.UpdatedAt), optional(p.CompletedAt),
		p.RefundedAmount, p.PendingRefunds, optionalKey(p.CouponID), oneIf(p.CouponID != "" && (p.Status.Open() || p.Status == learning.PurchaseCompleted)))
}

// RepricePurchase sets the amount, currency and coupon of a created purchase with the
// coupon oldCouponID to those of p. It reports whether it did.
func (t *tx) RepricePurchase(ctx context.Context, p learning.Purchase, oldCouponID string) (bool, error) {
	return t.update(ctx, "set the price of a purchase", `
		UPDATE purchases SET amount = ?, currency = ?, coupon_id = ?, holds_coupon = ?, updated_at = ?
		WHERE id = ? AND status = 'created' AND COALESCE(coupon_id, '') = ?`,
		p.Amount, p.Currency, optionalKey(p.CouponID), oneIf(p.CouponID != ""), timestamp(p.UpdatedAt), key(p.ID), key(oldCouponID))
}

// SetPurchaseOrder moves a created purchase to pending. It reports whether it did.
func (t *tx) SetPurchaseOrder(ctx context.Context, id, orderID string, at time.Time) (bool, error) {
	return t.update(ctx, "store the order of a purchase", `
		UPDATE purchases SET status = 'pending', order_id = ?, updated_at = ? WHERE id = ? AND status = 'created'`,
		key(orderID), timestamp(at), key(id))
}

// DeleteCreatedPurchase deletes a purchase with a coupon, or without one for "", if it is
// created. It reports whether it did.
func (t *tx) DeleteCreatedPurchase(ctx context.Context, id, couponID string) (bool, error) {
	return t.update(ctx, "delete a created purchase", `
		DELETE FROM purchases WHERE id = ? AND status = 'created' AND COALESCE(coupon_id, '') = ?`, key(id), key(couponID))
}

// FailPurchase moves a pending purchase to failed. It reports whether it did.
func (t *tx) FailPurchase(ctx context.Context, id string, at time.Time) (bool, error) {
	return t.update(ctx, "fail a purchase", `
		UPDATE purchases SET status = 'failed', is_open = NULL, holds_coupon = NULL, updated_at = ? WHERE id = ? AND status = 'pending'`, timestamp(at), key(id))
}

// CompletePurchase moves a created, pending or failed purchase to completed, but not a refunded
// one. It reports whether it did. If firstUse is true, it returns learning.ErrDuplicate if the
// payment has completed another purchase.
func (t *tx) CompletePurchase(ctx context.Context, id, paymentID string, firstUse bool, at time.Time) (bool, error) {
	return t.update(ctx, "complete a purchase", `
		UPDATE purchases SET status = 'completed', is_open = NULL, payment_id = ?, is_first_use = ?, updated_at = ?, completed_at = ?
		WHERE id = ? AND status IN ('created', 'pending', 'failed')`, key(paymentID), oneIf(firstUse), timestamp(at), timestamp(at), key(id))
}

// RedeemAgain reports whether a purchase is failed and has a coupon. If exclusive is true,
// it returns learning.ErrDuplicate if the user has redeemed the coupon with another one.
func (t *tx) RedeemAgain(ctx context.Context, id string, exclusive bool) (bool, error) {
	return t.update(ctx, "redeem the coupon of a failed purchase", `
		UPDATE purchases SET holds_coupon = ? WHERE id = ? AND status = 'failed' AND coupon_id IS NOT NULL`, oneIf(exclusive), key(id))
}

// oneIf returns the value of a column that is 1 or NULL.
func oneIf(is bool) *int {
	if is {
		return new(1)
	}
	return nil
}
