package refund_test

import (
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
)

// invoice is a sale of a course to a user of today.
func invoice(w *roomtest.World, userID, courseID string, amount core.Money) sale.SaleElsewhere {
	return sale.SaleElsewhere{UserID: userID, CourseID: courseID, Amount: amount, Currency: "INR",
		Reference: "2026-1", Source: "invoice", SoldAt: w.Clock.Now().Add(-time.Hour)}
}

func TestRefund_ByHand(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Person(t, "ada", core.Student)
		w.Course(t, "go", 449_10)
		boss := w.Person(t, "boss", core.Admin)
		bare, err := learning.New(w.Store, learning.WithClock(w.Clock)) // without a gateway
		roomtest.Must(t, err)
		sold, err := bare.Sales.RecordSale(ctx(), boss, invoice(w, "ada", "go", 100_00))
		roomtest.Must(t, err)

		part := core.Money(40_00)
		p, err := bare.Refunds.Refund(ctx(), boss,
			refund.Request{PurchaseID: sold.ID, Amount: &part, Key: "part"})
		if err != nil || p.RefundedAmount != part || p.Status != purchase.Completed {
			t.Errorf("a part: %+v, %v", p, err)
		}
		for range 2 { // the key answers the second one
			p, err = bare.Refunds.Refund(ctx(), boss,
				refund.Request{PurchaseID: sold.ID, Key: "rest"})
			if err != nil || p.RefundedAmount != 100_00 || p.Status != purchase.Refunded {
				t.Errorf("the rest: %+v, %v", p, err)
			}
		}
		w.WantSold(t, "go", 0, 0, 0)
		w.WantValidSales(t)
		w.WantRightTotals(t)
		if _, err := bare.Refunds.Refund(ctx(), boss,
			refund.Request{PurchaseID: "unknown"}); !errors.Is(err,
			payment.ErrNotConfigured) {
			t.Errorf("an unknown one without a gateway: %v", err)
		}
	})
}

// A process may end after it has reserved a refund and before it has marked it.
func TestReconcile_FinishesRefundsByHand(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Person(t, "ada", core.Student)
	w.Course(t, "go", 449_10)
	sold, err := w.Platform.System().RecordSale(ctx(), invoice(w, "ada", "go", 100_00))
	roomtest.Must(t, err)
	w.Exec(t, `UPDATE purchases SET pending_refunds = 10000 WHERE id = ?`, sold.ID)
	w.Exec(t, `INSERT INTO refunds (id, purchase_id, payment_id, amount, pending_amount, currency,
			status, ended_access, created_at, updated_at, reason)
		VALUES ('refund', ?, '', 10000, 10000, 'INR', 'pending', 0, '2026-01-01', '2026-01-01',
			'')`, sold.ID)
	_, err = w.Platform.System().ReconcilePurchases(ctx())
	roomtest.Must(t, err)
	w.WantSold(t, "go", 0, 0, 0)
	w.WantValidSales(t)
}
