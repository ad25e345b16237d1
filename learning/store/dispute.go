package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/refund"
)

type disputeRow struct {
	ID          string                `db:"id"`
	PurchaseID  string                `db:"purchase_id"`
	ProviderID  string                `db:"provider_id"`
	Amount      core.Money            `db:"amount"`
	Currency    string                `db:"currency"`
	Reason      string                `db:"reason"`
	Status      payment.DisputeStatus `db:"status"`
	EndedAccess bool                  `db:"ended_access"`
	CreatedAt   timestamp             `db:"created_at"`
	UpdatedAt   timestamp             `db:"updated_at"`
}

// DisputesOf lists the disputes of a purchase, the oldest first.
func (r reader) DisputesOf(ctx context.Context, purchaseID string) ([]refund.Dispute, error) {
	var rows []disputeRow
	err := r.q.List(ctx, "list the disputes of a purchase", &rows, `
		SELECT id, purchase_id, provider_id, amount, currency, reason, status, ended_access,
			created_at, updated_at
		FROM {disputes} WHERE purchase_id = ? ORDER BY created_at, id`, key(purchaseID))
	list := make([]refund.Dispute, len(rows))
	for i, row := range rows {
		list[i] = refund.Dispute{
			ID:          row.ID,
			PurchaseID:  row.PurchaseID,
			ProviderID:  row.ProviderID,
			Amount:      row.Amount,
			Currency:    row.Currency,
			Reason:      row.Reason,
			Status:      row.Status,
			EndedAccess: row.EndedAccess,
			CreatedAt:   row.CreatedAt.Time(),
			UpdatedAt:   row.UpdatedAt.Time(),
		}
	}
	return list, err
}

// InsertDispute returns ErrDuplicate if the purchase has a dispute with the id at the provider.
func (t *tx) InsertDispute(ctx context.Context, d refund.Dispute) error {
	return t.Insert(ctx, "insert a dispute", `
		INSERT INTO {disputes} (id, purchase_id, provider_id, amount, currency, reason, status,
			ended_access, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(d.ID), key(d.PurchaseID), key(d.ProviderID), d.Amount, d.Currency, d.Reason,
		string(d.Status), d.EndedAccess, timestamp(d.CreatedAt), timestamp(d.UpdatedAt))
}

// UpdateDispute keeps the purchase, the id at the provider and the time of creation.
func (t *tx) UpdateDispute(ctx context.Context, d refund.Dispute) error {
	_, err := t.Exec(ctx, "update a dispute", `
		UPDATE {disputes} SET amount = ?, reason = ?, status = ?, ended_access = ?, updated_at = ?
		WHERE id = ?`,
		d.Amount, d.Reason, string(d.Status), d.EndedAccess, timestamp(d.UpdatedAt), key(d.ID))
	return err
}
