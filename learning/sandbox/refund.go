package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
)

// Statuses of a refund.
const (
	refundPending  = "pending"
	refundDone     = "processed"
	refundHasError = "failed"
)

// Errors of refunds, all of type *APIError.
var (
	ErrUnknownRefund  = badRequest("id", "The refund does not exist")
	ErrRefundTooLarge = badRequest("amount",
		"The total refund amount is greater than the refund payment amount")
	ErrRefundFinal = badRequest("id", "The refund cannot change any more")
)

// Refund is the return of a payment or of a part of it. Amounts are in the currency's smallest
// unit.
type Refund struct {
	ID        string `json:"id"`
	Entity    string `json:"entity"` // "refund"
	Amount    int64  `json:"amount"`
	Currency  string `json:"currency"`
	PaymentID string `json:"payment_id"`
	Notes     Notes  `json:"notes"`
	Status    string `json:"status"`     // pending, processed or failed
	CreatedAt int64  `json:"created_at"` // Unix seconds

	// the header X-Refund-Idempotency; the real gateway does not show it
	Key string `json:"key,omitempty"`
}

// clone returns a copy for a caller, with notes of its own.
func (r *Refund) clone() Refund {
	c := *r
	c.Notes = maps.Clone(r.Notes)
	return c
}

// Refunds returns the refunds of a payment, oldest first, or ErrUnknownPayment.
func (g *Gateway) Refunds(paymentID string) ([]Refund, error) {
	out := []Refund{}
	var err error
	g.state.read(func(r *records) {
		if r.payments[paymentID] == nil {
			err = ErrUnknownPayment
		}
		for _, one := range r.Refunds {
			if one.PaymentID == paymentID {
				out = append(out, one.clone())
			}
		}
	})
	return out, err
}

// Refund refunds a captured payment as the dashboard of the gateway does, and sends
// refund.processed. It refunds all that is left, or the amount of WithAmount. The refund has no
// notes, or those of WithNotes. It returns the payment. Errors: ErrUnknownPayment, ErrNotCaptured,
// ErrRefundTooLarge, and another *APIError if all of the payment is refunded already.
func (g *Gateway) Refund(paymentID string, opts ...PayOption) (Payment, error) {
	a := attempt{}
	for _, opt := range opts {
		opt(&a)
	}
	r := Refund{PaymentID: paymentID, Amount: a.amount, Status: refundDone}
	// Options carry any JSON value, refunds an object of strings.
	if a.notes != nil {
		b, err := json.Marshal(a.notes)
		if err == nil {
			err = r.Notes.UnmarshalJSON(b)
		}
		if err != nil {
			return Payment{}, fmt.Errorf("encode notes of the refund: %w", err)
		}
	}
	_, p, err := g.createRefund(r, a.quiet)
	return p, err
}

// ProcessRefund processes a pending refund, and sends refund.processed. Of the options it heeds
// WithoutWebhook. Errors: ErrUnknownRefund, ErrRefundFinal.
func (g *Gateway) ProcessRefund(id string, opts ...PayOption) (Refund, error) {
	return g.changeRefund(id, refundDone, opts)
}

// FailRefund lets a refund fail that is pending or processed, as happens at real gateways days
// later, and sends refund.failed. Of the options it heeds WithoutWebhook. Errors: ErrUnknownRefund,
// ErrRefundFinal.
func (g *Gateway) FailRefund(id string, opts ...PayOption) (Refund, error) {
	return g.changeRefund(id, refundHasError, opts)
}

// createRefund stores a refund and sends its event, unless it is pending or quiet is set. It
// returns the refund and its payment. If in has the key of an earlier refund, it returns that one,
// stores nothing and sends nothing.
func (g *Gateway) createRefund(in Refund, quiet bool) (Refund, Payment, error) {
	var out Refund
	var paid Payment
	isNew := false
	err := g.state.change(func(r *records) error {
		p := r.payments[in.PaymentID]
		if p == nil {
			return ErrUnknownPayment
		}
		// An idempotency key returns what it has created before.
		if old := r.refundOfKey(in.Key); old != nil {
			out, paid = old.clone(), p.clone()
			return nil
		}
		stored, err := r.refund(p, in, g.now().Unix())
		if err != nil {
			return err
		}
		out = stored.clone()
		paid = p.clone()
		isNew = true
		return nil
	})
	// The refund is stored: send its event. That of a pending refund comes when it is
	// decided.
	if err == nil && isNew && !quiet && out.Status == refundDone {
		err = g.sendRefundEvent(RefundProcessed, paid, out)
	}
	return out, paid, err
}

// refundOfKey returns the refund with an idempotency key, or nil. The key "" is that of no refund.
func (r *records) refundOfKey(key string) *Refund {
	for _, one := range r.Refunds {
		if key != "" && one.Key == key {
			return one
		}
	}
	return nil
}

// refund stores a refund of a payment: of all that is left if in has no amount. The amount counts
// as refunded also while the refund is pending. now is in Unix seconds. If refund returns an error,
// it has stored nothing.
func (r *records) refund(p *Payment, in Refund, now int64) (*Refund, error) {
	// Without an amount, refund what is left.
	if in.Amount == 0 {
		in.Amount = p.Amount - p.AmountRefunded
	}
	// Refuse what the real gateway refuses.
	switch {
	case !p.Captured:
		return nil, ErrNotCaptured
	case p.Status == PaymentRefunded:
		return nil, badRequest("", "The payment has been fully refunded already")
	case in.Amount < 0:
		return nil, badRequest("amount", "The amount must be greater than zero")
	case in.Amount > p.Amount-p.AmountRefunded:
		return nil, ErrRefundTooLarge
	}
	stored := &Refund{ID: newID("rfnd_"), Entity: "refund", Amount: in.Amount, Currency: p.Currency,
		PaymentID: p.ID,
		Notes:     maps.Clone(in.Notes), Status: in.Status, CreatedAt: now, Key: in.Key}
	// Count the refund and store it.
	p.countRefund(stored.Amount)
	r.refunds[stored.ID], r.Refunds = stored, append(r.Refunds, stored)
	return stored, nil
}

// countRefund adds an amount, which is negative for a refund that failed, to what was refunded of a
// payment.
func (p *Payment) countRefund(amount int64) {
	p.AmountRefunded += amount
	status := "partial" // RefundStatus points to it: it may become full below
	p.Status, p.RefundStatus = PaymentCaptured, &status
	switch p.AmountRefunded {
	case 0:
		p.RefundStatus = nil
	case p.Amount:
		status, p.Status = "full", PaymentRefunded
	}
}

// changeRefund moves a refund to processed or failed and sends its event, unless the options say
// otherwise.
func (g *Gateway) changeRefund(id, status string, opts []PayOption) (Refund, error) {
	a := attempt{}
	for _, opt := range opts {
		opt(&a)
	}
	var out Refund
	var paid Payment
	err := g.state.change(func(r *records) error {
		one := r.refunds[id]
		// A refund that has failed stays failed, and no change is repeated.
		switch {
		case one == nil:
			return ErrUnknownRefund
		case one.Status == status || one.Status == refundHasError:
			return ErrRefundFinal
		}
		// A processed refund may still fail, as at real gateways. Its amount is left to be refunded
		// again.
		p := r.payments[one.PaymentID]
		one.Status = status
		if status == refundHasError {
			p.countRefund(-one.Amount)
		}
		out, paid = one.clone(), p.clone()
		return nil
	})
	if err == nil && !a.quiet {
		err = g.sendRefundEvent("refund."+status, paid, out)
	}
	return out, err
}

// sendRefundEvent is like sendEvent, for an event about a refund of p.
func (g *Gateway) sendRefundEvent(event string, p Payment, r Refund) error {
	body, err := g.RefundEvent(event, p, r)
	if err != nil {
		return err
	}
	g.sandbox.sender.send(g.message(event, body))
	return nil
}

// serveRefund creates a refund and answers it. It is processed at once, unless FaultPending leaves
// it pending.
func (g *Gateway) serveRefund(w http.ResponseWriter, r *http.Request) {
	in, err := readRefund(r)
	if err != nil {
		g.answerError(w, err)
		return
	}
	// A fault lets a test decide the refund later.
	in.Status = refundDone
	if faultOf(r).Kind == FaultPending {
		in.Status = refundPending
	}
	const quiet = false
	out, _, err := g.createRefund(in, quiet)
	if err != nil {
		g.answerError(w, err)
		return
	}
	// A test may act before the answer.
	g.mu.Lock()
	onRefund := g.onRefund
	g.mu.Unlock()
	if onRefund != nil {
		onRefund(out)
	}
	out.Key = "" // the real gateway does not show it
	writeJSON(w, http.StatusOK, out)
}

// readRefund decodes the request for a refund. Without an amount, that of the refund is 0, which
// stands for all that is left. The body may be empty. Errors have the type *APIError.
func readRefund(r *http.Request) (Refund, error) {
	b, err := readBody(r)
	if err != nil {
		return Refund{}, badRequest("", "The body cannot be read.")
	}
	var in struct {
		Amount json.RawMessage `json:"amount"`
		Notes  json.RawMessage `json:"notes"`
	}
	if b = bytes.TrimSpace(b); len(b) > 0 && json.Unmarshal(b, &in) != nil {
		return Refund{}, badRequest("", "The body must be a JSON object.")
	}
	// The key is a header, as at real gateways.
	out := Refund{PaymentID: r.PathValue("id"), Key: r.Header.Get("X-Refund-Idempotency")}
	if len(in.Amount) > 0 {
		if out.Amount, err = strconv.ParseInt(string(in.Amount), 10, 64); err != nil ||
			out.Amount < minAmount {
			return Refund{}, badRequest("amount",
				fmt.Sprintf("The amount must be an integer of at least %d.", minAmount))
		}
	}
	if notes := bytes.TrimSpace(in.Notes); len(notes) > 0 && out.Notes.UnmarshalJSON(notes) != nil {
		return Refund{}, badRequest("notes", "The notes must be an object of strings.")
	}
	return out, nil
}

// serveRefunds answers the refunds of a payment, oldest first.
func (g *Gateway) serveRefunds(w http.ResponseWriter, r *http.Request) {
	items, err := g.Refunds(r.PathValue("id"))
	if err != nil {
		g.answerError(w, err)
		return
	}
	for i := range items {
		items[i].Key = "" // the real gateway does not show it
	}
	writeJSON(w, http.StatusOK,
		map[string]any{"entity": "collection", "count": len(items), "items": items})
}
