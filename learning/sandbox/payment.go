package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// Statuses of a payment.
const (
	paymentAuthorized = "authorized"
	PaymentCaptured   = "captured"
	PaymentFailed     = "failed"
	PaymentRefunded   = "refunded"
)

// Errors of payments, all of type *APIError.
var (
	ErrUnknownPayment = badRequest("payment_id", "The payment does not exist")
	ErrNotAuthorized  = badRequest("payment_id", "Only an authorized payment can be captured")
	ErrNotCaptured    = badRequest("payment_id", "Only a captured payment can be refunded")
)

// Payment is one attempt to pay an order. Amounts are in the currency's smallest unit.
type Payment struct {
	ID             string          `json:"id"`
	Entity         string          `json:"entity"` // "payment"
	Amount         int64           `json:"amount"`
	Currency       string          `json:"currency"`
	Status         string          `json:"status"`
	OrderID        string          `json:"order_id"`
	Method         string          `json:"method"`
	Notes          json.RawMessage `json:"notes"` // those of the order, or those of WithNotes
	AmountRefunded int64           `json:"amount_refunded"`
	RefundStatus   *string         `json:"refund_status"` // null, "partial" or "full"
	Captured       bool            `json:"captured"`      // stays true after a refund
	CreatedAt      int64           `json:"created_at"`    // Unix seconds
}

// clone returns a copy for a caller. The copies share RefundStatus, which is replaced and never
// written through.
func (p *Payment) clone() Payment {
	c := *p
	c.Notes = slices.Clone(p.Notes)
	return c
}

// PayOption changes a payment from what a normal checkout creates.
type PayOption func(*attempt)

type attempt struct {
	status       string
	amount       int64 // 0 for that of the order
	notes        any   // nil for those of the order
	again, quiet bool  // of the options Again and WithoutWebhook
}

// WithoutWebhook sends no webhook, as if it were lost.
func WithoutWebhook() PayOption { return func(a *attempt) { a.quiet = true } }

// WithAmount sets an amount that differs from the order's, in the smallest unit.
func WithAmount(amount int64) PayOption { return func(a *attempt) { a.amount = amount } }

// WithNotes sets the notes of the payment, as a browser can, to any value that can be encoded as
// JSON.
func WithNotes(notes any) PayOption { return func(a *attempt) { a.notes = notes } }

// Again allows a further payment of a paid order, which happens at real gateways if a bank answers
// late.
func Again() PayOption { return func(a *attempt) { a.again = true } }

// Pay creates a captured payment of the order and sends payment.captured. Errors: ErrUnknownOrder,
// ErrOrderPaid.
func (g *Gateway) Pay(orderID string, opts ...PayOption) (Payment, error) {
	return g.attempt(orderID, PaymentCaptured, opts)
}

// Fail creates a failed payment of the order and sends payment.failed. Errors: ErrUnknownOrder,
// ErrOrderPaid.
func (g *Gateway) Fail(orderID string, opts ...PayOption) (Payment, error) {
	return g.attempt(orderID, PaymentFailed, opts)
}

// Authorize creates a payment of the order that is not captured, and sends payment.authorized. See
// [Gateway.Capture]. Errors: ErrUnknownOrder, ErrOrderPaid.
func (g *Gateway) Authorize(orderID string, opts ...PayOption) (Payment, error) {
	return g.attempt(orderID, paymentAuthorized, opts)
}

// Capture captures an authorized payment and sends payment.captured. Errors: ErrUnknownPayment,
// ErrNotAuthorized.
func (g *Gateway) Capture(paymentID string) (Payment, error) {
	return g.changePayment(paymentID, PaymentCapturedEvent, func(r *records, p *Payment) error {
		if p.Status != paymentAuthorized {
			return ErrNotAuthorized
		}
		p.Status, p.Captured = PaymentCaptured, true
		r.orders[p.OrderID].count(p)
		return nil
	})
}

// changePayment changes a payment and sends an event about it. If change returns an error, it must
// have changed nothing. If the state file cannot be written, the payment is changed in memory, and
// no event is sent.
func (g *Gateway) changePayment(id, event string,
	change func(*records, *Payment) error) (Payment, error) {
	var out Payment
	err := g.state.change(func(r *records) error {
		p := r.payments[id]
		if p == nil {
			return ErrUnknownPayment
		}
		if err := change(r, p); err != nil {
			return err
		}
		out = p.clone()
		return nil
	})
	// The change is stored: send its event.
	if err == nil {
		err = g.sendEvent(event, out)
	}
	return out, err
}

// Payments returns the payments of an order, oldest first, or ErrUnknownOrder.
func (g *Gateway) Payments(orderID string) ([]Payment, error) {
	out := []Payment{}
	var err error
	g.state.read(func(r *records) {
		if r.orders[orderID] == nil {
			err = ErrUnknownOrder
		}
		for _, p := range r.ofOrder[orderID] {
			out = append(out, p.clone())
		}
	})
	return out, err
}

// attempt creates a payment of an order with a status, and sends the event of that status.
func (g *Gateway) attempt(orderID, status string, opts []PayOption) (Payment, error) {
	a := attempt{status: status}
	for _, opt := range opts {
		opt(&a)
	}
	var out Payment
	err := g.state.change(func(r *records) error {
		o := r.orders[orderID]
		if o == nil {
			return ErrUnknownOrder
		}
		// An order is paid once, unless a test asks for a second payment.
		if o.Status == OrderPaid && !a.again {
			return ErrOrderPaid
		}
		p, err := r.payment(o, a, g.now().Unix())
		if err != nil {
			return err
		}
		o.count(p)
		out = p.clone()
		return nil
	})
	// Report the payment, unless the test wants the webhook to be missing.
	if err != nil || a.quiet {
		return out, err
	}
	return out, g.sendEvent("payment."+status, out) // the events are named after the statuses
}

// payment stores the payment of an attempt to pay o, and counts the attempt. now is in Unix
// seconds. The caller must call o.count afterwards. With an error, payment has stored nothing.
func (r *records) payment(o *Order, a attempt, now int64) (*Payment, error) {
	// The notes are those of the order, unless a test replaces them.
	notes, err := json.Marshal(o.Notes)
	if a.notes != nil {
		notes, err = json.Marshal(a.notes)
	}
	if err != nil {
		return nil, fmt.Errorf("encode notes of the payment: %w", err)
	}
	p := &Payment{ID: newID("pay_"), Entity: "payment", Amount: o.Amount, Currency: o.Currency,
		Status:  a.status,
		OrderID: o.ID, Method: "card", Notes: notes, Captured: a.status == PaymentCaptured,
		CreatedAt: now}
	if a.amount != 0 {
		p.Amount = a.amount
	}
	// Store it with the order.
	r.payments[p.ID], r.Payments = p, append(r.Payments, p)
	r.ofOrder[o.ID] = append(r.ofOrder[o.ID], p)
	o.Attempts++
	return p, nil
}

// count updates the amounts and the status of the order after a payment. A payment that is not
// captured changes only the status, and not that of a paid order.
func (o *Order) count(p *Payment) {
	if p.Captured {
		o.Status = OrderPaid
		o.AmountPaid += p.Amount
		// A test can pay more than the amount, with WithAmount or Again.
		o.AmountDue = max(0, o.Amount-o.AmountPaid)
	} else if o.Status != OrderPaid {
		o.Status = OrderAttempted
	}
}

// servePayments answers the payments of an order, oldest first.
func (g *Gateway) servePayments(w http.ResponseWriter, r *http.Request) {
	items, err := g.Payments(r.PathValue("id"))
	if err != nil {
		g.answerError(w, err)
		return
	}
	writeJSON(w, http.StatusOK,
		map[string]any{"entity": "collection", "count": len(items), "items": items})
}
