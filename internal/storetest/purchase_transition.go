package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// transition is one method that changes the state of a purchase.
type transition struct {
	name string
	from map[learning.PurchaseStatus]bool
	move func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error)
	then func(p learning.Purchase) learning.Purchase
}

var later = noon.Add(time.Second)

// transitions are all of them. If then is nil, the purchase is deleted.
var transitions = []transition{
	{
		"reprice", map[learning.PurchaseStatus]bool{learning.PurchaseCreated: true},
		func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error) {
			p.Amount, p.Currency, p.UpdatedAt = 99_00, "EUR", later
			return tx.RepricePurchase(ctx, p, "")
		},
		func(p learning.Purchase) learning.Purchase {
			p.Amount, p.Currency, p.UpdatedAt = 99_00, "EUR", later
			return p
		},
	},
	{
		"set order", map[learning.PurchaseStatus]bool{learning.PurchaseCreated: true},
		func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error) {
			return tx.SetPurchaseOrder(ctx, p.ID, "new-"+p.ID, later)
		},
		func(p learning.Purchase) learning.Purchase {
			p.Status, p.OrderID, p.UpdatedAt = learning.PurchasePending, "new-"+p.ID, later
			return p
		},
	},
	{
		"fail", map[learning.PurchaseStatus]bool{learning.PurchasePending: true},
		func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error) {
			return tx.FailPurchase(ctx, p.ID, later)
		},
		func(p learning.Purchase) learning.Purchase {
			p.Status, p.UpdatedAt = learning.PurchaseFailed, later
			return p
		},
	},
	{
		"complete", map[learning.PurchaseStatus]bool{learning.PurchaseCreated: true, learning.PurchasePending: true, learning.PurchaseFailed: true},
		func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error) {
			return tx.CompletePurchase(ctx, p.ID, "paid-"+p.ID, true, later)
		},
		func(p learning.Purchase) learning.Purchase {
			p.Status, p.PaymentID = learning.PurchaseCompleted, "paid-"+p.ID
			p.UpdatedAt, p.CompletedAt = later, later
			return p
		},
	},
	{
		"delete", map[learning.PurchaseStatus]bool{learning.PurchaseCreated: true},
		func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error) {
			return tx.DeleteCreatedPurchase(ctx, p.ID, "")
		},
		nil,
	},
}

func purchaseTransitions(t *testing.T, f *fixture) {
	for _, tr := range transitions {
		for _, status := range statuses {
			t.Run(tr.name+" from "+string(status), func(t *testing.T) {
				p := purchase(tr.name+string(status), status)
				p.CourseID = p.ID
				f := &fixture{Store: f.Store, t: t}
				f.add(p)
				f.moves(tr.from[status], func(ctx context.Context, tx learning.Tx) (bool, error) { return tr.move(ctx, tx, p) })
				got, err := f.Purchase(t.Context(), p.ID)
				switch {
				case !tr.from[status]:
					equal(t, got, err, p)
				case tr.then == nil:
					missing(t, got, err)
				default:
					equal(t, got, err, tr.then(p))
				}
			})
		}
		t.Run(tr.name+" of nothing", func(t *testing.T) {
			f := &fixture{Store: f.Store, t: t}
			f.moves(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tr.move(ctx, tx, learning.Purchase{ID: "nothing"})
			})
		})
	}
}
