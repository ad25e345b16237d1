package sandbox

import (
	"encoding/json"
	"errors"
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

// Errors of payments, both of type *APIError.
var (
	ErrUnknownPayment = badRequest("payment_id", "The payment does not exist")
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
	Notes          json.RawMessage `json:"notes"` // those of the order, unless WithNotes set any JSON at all
	AmountRefunded int64           `json:"amount_refunded"`
	RefundStatus   *string         `json:"refund_status"` // null or "full"
	Captured       bool            `json:"captured"`      // stays true after a refund
	CreatedAt      int64           `json:"created_at"`    // Unix seconds
}

func (p *Payment) clone() Payment {
	c := *p
	c.Notes = slices.Clone(p.Notes)
	return c
}

// PayOption changes a payment from what a well-behaved checkout would make.
type PayOption func(*attempt)

type attempt struct {
	status, method string
	amount         int64
	notes          any
	payment        string
	fields         []string // of the payment that the webhook tells; nil for all
	again, quiet   bool
}

// WithoutWebhook sends no webhook, as if it had been lost.
func WithoutWebhook() PayOption { return func(a *attempt) { a.quiet = true } }

// WithAmount pays another amount than the order's, in the smallest unit.
func WithAmount(amount int64) PayOption { return func(a *attempt) { a.amount = amount } }

// WithNotes gives the payment notes of its own, as a browser can: any value that encodes as JSON, []string{} included.
func WithNotes(notes any) PayOption { return func(a *attempt) { a.notes = notes } }

// WithEventFields leaves everything but the named fields out of the payment that the webhook tells, such as "id" and
// "notes" for a payment without an order and without an amount.
func WithEventFields(names ...string) PayOption { return func(a *attempt) { a.fields = names } }

// WithMethod sets how it was paid: card (the default), upi, netbanking, wallet.
func WithMethod(method string) PayOption { return func(a *attempt) { a.method = method } }

// ForPayment continues an earlier payment of the order, failed or authorized, under its id: a bank may capture late.
func ForPayment(id string) PayOption { return func(a *attempt) { a.payment = id } }

// Again allows a further payment of an order that is paid, which a real gateway lets through when a bank is late.
func Again() PayOption { return func(a *attempt) { a.again = true } }

// Pay captures a payment of the order and sends payment.captured. ErrUnknownOrder, ErrOrderPaid.
func (g *Gateway) Pay(orderID string, opts ...PayOption) (Payment, error) {
	return g.attempt(orderID, PaymentCaptured, opts)
}

// Fail makes a payment of the order that fails, and sends payment.failed. ErrUnknownOrder, ErrOrderPaid.
func (g *Gateway) Fail(orderID string, opts ...PayOption) (Payment, error) {
	return g.attempt(orderID, PaymentFailed, opts)
}

// Authorize makes a payment of the order that is not captured yet, and sends payment.authorized; Pay with ForPayment
// captures it. ErrUnknownOrder, ErrOrderPaid.
func (g *Gateway) Authorize(orderID string, opts ...PayOption) (Payment, error) {
	return g.attempt(orderID, paymentAuthorized, opts)
}

// Refund gives a captured payment back in full and sends refund.processed. ErrUnknownPayment, ErrNotCaptured.
func (g *Gateway) Refund(paymentID string) (Payment, error) {
	var out Payment
	err := g.state.change(func(r *records) error {
		p := r.payments[paymentID]
		if p == nil {
			return ErrUnknownPayment
		}
		if p.Status != PaymentCaptured {
			return ErrNotCaptured
		}
		full := "full"
		p.Status, p.AmountRefunded, p.RefundStatus = PaymentRefunded, p.Amount, &full
		out = p.clone()
		return nil
	})
	if err == nil {
		err = g.tell(RefundProcessed, out)
	}
	return out, err
}

// Payments returns the payments of an order, oldest first, or ErrUnknownOrder.
func (g *Gateway) Payments(orderID string) ([]Payment, error) {
	out, err := []Payment{}, error(nil)
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

func (g *Gateway) attempt(orderID, status string, opts []PayOption) (Payment, error) {
	a := attempt{status: status, method: "card"}
	for _, o := range opts {
		o(&a)
	}
	var out Payment
	err := g.state.change(func(r *records) error {
		o := r.orders[orderID]
		if o == nil {
			return ErrUnknownOrder
		}
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
	if err != nil || a.quiet {
		return out, err
	}
	return out, g.tell("payment."+status, out, a.fields...)
}

// payment makes the payment of an attempt, or moves on the one that the attempt continues.
func (r *records) payment(o *Order, a attempt, now int64) (*Payment, error) {
	notes, err := json.Marshal(o.Notes)
	if a.notes != nil {
		notes, err = json.Marshal(a.notes)
	}
	if err != nil {
		return nil, fmt.Errorf("encode notes of the payment: %w", err)
	}
	if a.payment != "" {
		return r.proceed(o, a)
	}
	p := &Payment{ID: newID("pay_"), Entity: "payment", Amount: o.Amount, Currency: o.Currency, Status: a.status,
		OrderID: o.ID, Method: a.method, Notes: notes, Captured: a.status == PaymentCaptured, CreatedAt: now}
	if a.amount != 0 {
		p.Amount = a.amount
	}
	r.payments[p.ID], r.Payments = p, append(r.Payments, p)
	r.ofOrder[o.ID] = append(r.ofOrder[o.ID], p)
	o.Attempts++
	return p, nil
}

func (r *records) proceed(o *Order, a attempt) (*Payment, error) {
	p := r.payments[a.payment]
	if p == nil || p.OrderID != o.ID {
		return nil, ErrUnknownPayment
	}
	if p.Captured {
		return nil, errors.New("continue payment: it is captured")
	}
	p.Status, p.Captured = a.status, a.status == PaymentCaptured
	return p, nil
}

// count brings an attempt into the order's books.
func (o *Order) count(p *Payment) {
	if p.Captured {
		o.Status = OrderPaid
		o.AmountPaid += p.Amount
		o.AmountDue = max(0, o.Amount-o.AmountPaid)
	} else if o.Status != OrderPaid {
		o.Status = OrderAttempted
	}
}

func (g *Gateway) servePayments(w http.ResponseWriter, r *http.Request) {
	items, err := g.Payments(r.PathValue("id"))
	if err != nil {
		g.answerError(w, err)
		return
	}
	writeCollection(w, items)
}
