package learning_test

import (
	"context"
	"errors"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// pay pays an order at the sandbox, which sends no webhook of it.
func (w *fixture) pay(t *testing.T, orderID string) sandbox.Payment {
	t.Helper()
	p, err := w.Sandbox.Gateway().Pay(orderID, sandbox.WithoutWebhook())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// abandoned inserts a purchase whose lease belongs to a process that died during the call of
// the gateway.
func (w *fixture) abandoned(t *testing.T, ada learning.Actor, course string,
	amount learning.Money) learning.Purchase {
	t.Helper()
	now := w.Clock.Now()
	created := learning.Purchase{ID: "purchase-" + course, UserID: ada.UserID, CourseID: course,
		Amount: amount, Currency: "INR",
		Status: learning.PurchaseCreated, CreatedAt: now, UpdatedAt: now}
	err := w.Store.InTx(context.Background(), func(tx learning.Tx) error {
		return errors.Join(tx.InsertPurchase(context.Background(), created),
			tx.InsertLease(context.Background(),
				learning.Lease{Name: "order:" + created.ID, Holder: "died",
					ExpiresAt: now.Add(lease)}))
	})
	if err != nil {
		t.Fatal(err)
	}
	return created
}
