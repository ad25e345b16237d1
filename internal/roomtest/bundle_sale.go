package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
)

// BundleOf adds a published bundle of courses.
func (w *World) BundleOf(t *testing.T, price core.Money, courseIDs ...string) bundle.Bundle {
	t.Helper()
	return w.Bundle(t, bundle.NewBundle{CourseIDs: courseIDs, Price: price, Published: true})
}

// OrderBundle opens an order for a bundle.
func (w *World) OrderBundle(t *testing.T, actor core.Actor, bundleID string) sale.Order {
	t.Helper()
	o, err := w.Platform.Sales.OpenOrder(ctx(), actor, sale.OrderRequest{BundleID: bundleID})
	Must(t, err)
	return o
}

// PaysOrder pays an order, and returns its purchase.
func (w *World) PaysOrder(t *testing.T, o sale.Order) purchase.Purchase {
	t.Helper()
	Must(t, w.Report(w.Pay(t, o.OrderID)))
	return w.Purchase(t, o.PurchaseID)
}

// RefundLines refunds what is left of some courses of a purchase.
func (w *World) RefundLines(boss core.Actor, purchaseID string, courseIDs ...string) error {
	_, err := w.Platform.Refunds.Refund(ctx(), boss,
		refund.Request{PurchaseID: purchaseID, CourseIDs: courseIDs})
	return err
}

// WantLines checks what the lines of a purchase have paid and refunded, in their order.
func (w *World) WantLines(t *testing.T, purchaseID string, want ...[2]core.Money) {
	t.Helper()
	p := w.Purchase(t, purchaseID)
	if len(p.Lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(p.Lines), len(want))
	}
	for i, l := range p.Lines {
		if got := [2]core.Money{l.Amount, l.RefundedAmount}; got != want[i] {
			t.Errorf("line %d has paid and refunded %v, want %v", i+1, got, want[i])
		}
	}
}
