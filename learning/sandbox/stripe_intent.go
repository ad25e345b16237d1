package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Statuses of a PaymentIntent.
const (
	IntentOpen       = "requires_payment_method"
	IntentAction     = "requires_action"
	IntentProcessing = "processing"
	IntentAuthorized = "requires_capture"
	IntentSucceeded  = "succeeded"
	IntentCanceled   = "canceled"
)

// PaymentIntent is Stripe's order: a request for a payment, which a merchant creates and a user
// pays. It has at most one payment that succeeds.
type PaymentIntent struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"` // "payment_intent"
	Amount             int64             `json:"amount"`
	AmountCapturable   int64             `json:"amount_capturable"`
	AmountReceived     int64             `json:"amount_received"`
	AutomaticMethods   *automaticMethods `json:"automatic_payment_methods"`
	CanceledAt         *int64            `json:"canceled_at"` // Unix seconds
	CancellationReason *string           `json:"cancellation_reason"`
	CaptureMethod      string            `json:"capture_method"`
	ClientSecret       string            `json:"client_secret"`
	Created            int64             `json:"created"`  // Unix seconds
	Currency           string            `json:"currency"` // three small letters
	Description        *string           `json:"description"`
	LastPaymentError   *paymentFailure   `json:"last_payment_error"`
	LatestCharge       *string           `json:"latest_charge"` // the id
	LiveMode           bool              `json:"livemode"`
	Metadata           map[string]string `json:"metadata"`
	NextAction         *nextAction       `json:"next_action"`
	MethodTypes        []string          `json:"payment_method_types"`
	Status             string            `json:"status"`
}

type automaticMethods struct {
	Enabled bool `json:"enabled"`
}

type paymentFailure struct {
	Type        string `json:"type"`
	Code        string `json:"code"`
	DeclineCode string `json:"decline_code"`
	Message     string `json:"message"`
}

type nextAction struct {
	Type string `json:"type"`
}

// clone returns a copy for a caller, with metadata of its own. What its pointers point to is never
// changed.
func (p *PaymentIntent) clone() PaymentIntent {
	c := *p
	c.Metadata = maps.Clone(p.Metadata)
	return c
}

// canBePaid reports whether a payment of the intent may begin.
func (p *PaymentIntent) canBePaid() bool {
	return p.Status == IntentOpen || p.Status == IntentAction
}

// unexpected returns the error of an operation that the status of the intent does not allow.
func (p *PaymentIntent) unexpected(operation string) error {
	e, intent := *ErrIntentState, p.clone()
	e.Message = fmt.Sprintf("You cannot %s this PaymentIntent because it has a status of %s.",
		operation, p.Status)
	e.Intent = &intent
	return &e
}

// stripeRecords are Stripe's objects in the state file, oldest first.
type stripeRecords struct {
	Intents  []*PaymentIntent
	Charges  []*StripeCharge
	Refunds  []*StripeRefund
	Disputes []*StripeDispute
	Keys     map[string]*stripeKey
}

// intent returns the PaymentIntent with an id, or nil.
func (r *stripeRecords) intent(id string) *PaymentIntent {
	return last(r.Intents, func(p *PaymentIntent) bool { return p.ID == id })
}

// last returns the last entry for which is reports true, or nil. Most requests are about one of the
// newest objects.
func last[T any](all []*T, is func(*T) bool) *T {
	for _, one := range slices.Backward(all) {
		if is(one) {
			return one
		}
	}
	return nil
}

// Intents returns all PaymentIntents, oldest first.
func (st *Stripe) Intents() []PaymentIntent {
	out := []PaymentIntent{}
	st.state.read(func(r *records) {
		for _, p := range r.Stripe.Intents {
			out = append(out, p.clone())
		}
	})
	return out
}

// Intent returns one PaymentIntent, or ErrUnknownStripeID.
func (st *Stripe) Intent(id string) (out PaymentIntent, err error) {
	err = noSuch("payment_intent", "intent", id)
	st.state.read(func(r *records) {
		if p := r.Stripe.intent(id); p != nil {
			out, err = p.clone(), nil
		}
	})
	return out, err
}

var smallCurrency = regexp.MustCompile(`^[a-z]{3}$`)

// CreateIntent creates a PaymentIntent as POST /v1/payment_intents does, without HTTP and without
// OnIntent. If the amount or the currency is invalid, the error is a *StripeError.
func (st *Stripe) CreateIntent(amount int64, currency string,
	metadata map[string]string) (PaymentIntent, error) {
	if !smallCurrency.MatchString(currency) {
		return PaymentIntent{}, refuse("currency", "Invalid currency: "+currency)
	}
	if err := checkCharge(amount, currency); err != nil {
		return PaymentIntent{}, err
	}
	stored := &PaymentIntent{ID: newLongID("pi_"), Object: "payment_intent", Amount: amount,
		AutomaticMethods: &automaticMethods{Enabled: true}, CaptureMethod: "automatic_async",
		Created: st.now(), Currency: currency, Metadata: map[string]string{},
		MethodTypes: []string{"card"}, Status: IntentOpen}
	maps.Copy(stored.Metadata, metadata)
	stored.ClientSecret = newLongID(stored.ID + "_secret_")
	var out PaymentIntent
	err := st.state.change(func(r *records) error {
		r.Stripe.Intents = append(r.Stripe.Intents, stored)
		out = stored.clone()
		return nil
	})
	// Tests ask how many were created, also if the file could not be written.
	st.mu.Lock()
	st.created++
	st.mu.Unlock()
	return out, err
}

// Cancel cancels a PaymentIntent as the dashboard of Stripe does, or as Stripe does when it
// expires, with the reason "abandoned", and sends payment_intent.canceled. Of the options it heeds
// WithoutWebhook. Errors: ErrUnknownStripeID, ErrIntentState.
func (st *Stripe) Cancel(id string, opts ...PayOption) (PaymentIntent, error) {
	return st.cancel(id, "abandoned", opts...)
}

// cancel is Cancel with a reason. The charge of an authorized PaymentIntent stays as it is: it is
// not captured, so that there is nothing to refund.
func (st *Stripe) cancel(id, reason string, opts ...PayOption) (PaymentIntent, error) {
	return st.changeIntent(id, "payment_intent.canceled", opts,
		func(_ *stripeRecords, p *PaymentIntent, _ attempt) error {
			if !p.canBePaid() && p.Status != IntentAuthorized {
				return p.unexpected("cancel")
			}
			at := st.now()
			p.Status, p.CanceledAt, p.CancellationReason = IntentCanceled, &at, &reason
			p.AmountCapturable, p.NextAction = 0, nil
			return nil
		})
}

// changeIntent changes a PaymentIntent and sends an event about it, unless the options say
// otherwise. If change returns an error, it must have changed nothing.
func (st *Stripe) changeIntent(id, event string, opts []PayOption,
	change func(*stripeRecords, *PaymentIntent, attempt) error) (PaymentIntent, error) {
	a := attempt{}
	for _, opt := range opts {
		opt(&a)
	}
	var out PaymentIntent
	err := st.state.change(func(r *records) error {
		p := r.Stripe.intent(id)
		if p == nil {
			return noSuch("payment_intent", "intent", id)
		}
		if err := change(&r.Stripe, p, a); err != nil {
			return err
		}
		out = p.clone()
		return nil
	})
	if err == nil && !a.quiet {
		err = st.sendEvent(event, out)
	}
	return out, err
}

// serveCreate creates a PaymentIntent and answers it. FaultPaid pays it before the answer.
func (st *Stripe) serveCreate(w http.ResponseWriter, r *http.Request) {
	out, err := st.create(r)
	if err != nil {
		st.answerError(w, err)
		return
	}
	// A test may act before the answer. Its function is called without the lock, because it may
	// call methods that take it.
	st.mu.Lock()
	onIntent := st.onIntent
	st.mu.Unlock()
	if onIntent != nil {
		onIntent(out)
	}
	if faultOf(r).Kind == FaultPaid {
		if _, err := st.Pay(out.ID); err != nil {
			st.answerError(w, err)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), stripeWebhookTime)
		defer cancel()
		_ = st.sandbox.Wait(ctx) // a platform that does not take the webhook gets the answer anyway
	}
	writeJSON(w, http.StatusOK, out)
}

// create creates the PaymentIntent of a request.
func (st *Stripe) create(r *http.Request) (PaymentIntent, error) {
	form, err := readStripeForm(r, "amount", "currency", "metadata",
		"automatic_payment_methods[enabled]")
	if err != nil {
		return PaymentIntent{}, err
	}
	amount, err := form.integer("amount")
	if err != nil {
		return PaymentIntent{}, err
	}
	return st.CreateIntent(amount, strings.ToLower(form.values.Get("currency")), form.metadata)
}

// serveIntent answers a PaymentIntent, with the charge itself if the request asks for that.
func (st *Stripe) serveIntent(w http.ResponseWriter, r *http.Request) {
	form, err := readStripeForm(r)
	if err != nil {
		st.answerError(w, err)
		return
	}
	p, err := st.Intent(r.PathValue("id"))
	if err != nil {
		st.answerError(w, err)
		return
	}
	if !slices.Contains(form.expand, "latest_charge") || p.LatestCharge == nil {
		writeJSON(w, http.StatusOK, p)
		return
	}
	charges := st.Charges(p.ID)
	i := slices.IndexFunc(charges, func(c StripeCharge) bool { return c.ID == *p.LatestCharge })
	writeJSON(w, http.StatusOK, struct {
		PaymentIntent
		LatestCharge StripeCharge `json:"latest_charge"` // in place of its id
	}{p, charges[i]})
}

// serveCancel cancels a PaymentIntent and answers it.
func (st *Stripe) serveCancel(w http.ResponseWriter, r *http.Request) {
	form, err := readStripeForm(r, "cancellation_reason")
	var p PaymentIntent
	if err == nil {
		reason := cmp.Or(form.values.Get("cancellation_reason"), "abandoned")
		p, err = st.cancel(r.PathValue("id"), reason)
	}
	if err != nil {
		st.answerError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, p)
}
