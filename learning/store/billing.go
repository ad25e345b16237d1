package store

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/papers"
)

type billingRow struct {
	Name    string `db:"name"`
	Address string `db:"address"`
	Country string `db:"country"`
	TaxID   string `db:"tax_id"`
}

// Billing reads the billing data of a user.
func (r reader) Billing(ctx context.Context, userID string) (papers.Billing, error) {
	var row billingRow
	err := r.q.Get(ctx, "read billing data", &row,
		`SELECT name, address, country, tax_id FROM {billing} WHERE user_id = ?`, key(userID))
	return papers.Billing(row), err
}

// ReplaceBilling stores the billing data of a user in place of those before.
func (t *tx) ReplaceBilling(
	ctx context.Context, userID string, b papers.Billing, at time.Time,
) error {
	_, err := t.Exec(ctx, "replace billing data", `
		INSERT INTO {billing} (user_id, name, country, tax_id, updated_at, address)
		VALUES (?, ?, ?, ?, ?, ?)`+t.Dialect().ReplaceRow([]string{"user_id"},
		[]string{"name", "country", "tax_id", "updated_at", "address"}),
		key(userID), b.Name, b.Country, b.TaxID, timestamp(at), b.Address)
	return err
}

// DeleteBilling is no error if the user has no billing data.
func (t *tx) DeleteBilling(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "delete billing data", `DELETE FROM {billing} WHERE user_id = ?`,
		key(userID))
	return err
}
