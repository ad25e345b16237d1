package sandbox

import (
	"net/http"
	"slices"
)

// Statuses of a dispute.
const (
	disputeOpen = "needs_response"
	disputeWon  = "won"
	disputeLost = "lost"
)

// StripeDispute is the objection of a buyer's bank to a charge.
type StripeDispute struct {
	ID            string            `json:"id"`
	Object        string            `json:"object"` // "dispute"
	Amount        int64             `json:"amount"`
	Charge        string            `json:"charge"`   // the id
	Created       int64             `json:"created"`  // Unix seconds
	Currency      string            `json:"currency"` // three small letters
	LiveMode      bool              `json:"livemode"`
	Metadata      map[string]string `json:"metadata"`
	PaymentIntent string            `json:"payment_intent"` // the id
	Reason        string            `json:"reason"`
	Status        string            `json:"status"`
}

// Disputes returns the disputes of a PaymentIntent, oldest first.
func (st *Stripe) Disputes(intentID string) []StripeDispute {
	out := []StripeDispute{}
	st.state.read(func(r *records) {
		for _, d := range r.Stripe.Disputes {
			if d.PaymentIntent == intentID {
				out = append(out, *d)
			}
		}
	})
	return out
}

// Dispute opens a dispute about a payment, and sends charge.dispute.created. It is about all of the
// payment, or about the amount of WithAmount. Of the other options it heeds WithoutWebhook. Errors:
// ErrUnknownStripeID, or another *StripeError if the intent is not paid.
func (st *Stripe) Dispute(intentID string, opts ...PayOption) (StripeDispute, error) {
	a := attempt{}
	for _, opt := range opts {
		opt(&a)
	}
	var out StripeDispute
	err := st.state.change(func(r *records) error {
		p, c := r.Stripe.intent(intentID), r.Stripe.charge(intentID)
		if p == nil {
			return noSuch("payment_intent", "payment_intent", intentID)
		}
		if c == nil || !c.Captured {
			return refuse("payment_intent", "Only a payment that has succeeded can be disputed.")
		}
		out = StripeDispute{ID: newLongID("du_"), Object: "dispute", Amount: c.Amount,
			Charge: c.ID, Created: st.now(), Currency: c.Currency, Metadata: map[string]string{},
			PaymentIntent: p.ID, Reason: "fraudulent", Status: disputeOpen}
		if a.amount != 0 {
			out.Amount = a.amount
		}
		stored := out
		c.Disputed = true
		r.Stripe.Disputes = append(r.Stripe.Disputes, &stored)
		return nil
	})
	if err == nil && !a.quiet {
		err = st.sendEvent("charge.dispute.created", out)
	}
	return out, err
}

// WinDispute closes a dispute so that the payment stays, and sends charge.dispute.closed. Of the
// options it heeds WithoutWebhook. Errors: ErrUnknownStripeID, or another *StripeError if the
// dispute is closed.
func (st *Stripe) WinDispute(id string, opts ...PayOption) (StripeDispute, error) {
	return st.closeDispute(id, disputeWon, opts)
}

// LoseDispute closes a dispute so that the bank takes the payment back, and sends
// charge.dispute.closed. Of the options it heeds WithoutWebhook. Errors: ErrUnknownStripeID, or
// another *StripeError if the dispute is closed.
func (st *Stripe) LoseDispute(id string, opts ...PayOption) (StripeDispute, error) {
	return st.closeDispute(id, disputeLost, opts)
}

func (st *Stripe) closeDispute(id, status string, opts []PayOption) (StripeDispute, error) {
	a := attempt{}
	for _, opt := range opts {
		opt(&a)
	}
	var out StripeDispute
	err := st.state.change(func(r *records) error {
		d := last(r.Stripe.Disputes, func(d *StripeDispute) bool { return d.ID == id })
		if d == nil {
			return noSuch("dispute", "id", id)
		}
		if d.Status != disputeOpen {
			return refuse("id", "The dispute is closed already.")
		}
		d.Status = status
		out = *d
		return nil
	})
	if err == nil && !a.quiet {
		err = st.sendEvent("charge.dispute.closed", out)
	}
	return out, err
}

// serveDisputes answers the disputes of a PaymentIntent, newest first.
func (st *Stripe) serveDisputes(w http.ResponseWriter, r *http.Request) {
	form, err := readStripeForm(r, "payment_intent", "limit", "starting_after")
	if err == nil {
		all := st.Disputes(form.values.Get("payment_intent"))
		slices.Reverse(all)
		err = stripeList(w, r, form, all, func(d StripeDispute) string { return d.ID })
	}
	if err != nil {
		st.answerError(w, err)
	}
}
