package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
)

type refundRow struct {
	ID          string               `db:"id"`
	PurchaseID  string               `db:"purchase_id"`
	PaymentID   string               `db:"payment_id"`
	Provider    optionalKey          `db:"provider"` // of the purchase: see providerOf
	ProviderID  optionalKey          `db:"provider_id"`
	Amount      core.Money           `db:"amount"`
	Currency    string               `db:"currency"`
	Status      payment.RefundStatus `db:"status"`
	EndedAccess bool                 `db:"ended_access"`
	KeptAccess  bool                 `db:"kept_access"`
	CreatedBy   optionalKey          `db:"created_by"`
	CreatedAt   timestamp            `db:"created_at"`
	UpdatedAt   timestamp            `db:"updated_at"`
	Reason      string               `db:"reason"`
	ByLines     bool                 `db:"is_by_lines"`
	OfBundle    *string              `db:"bundle_title"` // of the purchase; nil for a course
}

const selectRefunds = `
	SELECT id, purchase_id, payment_id, provider_id, amount, currency, status, ended_access,
		kept_access, created_by, created_at, updated_at, reason, is_by_lines,
		(SELECT p.provider FROM {purchases} p WHERE p.id = purchase_id) AS provider,
		(SELECT q.bundle_title FROM {purchases} q WHERE q.id = purchase_id) AS bundle_title
	FROM {refunds}`

func (r reader) Refund(ctx context.Context, id string) (refund.Refund, error) {
	return r.refund(ctx, "read a refund", ` WHERE id = ?`, key(id))
}

// RefundByProviderID reads the refund that has an id at the payment gateway.
func (r reader) RefundByProviderID(
	ctx context.Context, providerID string,
) (refund.Refund, error) {
	return r.refund(ctx, "find a refund", ` WHERE provider_id = ?`, key(providerID))
}

// refund reads the refund that where selects.
func (r reader) refund(
	ctx context.Context, action, where string, args ...any,
) (refund.Refund, error) {
	var row refundRow
	if err := r.q.Get(ctx, action, &row, selectRefunds+where, args...); err != nil {
		return refund.Refund{}, err
	}
	list, err := r.withShares(ctx, []refundRow{row})
	return list[0], err
}

// PendingRefundsOf lists the pending refunds of a purchase, the oldest first.
func (r reader) PendingRefundsOf(
	ctx context.Context, purchaseID string,
) ([]refund.Refund, error) {
	return r.refunds(ctx, "list the pending refunds of a purchase",
		` WHERE purchase_id = ? AND status = 'pending' ORDER BY created_at, id`,
		key(purchaseID))
}

// PendingRefunds lists a page of the pending refunds that were created before a time, the oldest
// first.
func (r reader) PendingRefunds(
	ctx context.Context, before time.Time, page core.PageRequest,
) ([]refund.Refund, error) {
	var f filter
	f.add(`status = 'pending' AND created_at < ?`, timestamp(before))
	tail, limit := r.engine().addPage(&f,
		order{columns: []string{"created_at", "id"}, descending: false}, page)
	return r.refunds(ctx, "list the pending refunds", f.where()+tail, append(f.args, limit)...)
}

// RefundsWithReason lists the ids of the refunds of a user's purchases that have a reason.
func (r reader) RefundsWithReason(ctx context.Context, userID string) (ids []string, err error) {
	err = r.q.List(ctx, "list the refunds of a user that have a reason", &ids, `
		SELECT r.id FROM {purchases} p`+r.engine().ForceIndex("purchases_by_user")+
		` JOIN {refunds} r ON r.purchase_id = p.id
		WHERE p.user_id = ? AND r.reason <> ''`, key(userID))
	return ids, err
}

// refunds lists refunds. clauses follow the table.
func (r reader) refunds(
	ctx context.Context, action, clauses string, args ...any,
) ([]refund.Refund, error) {
	var rows []refundRow
	if err := r.q.List(ctx, action, &rows, selectRefunds+clauses, args...); err != nil {
		return nil, err
	}
	return r.withShares(ctx, rows)
}

// withShares returns the refunds of rows, with the shares of those of bundles.
func (r reader) withShares(ctx context.Context, rows []refundRow) ([]refund.Refund, error) {
	list := make([]refund.Refund, len(rows))
	var ofBundles []string
	for i := range rows {
		list[i] = rows[i].refund()
		if rows[i].OfBundle != nil {
			ofBundles = append(ofBundles, rows[i].ID)
		}
	}
	return list, r.addShares(ctx, list, ofBundles)
}

func (r *refundRow) refund() refund.Refund {
	return refund.Refund{
		ID:          r.ID,
		PurchaseID:  r.PurchaseID,
		PaymentID:   r.PaymentID,
		Provider:    providerOf(string(r.Provider), r.Amount),
		ProviderID:  string(r.ProviderID),
		Amount:      r.Amount,
		Currency:    r.Currency,
		Status:      r.Status,
		Reason:      r.Reason,
		CreatedBy:   string(r.CreatedBy),
		CreatedAt:   r.CreatedAt.Time(),
		UpdatedAt:   r.UpdatedAt.Time(),
		EndedAccess: r.EndedAccess,
		KeptAccess:  r.KeptAccess,
		ByLines:     r.ByLines,
	}
}

// InsertRefund returns ErrDuplicate if the purchase has a pending refund of this amount, or if the
// id at the payment gateway is known.
func (t *tx) InsertRefund(ctx context.Context, r refund.Refund) error {
	return t.Insert(ctx, "insert a refund", `
		INSERT INTO {refunds} (id, purchase_id, payment_id, provider_id, amount, pending_amount,
			currency, status, ended_access, kept_access, created_by, created_at, updated_at, reason,
			is_by_lines)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(r.ID), key(r.PurchaseID), key(r.PaymentID), optionalKey(r.ProviderID), r.Amount,
		pendingAmount(r), r.Currency, string(r.Status),
		r.EndedAccess, r.KeptAccess, optionalKey(r.CreatedBy), timestamp(r.CreatedAt),
		timestamp(r.UpdatedAt), r.Reason, r.ByLines)
}

// UpdateRefund changes nothing, and returns false, if the status or the amount is no longer that of
// before. It keeps the reason.
func (t *tx) UpdateRefund(ctx context.Context, before, after refund.Refund) (bool, error) {
	return t.Update(ctx, "update a refund", `
		UPDATE {refunds} SET status = ?, provider_id = ?, amount = ?, pending_amount = ?,
			updated_at = ?, ended_access = ?, kept_access = ?
		WHERE id = ? AND status = ? AND amount = ?`,
		string(after.Status), optionalKey(after.ProviderID), after.Amount, pendingAmount(after),
		timestamp(after.UpdatedAt), after.EndedAccess, after.KeptAccess,
		key(before.ID), string(before.Status), before.Amount)
}

// pendingAmount returns the value of the column pending_amount: the amount of a pending refund, and
// nil, which is NULL, for any other and for one of lines.
func pendingAmount(r refund.Refund) *core.Money {
	if r.Status == payment.RefundPending && !r.ByLines {
		return &r.Amount
	}
	return nil
}

// ForgetRefundReasons removes the reasons of the refunds with the ids, of which there must be one
// at least.
func (t *tx) ForgetRefundReasons(ctx context.Context, ids []string) error {
	_, err := t.Exec(ctx, "remove the reasons of refunds",
		`UPDATE {refunds} SET reason = '' WHERE id IN (`+placeholders(len(ids))+`)`, keys(ids)...)
	return err
}

// ClearRefundEndedAccess records that an enrolment is not ended any more by refunds of its
// purchase. It returns false if no refund had ended it.
func (t *tx) ClearRefundEndedAccess(ctx context.Context, purchaseID string) (bool, error) {
	return t.Update(ctx, "clear the end of an enrolment",
		`UPDATE {refunds} SET ended_access = 0 WHERE purchase_id = ? AND ended_access = 1`,
		key(purchaseID))
}

type refundKeyRow struct {
	PurchaseID     string          `db:"purchase_id"`
	Key            string          `db:"request_key"`
	BodyHash       string          `db:"body_hash"`
	RefundID       optionalKey     `db:"refund_id"`
	Outcome        refund.Outcome  `db:"outcome"`
	Status         purchase.Status `db:"status"`
	RefundedAmount core.Money      `db:"refunded_amount"`
	CreatedAt      timestamp       `db:"created_at"`
}

// RefundKey reads the key of a request for a refund of a purchase.
func (r reader) RefundKey(
	ctx context.Context, purchaseID, requestKey string,
) (refund.Key, error) {
	var row refundKeyRow
	err := r.q.Get(ctx, "read the key of a refund", &row, `
		SELECT purchase_id, request_key, body_hash, refund_id, outcome, status, refunded_amount,
			created_at
		FROM {refund_keys} WHERE purchase_id = ? AND request_key = ?`,
		key(purchaseID), key(requestKey))
	if err != nil {
		return refund.Key{}, err
	}
	return refund.Key{
		PurchaseID:     row.PurchaseID,
		Key:            row.Key,
		BodyHash:       row.BodyHash,
		RefundID:       string(row.RefundID),
		CreatedAt:      row.CreatedAt.Time(),
		Outcome:        row.Outcome,
		Status:         row.Status,
		RefundedAmount: row.RefundedAmount,
	}, nil
}

// InsertRefundKey returns ErrDuplicate if the purchase has the key.
func (t *tx) InsertRefundKey(ctx context.Context, k refund.Key) error {
	return t.Insert(ctx, "insert the key of a refund", `
		INSERT INTO {refund_keys} (purchase_id, request_key, body_hash, refund_id, outcome, status,
			refunded_amount, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		key(k.PurchaseID), key(k.Key), k.BodyHash, optionalKey(k.RefundID), string(k.Outcome),
		string(k.Status), k.RefundedAmount, timestamp(k.CreatedAt))
}

// AnswerRefundKey stores the answer to the request that has the key. It returns ErrNoRecord if the
// key is not stored.
func (t *tx) AnswerRefundKey(ctx context.Context, k refund.Key) error {
	return t.MustUpdate(ctx, "store the answer to the request of a refund", `
		UPDATE {refund_keys} SET outcome = ?, status = ?, refunded_amount = ?
		WHERE purchase_id = ? AND request_key = ?`,
		string(k.Outcome), string(k.Status), k.RefundedAmount, key(k.PurchaseID), key(k.Key))
}

// DeleteRefundKey is no error if the key is not stored.
func (t *tx) DeleteRefundKey(ctx context.Context, purchaseID, requestKey string) error {
	_, err := t.Exec(ctx, "delete the key of a refund",
		`DELETE FROM {refund_keys} WHERE purchase_id = ? AND request_key = ?`,
		key(purchaseID), key(requestKey))
	return err
}

// DeleteRefundKeys deletes the keys that were stored before a time.
func (t *tx) DeleteRefundKeys(ctx context.Context, before time.Time) error {
	_, err := t.Exec(ctx, "delete the keys of refunds",
		`DELETE FROM {refund_keys} WHERE created_at < ?`, timestamp(before))
	return err
}
