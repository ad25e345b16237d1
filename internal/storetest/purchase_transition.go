package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// transition is one method that moves a purchase.
type transition struct {
	name string
	from map[learning.PurchaseStatus]bool
	move func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error)
	then func(p learning.Purchase) learning.Purchase
}

var later = noon.Add(time.Second)

// transitions are all of them. Of a claim, "holder" is the holder; nil instead of
// what comes of it says that the purchase is gone.
var transitions = []transition{
	{
		"take over", map[learning.PurchaseStatus]bool{learning.PurchaseCreated: true},
		func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error) {
			p.Holder, p.UpdatedAt, p.LeaseUntil = "new", noon.Add(time.Hour), noon.Add(2*time.Hour)
			return tx.TakeOverPurchase(ctx, p, "holder")
		},
		func(p learning.Purchase) learning.Purchase {
			p.Holder, p.UpdatedAt, p.LeaseUntil = "new", noon.Add(time.Hour), noon.Add(2*time.Hour)
			return p
		},
	},
	{
		"set order", map[learning.PurchaseStatus]bool{learning.PurchaseCreated: true},
		func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error) {
			return tx.SetPurchaseOrder(ctx, p.ID, "holder", "new-"+p.ID, later)
		},
		func(p learning.Purchase) learning.Purchase {
			p.Status, p.OrderID, p.Holder, p.LeaseUntil, p.UpdatedAt = learning.PurchasePending, "new-"+p.ID, "", time.Time{}, later
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
			p.Status, p.PaymentID, p.Holder, p.LeaseUntil = learning.PurchaseCompleted, "paid-"+p.ID, "", time.Time{}
			p.UpdatedAt, p.CompletedAt = later, later
			return p
		},
	},
	{
		"delete claim", map[learning.PurchaseStatus]bool{learning.PurchaseCreated: true},
		func(ctx context.Context, tx learning.Tx, p learning.Purchase) (bool, error) {
			return tx.DeletePurchaseClaim(ctx, p.ID, "holder")
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
