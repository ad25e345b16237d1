package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning"
)

type refundRow struct {
	ID          string                `db:"id"`
	PurchaseID  string                `db:"purchase_id"`
	PaymentID   string                `db:"payment_id"`
	ProviderID  optionalKey           `db:"provider_id"`
	Amount      learning.Money        `db:"amount"`
	Currency    string                `db:"currency"`
	Status      learning.RefundStatus `db:"status"`
	EndedAccess bool                  `db:"ended_access"`
	KeptAccess  bool                  `db:"kept_access"`
	CreatedBy   optionalKey           `db:"created_by"`
	CreatedAt   timestamp             `db:"created_at"`
	UpdatedAt   timestamp             `db:"updated_at"`
	Reason      string                `db:"reason"`
}

const selectRefunds = `
	SELECT id, purchase_id, payment_id, provider_id, amount, currency, status, ended_access, kept_access, created_by, created_at,
		updated_at, reason
	FROM refunds`

// Refund reads one refund.
func (r reader) Refund(ctx context.Context, id string) (learning.Refund, error) {
	return r.refund(ctx, "read a refund", ` WHERE id = ?`, key(id))
}

// RefundByProviderID reads the refund that has an id at the gateway.
func (r reader) RefundByProviderID(ctx context.Context, providerID string) (learning.Refund, error) {
	return r.refund(ctx, "find a refund", ` WHERE provider_id = ?`, key(providerID))
}

func (r reader) refund(ctx context.Context, action, where string, args ...any) (learning.Refund, error) {
	var row refundRow
	if err := r.q.get(ctx, action, &row, selectRefunds+where, args...); err != nil {
		return learning.Refund{}, err
	}
	return row.refund(), nil
}

// PendingRefundsOf lists the refunds of a purchase whose amount is reserved, the oldest
// first.
func (r reader) PendingRefundsOf(ctx context.Context, purchaseID string) ([]learning.Refund, error) {
	return r.refunds(ctx, "list the pending refunds of a purchase",
		` WHERE purchase_id = ? AND pending_amount IS NOT NULL ORDER BY created_at, id`, key(purchaseID))
}

// PendingRefunds lists a page of the refunds that are pending and were created before a
// time, the oldest first.
func (r reader) PendingRefunds(ctx context.Context, before time.Time, page learning.Page) ([]learning.Refund, error) {
	var f filter
	f.add(`status = 'pending' AND created_at < ?`, timestamp(before))
	tail, limit := r.q.engine().page(&f, order{columns: []string{"created_at", "id"}, descending: false}, page)
	return r.refunds(ctx, "list the pending refunds", f.where()+tail, append(f.args, limit)...)
}

// RefundsWithReason lists the ids of the refunds of a user's purchases that have a reason.
func (r reader) RefundsWithReason(ctx context.Context, userID string) (ids []string, err error) {
	err = r.q.list(ctx, "list the refunds of a user that have a reason", &ids, `
		SELECT r.id FROM purchases p`+r.q.engine().forceIndex("purchases_by_user")+` JOIN refunds r ON r.purchase_id = p.id
		WHERE p.user_id = ? AND r.reason <> ''`, key(userID))
	return ids, err
}

func (r reader) refunds(ctx context.Context, action, where string, args ...any) ([]learning.Refund, error) {
	var rows []refundRow
	if err := r.q.list(ctx, action, &rows, selectRefunds+where, args...); err != nil {
		return nil, err
	}
	list := make([]learning.Refund, len(rows))
	for i := range rows {
		list[i] = rows[i].refund()
	}
	return list, nil
}

func (r *refundRow) refund() learning.Refund {
	return learning.Refund{
		ID: r.ID, PurchaseID: r.PurchaseID, PaymentID: r.PaymentID, ProviderID: string(r.ProviderID), Amount: r.Amount, Currency: r.Currency,
		Status: r.Status, Reason: r.Reason, CreatedBy: string(r.CreatedBy), CreatedAt: r.CreatedAt.time(), UpdatedAt: r.UpdatedAt.time(),
		EndedAccess: r.EndedAccess, KeptAccess: r.KeptAccess,
	}
}

// InsertRefund adds a refund. It returns learning.ErrDuplicate if the purchase has a pending
// refund of this amount, or if the id at the gateway is known.
func (t *tx) InsertRefund(ctx context.Context, r learning.Refund) error {
	return t.insert(ctx, "insert a refund", `
		INSERT INTO refunds (id, purchase_id, payment_id, provider_id, amount, pending_amount, currency, status, ended_access,
			created_by, created_at, updated_at, reason)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(r.ID), key(r.PurchaseID), key(r.PaymentID), optionalKey(r.ProviderID), r.Amount, pendingAmount(r), r.Currency, string(r.Status),
		r.EndedAccess, optionalKey(r.CreatedBy), timestamp(r.CreatedAt), timestamp(r.UpdatedAt), r.Reason)
}

// UpdateRefund stores the status, the id at the gateway, the amount and the time of a
// refund that has the status and the amount of from. It reports whether it did, and returns
// learning.ErrDuplicate if another refund has the id at the gateway.
func (t *tx) UpdateRefund(ctx context.Context, r, from learning.Refund) (bool, error) {
	return t.update(ctx, "update a refund", `
		UPDATE refunds SET status = ?, provider_id = ?, amount = ?, pending_amount = ?, updated_at = ? WHERE id = ? AND status = ? AND amount = ?`,
		string(r.Status), optionalKey(r.ProviderID), r.Amount, pendingAmount(r), timestamp(r.UpdatedAt), key(r.ID), string(from.Status), from.Amount)
}

// pendingAmount returns the value of the column pending_amount, which is NULL unless the
// refund is pending.
func pendingAmount(r learning.Refund) *learning.Money {
	if r.Status == learning.RefundPending {
		return &r.Amount
	}
	return nil
}

// SetRefundEndedAccess records that an enrolment is ended because of a refund.
func (t *tx) SetRefundEndedAccess(ctx context.Context, id string) error {
	return t.mustUpdate(ctx, "record the end of an enrolment", `UPDATE refunds SET ended_access = 1 WHERE id = ?`, key(id))
}

// SetRefundKeptAccess records that an enrolment stays although this refund was the last one.
func (t *tx) SetRefundKeptAccess(ctx context.Context, id string) error {
	return t.mustUpdate(ctx, "record that an enrolment stays", `UPDATE refunds SET kept_access = 1 WHERE id = ?`, key(id))
}

// ForgetRefundReasons removes the reasons of refunds.
func (t *tx) ForgetRefundReasons(ctx context.Context, ids []string) error {
	_, err := t.exec(ctx, "remove the reasons of refunds", `UPDATE refunds SET reason = '' WHERE id IN (`+placeholders(len(ids))+`)`, keys(ids)...)
	return err
}

// ClearRefundEndedAccess removes the records that an enrolment is ended because of refunds
// of a purchase. It reports whether there was one.
func (t *tx) ClearRefundEndedAccess(ctx context.Context, purchaseID string) (bool, error) {
	return t.update(ctx, "clear the end of an enrolment", `UPDATE refunds SET ended_access = 0 WHERE purchase_id = ? AND ended_access = 1`, key(purchaseID))
}

// ReserveRefund adds an amount to the pending refunds of a completed purchase. It does not
// if less is left, and reports whether it did.
func (t *tx) ReserveRefund(ctx context.Context, purchaseID string, amount learning.Money, at time.Time) (bool, error) {
	return t.update(ctx, "reserve a refund", `
		UPDATE purchases SET pending_refunds = pending_refunds + ?, updated_at = ?
		WHERE id = ? AND status = 'completed' AND amount - refunded_amount - pending_refunds >= ?`, amount, timestamp(at), key(purchaseID), amount)
}

// CountRefund adds counted to what was refunded of a purchase, and removes released from
// its pending refunds. It reports whether it did: not for a purchase that is neither
// completed nor refunded, nor if less than nothing or more than the amount would be refunded.
// After a full refund the user may redeem the coupon of the purchase again. The status is set first, because MySQL computes each value with the new ones before it.
func (t *tx) CountRefund(ctx context.Context, purchaseID string, counted, released learning.Money, at time.Time) (bool, error) {
	return t.update(ctx, "count a refund", `
		UPDATE purchases SET status = CASE WHEN refunded_amount + ? = amount THEN 'refunded' ELSE 'completed' END,
			holds_coupon = CASE WHEN refunded_amount + ? = amount THEN NULL ELSE holds_coupon END,
			refunded_amount = refunded_amount + ?, pending_refunds = pending_refunds - ?, updated_at = ?
		WHERE id = ? AND status IN ('completed', 'refunded') AND amount > 0 AND refunded_amount + ? BETWEEN 0 AND amount AND pending_refunds >= ?`,
		counted, counted, counted, released, timestamp(at), key(purchaseID), counted, released)
}
