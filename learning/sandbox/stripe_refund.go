package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// Statuses of a refund at Stripe.
const (
	StripeRefundPending   = "pending"
	StripeRefundSucceeded = "succeeded"
	StripeRefundFailed    = "failed"
)

// StripeRefund is the return of a charge or of a part of it.
type StripeRefund struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"` // "refund"
	Amount        int64             `json:"amount"`
	Charge        string            `json:"charge"`   // the id
	Created       int64             `json:"created"`  // Unix seconds
	Currency      string            `json:"currency"` // three small letters
	FailureReason string            `json:"failure_reason,omitempty"`
	Metadata      map[string]string `json:"metadata"`
	PaymentIntent string            `json:"payment_intent"` // the id
	Reason        *string           `json:"reason"`
	Status        string            `json:"status"`
}

// clone returns a copy for a caller, with metadata of its own.
func (r *StripeRefund) clone() StripeRefund {
	c := *r
	c.Metadata = maps.Clone(r.Metadata)
	return c
}

// Refunds returns the refunds of a PaymentIntent, oldest first.
func (st *Stripe) Refunds(intentID string) []StripeRefund {
	out := []StripeRefund{}
	st.state.read(func(r *records) {
		for _, one := range r.Stripe.Refunds {
			if one.PaymentIntent == intentID {
				out = append(out, one.clone())
			}
		}
	})
	return out
}

// Refund refunds a payment as the dashboard of Stripe does, and sends refund.created and
// charge.refunded. It refunds all that is left, or the amount of WithAmount. The refund has no
// metadata, or that of WithNotes. Errors: *StripeError.
func (st *Stripe) Refund(intentID string, opts ...PayOption) (StripeRefund, error) {
	a := attempt{}
	for _, opt := range opts {
		opt(&a)
	}
	in := StripeRefund{PaymentIntent: intentID, Amount: a.amount, Status: StripeRefundSucceeded}
	// Options carry any JSON value, refunds an object of strings.
	if a.notes != nil {
		b, err := json.Marshal(a.notes)
		if err == nil {
			err = json.Unmarshal(b, &in.Metadata)
		}
		if err != nil {
			return StripeRefund{}, fmt.Errorf("encode metadata of the refund: %w", err)
		}
	}
	return st.createRefund(in, a.quiet)
}

// createRefund stores a refund and sends its events, unless quiet is set.
func (st *Stripe) createRefund(in StripeRefund, quiet bool) (StripeRefund, error) {
	var out StripeRefund
	var charged StripeCharge
	err := st.state.change(func(r *records) error {
		p, c := r.Stripe.intent(in.PaymentIntent), r.Stripe.charge(in.PaymentIntent)
		if p == nil {
			return noSuch("payment_intent", "payment_intent", in.PaymentIntent)
		}
		if c == nil || !c.Captured {
			return refuse("payment_intent",
				"This PaymentIntent ("+p.ID+") does not have a successful charge to refund.")
		}
		if in.Amount == 0 {
			in.Amount = c.Amount - c.AmountRefunded
		}
		if err := c.checkRefund(in.Amount); err != nil {
			return err
		}
		stored := &StripeRefund{ID: newLongID("re_"), Object: "refund", Amount: in.Amount,
			Charge: c.ID, Created: st.now(), Currency: c.Currency, Metadata: map[string]string{},
			PaymentIntent: p.ID, Status: in.Status}
		maps.Copy(stored.Metadata, in.Metadata)
		c.countRefund(stored.Amount)
		r.Stripe.Refunds = append(r.Stripe.Refunds, stored)
		out, charged = stored.clone(), c.clone()
		return nil
	})
	if err != nil || quiet {
		return out, err
	}
	if err := st.sendEvent("refund.created", out); err != nil {
		return out, err
	}
	return out, st.sendEvent("charge.refunded", charged)
}

// checkRefund returns the error of an amount that Stripe does not refund, or nil.
func (c *StripeCharge) checkRefund(amount int64) error {
	switch {
	case c.Refunded:
		e := refuse("", "Charge "+c.ID+" has already been refunded.")
		e.Code = "charge_already_refunded"
		return e
	case amount > c.Amount-c.AmountRefunded:
		return refuse("amount", fmt.Sprintf(
			"Refund amount (%s) is greater than unrefunded amount on charge (%s)",
			stripeMoney(amount, c.Currency), stripeMoney(c.Amount-c.AmountRefunded, c.Currency)))
	}
	return nil
}

// countRefund adds an amount, which is negative for a refund that failed, to what was refunded.
func (c *StripeCharge) countRefund(amount int64) {
	c.AmountRefunded += amount
	c.Refunded = c.AmountRefunded == c.Amount
}

// ProcessRefund lets a pending refund succeed, and sends refund.updated. Of the options it heeds
// WithoutWebhook. Errors: ErrUnknownStripeID, or another *StripeError if the refund is not pending.
func (st *Stripe) ProcessRefund(id string, opts ...PayOption) (StripeRefund, error) {
	return st.changeRefund(id, "refund.updated", opts, func(one *StripeRefund, _ *StripeCharge) {
		one.Status = StripeRefundSucceeded
	})
}

// FailRefund lets a refund fail that is pending or has succeeded, as happens days later, and sends
// refund.failed. Of the options it heeds WithoutWebhook. Errors: ErrUnknownStripeID, or another
// *StripeError if the refund has failed already.
func (st *Stripe) FailRefund(id string, opts ...PayOption) (StripeRefund, error) {
	return st.changeRefund(id, "refund.failed", opts, func(one *StripeRefund, c *StripeCharge) {
		one.Status, one.FailureReason = StripeRefundFailed, "lost_or_stolen_card"
		c.countRefund(-one.Amount)
	})
}

// changeRefund changes a refund and its charge, and sends an event about it, unless the options say
// otherwise. A refund that has failed stays so, and one that has succeeded can only fail.
func (st *Stripe) changeRefund(id, event string, opts []PayOption,
	change func(*StripeRefund, *StripeCharge)) (StripeRefund, error) {
	a := attempt{}
	for _, opt := range opts {
		opt(&a)
	}
	var out StripeRefund
	err := st.state.change(func(r *records) error {
		one := last(r.Stripe.Refunds, func(one *StripeRefund) bool { return one.ID == id })
		if one == nil {
			return noSuch("refund", "id", id)
		}
		if one.Status == StripeRefundFailed ||
			one.Status == StripeRefundSucceeded && event != "refund.failed" {
			return refuse("id", "The refund has the status "+one.Status+".")
		}
		change(one, last(r.Stripe.Charges,
			func(c *StripeCharge) bool { return c.ID == one.Charge }))
		out = one.clone()
		return nil
	})
	if err == nil && !a.quiet {
		err = st.sendEvent(event, out)
	}
	return out, err
}

// serveRefund creates a refund and answers it. It succeeds at once, unless FaultPending leaves it
// pending.
func (st *Stripe) serveRefund(w http.ResponseWriter, r *http.Request) {
	out, err := st.refund(r)
	if err != nil {
		st.answerError(w, err)
		return
	}
	// A test may act before the answer.
	st.mu.Lock()
	onRefund := st.onRefund
	st.mu.Unlock()
	if onRefund != nil {
		onRefund(out)
	}
	writeJSON(w, http.StatusOK, out)
}

// refund creates the refund of a request.
func (st *Stripe) refund(r *http.Request) (StripeRefund, error) {
	form, err := readStripeForm(r, "payment_intent", "amount", "metadata", "reason")
	if err != nil {
		return StripeRefund{}, err
	}
	in := StripeRefund{PaymentIntent: form.values.Get("payment_intent"), Metadata: form.metadata,
		Status: StripeRefundSucceeded}
	if form.values.Has("amount") {
		if in.Amount, err = form.integer("amount"); err != nil {
			return StripeRefund{}, err
		}
	}
	if faultOf(r).Kind == FaultPending {
		in.Status = StripeRefundPending
	}
	const quiet = false
	return st.createRefund(in, quiet)
}

// serveRefunds answers the refunds of a PaymentIntent, newest first.
func (st *Stripe) serveRefunds(w http.ResponseWriter, r *http.Request) {
	form, err := readStripeForm(r, "payment_intent", "limit", "starting_after")
	if err == nil {
		all := st.Refunds(form.values.Get("payment_intent"))
		slices.Reverse(all)
		err = stripeList(w, r, form, all, func(one StripeRefund) string { return one.ID })
	}
	if err != nil {
		st.answerError(w, err)
	}
}
