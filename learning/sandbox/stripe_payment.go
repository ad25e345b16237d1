package sandbox

import (
	"maps"
	"net/http"
	"slices"
)

// Statuses of a charge.
const (
	chargeSucceeded = "succeeded"
	chargePending   = "pending"
	chargeFailed    = "failed"
)

// StripeCharge is one attempt to pay a PaymentIntent.
type StripeCharge struct {
	ID             string            `json:"id"`
	Object         string            `json:"object"` // "charge"
	Amount         int64             `json:"amount"`
	AmountCaptured int64             `json:"amount_captured"`
	AmountRefunded int64             `json:"amount_refunded"`
	Captured       bool              `json:"captured"`
	Created        int64             `json:"created"`  // Unix seconds
	Currency       string            `json:"currency"` // three small letters
	Disputed       bool              `json:"disputed"`
	FailureCode    *string           `json:"failure_code"`
	LiveMode       bool              `json:"livemode"`
	Metadata       map[string]string `json:"metadata"`
	Paid           bool              `json:"paid"`
	PaymentIntent  string            `json:"payment_intent"` // the id
	Refunded       bool              `json:"refunded"`       // all of it
	Status         string            `json:"status"`         // succeeded, pending or failed
}

// clone returns a copy for a caller, with metadata of its own.
func (c *StripeCharge) clone() StripeCharge {
	out := *c
	out.Metadata = maps.Clone(c.Metadata)
	return out
}

// charge returns the charge of an intent that succeeded or is undecided, or nil.
func (r *stripeRecords) charge(intentID string) *StripeCharge {
	return last(r.Charges, func(c *StripeCharge) bool {
		return c.PaymentIntent == intentID && c.Status != chargeFailed
	})
}

// Charges returns the charges of a PaymentIntent, oldest first.
func (st *Stripe) Charges(intentID string) []StripeCharge {
	out := []StripeCharge{}
	st.state.read(func(r *records) {
		for _, c := range r.Stripe.Charges {
			if c.PaymentIntent == intentID {
				out = append(out, c.clone())
			}
		}
	})
	return out
}

// Pay lets a payment succeed: a new one, or one that is processing or authorized. It sends
// payment_intent.succeeded. Of the options it heeds WithAmount, which is the received amount, and
// WithoutWebhook. Errors: ErrUnknownStripeID, ErrIntentState.
func (st *Stripe) Pay(intentID string, opts ...PayOption) (PaymentIntent, error) {
	return st.changeIntent(intentID, "payment_intent.succeeded", opts,
		func(r *stripeRecords, p *PaymentIntent, a attempt) error {
			if !p.canBePaid() && p.Status != IntentProcessing && p.Status != IntentAuthorized {
				return p.unexpected("pay")
			}
			c := r.charge(p.ID)
			if c == nil {
				c = r.addCharge(p, st.now())
			}
			if a.amount != 0 {
				c.Amount = a.amount
			}
			c.Status, c.Paid, c.Captured, c.AmountCaptured = chargeSucceeded, true, true, c.Amount
			p.Status, p.AmountReceived = IntentSucceeded, c.Amount
			p.AmountCapturable, p.NextAction, p.LastPaymentError = 0, nil, nil
			return nil
		})
}

// Fail lets a payment fail: a new one, or one that is processing. The intent can be paid again. It
// sends payment_intent.payment_failed. Of the options it heeds WithoutWebhook. Errors:
// ErrUnknownStripeID, ErrIntentState.
func (st *Stripe) Fail(intentID string, opts ...PayOption) (PaymentIntent, error) {
	return st.changeIntent(intentID, "payment_intent.payment_failed", opts,
		func(r *stripeRecords, p *PaymentIntent, _ attempt) error {
			if !p.canBePaid() && p.Status != IntentProcessing {
				return p.unexpected("pay")
			}
			c := r.charge(p.ID)
			if c == nil {
				c = r.addCharge(p, st.now())
			}
			code := "card_declined"
			c.Status, c.FailureCode = chargeFailed, &code
			p.Status, p.NextAction = IntentOpen, nil
			p.LastPaymentError = &paymentFailure{Type: "card_error", Code: code,
				DeclineCode: "generic_decline", Message: "Your card was declined."}
			return nil
		})
}

// RequireAction begins a payment that the user must confirm at the bank, as 3-D Secure asks for,
// and sends payment_intent.requires_action. [Stripe.Pay] and [Stripe.Fail] decide it. Of the
// options it heeds WithoutWebhook. Errors: ErrUnknownStripeID, ErrIntentState.
func (st *Stripe) RequireAction(intentID string, opts ...PayOption) (PaymentIntent, error) {
	return st.changeIntent(intentID, "payment_intent.requires_action", opts,
		func(_ *stripeRecords, p *PaymentIntent, _ attempt) error {
			if !p.canBePaid() {
				return p.unexpected("confirm")
			}
			p.Status, p.NextAction = IntentAction, &nextAction{Type: "redirect_to_url"}
			return nil
		})
}

// Process begins a payment whose outcome is known days later, such as a debit of a bank account,
// and sends payment_intent.processing. [Stripe.Pay] and [Stripe.Fail] decide it. Of the options it
// heeds WithoutWebhook. Errors: ErrUnknownStripeID, ErrIntentState.
func (st *Stripe) Process(intentID string, opts ...PayOption) (PaymentIntent, error) {
	return st.changeIntent(intentID, "payment_intent.processing", opts,
		func(r *stripeRecords, p *PaymentIntent, _ attempt) error {
			if !p.canBePaid() {
				return p.unexpected("confirm")
			}
			r.addCharge(p, st.now())
			p.Status, p.NextAction = IntentProcessing, nil
			return nil
		})
}

// Authorize begins a payment that is not captured, and sends
// payment_intent.amount_capturable_updated. [Stripe.Pay] captures it, and [Stripe.Cancel] releases
// it. Of the options it heeds WithoutWebhook. Errors: ErrUnknownStripeID, ErrIntentState.
func (st *Stripe) Authorize(intentID string, opts ...PayOption) (PaymentIntent, error) {
	return st.changeIntent(intentID, "payment_intent.amount_capturable_updated", opts,
		func(r *stripeRecords, p *PaymentIntent, _ attempt) error {
			if !p.canBePaid() {
				return p.unexpected("confirm")
			}
			c := r.addCharge(p, st.now())
			c.Status, c.Paid = chargeSucceeded, true
			p.Status, p.AmountCapturable, p.NextAction = IntentAuthorized, c.Amount, nil
			return nil
		})
}

// addCharge stores a charge of an intent that is pending. now is in Unix seconds.
func (r *stripeRecords) addCharge(p *PaymentIntent, now int64) *StripeCharge {
	c := &StripeCharge{ID: newLongID("ch_"), Object: "charge", Amount: p.Amount, Created: now,
		Currency: p.Currency, Metadata: maps.Clone(p.Metadata), PaymentIntent: p.ID,
		Status: chargePending}
	r.Charges = append(r.Charges, c)
	p.LatestCharge = &c.ID
	return c
}

// serveCharges answers the charges of a PaymentIntent, newest first.
func (st *Stripe) serveCharges(w http.ResponseWriter, r *http.Request) {
	form, err := readStripeForm(r, "payment_intent", "limit", "starting_after")
	if err == nil {
		all := st.Charges(form.values.Get("payment_intent"))
		slices.Reverse(all)
		err = stripeList(w, r, form, all, func(c StripeCharge) string { return c.ID })
	}
	if err != nil {
		st.answerError(w, err)
	}
}
