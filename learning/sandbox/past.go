package sandbox

import (
	"cmp"
	"encoding/json"
	"slices"
)

// PastPayment is a payment that was captured before the sandbox was started, with its order.
// Amounts are in the currency's smallest unit.
type PastPayment struct {
	ID, OrderID string
	PurchaseID  string // receipt and note of the order
	Amount      int64
	Currency    string
	CreatedAt   int64  // Unix seconds
	RefundID    string // of the refund of the whole amount; empty without a refund
}

// AddPast adds payments with the ids that a merchant has stored, so that they can be refunded, and
// sends no webhooks. It leaves out those that it has.
func (g *Gateway) AddPast(payments []PastPayment) error {
	return g.state.change(func(r *records) error {
		for _, p := range payments {
			if r.payments[p.ID] != nil {
				continue
			}
			if err := r.addPast(p); err != nil {
				return err
			}
		}
		// Orders are listed from the oldest to the newest.
		slices.SortStableFunc(r.Orders,
			func(a, b *Order) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
		return nil
	})
}

// addPast stores a payment with its order, and with the refund of all of it if it has one.
func (r *records) addPast(past PastPayment) error {
	notes := Notes{"purchaseId": past.PurchaseID}
	encoded, err := json.Marshal(notes)
	if err != nil { // a precaution: a map of strings can be encoded
		return err
	}
	// Add the order with its payment.
	o := &Order{ID: past.OrderID, Entity: "order", Amount: past.Amount, Currency: past.Currency,
		Receipt: past.PurchaseID, Attempts: 1,
		Notes: notes, CreatedAt: past.CreatedAt}
	p := &Payment{ID: past.ID, Entity: "payment", Amount: past.Amount, Currency: past.Currency,
		Status: PaymentCaptured, OrderID: o.ID,
		Method: "card", Notes: encoded, Captured: true, CreatedAt: past.CreatedAt}
	o.count(p)
	r.orders[o.ID], r.Orders = o, append(r.Orders, o)
	r.payments[p.ID], r.Payments = p, append(r.Payments, p)
	r.ofOrder[o.ID] = append(r.ofOrder[o.ID], p)
	if past.RefundID == "" {
		return nil
	}
	// Add the refund of all of it.
	one := &Refund{ID: past.RefundID, Entity: "refund", Amount: p.Amount, Currency: p.Currency,
		PaymentID: p.ID, Status: refundDone, CreatedAt: past.CreatedAt}
	p.countRefund(one.Amount)
	r.refunds[one.ID], r.Refunds = one, append(r.Refunds, one)
	return nil
}
