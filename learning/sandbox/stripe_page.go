package sandbox

import (
	_ "embed"
	"net/http"
	"net/url"
	"strings"
	"time"
)

//go:embed templates/stripe.js
var stripeScript []byte

// serveStripeScript answers the script that stands in for Stripe.js.
func serveStripeScript(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(stripeScript) // the client may be gone
}

// What the parameter redirect_status says when the browser returns.
const (
	redirectSucceeded = "succeeded"
	redirectPending   = "pending"
	redirectFailed    = "failed"
)

type stripePage struct {
	Intent PaymentIntent
	Title  string // of the course
	Action string // the address of the form
	Cancel string // where a user goes who does not pay; empty without a front end
	Result string // one of the redirect statuses, on the page after a payment
}

// intentOfSecret returns the PaymentIntent with a client secret, or ErrUnknownStripeID.
func (st *Stripe) intentOfSecret(secret string) (PaymentIntent, error) {
	id, _, _ := strings.Cut(secret, "_secret_")
	p, err := st.Intent(id)
	if err == nil && !same(p.ClientSecret, secret) {
		err = noSuch("payment_intent", "client_secret", id)
	}
	return p, err
}

// payPage shows the form to pay a PaymentIntent, or, if a payment has begun, its result.
func (st *Stripe) payPage(w http.ResponseWriter, r *http.Request) {
	back, err := st.sandbox.returnTo(r)
	if err != nil {
		st.pageError(w, r, http.StatusBadRequest, err)
		return
	}
	p, err := st.intentOfSecret(r.PathValue("secret"))
	if err != nil {
		st.pageError(w, r, http.StatusNotFound, err)
		return
	}
	if p.canBePaid() {
		st.showForm(w, "stripe_pay.html", "Pay", p, back)
		return
	}
	st.showResult(w, r, p, redirectOf(p), back)
}

// payForm does what a form asks for: pay, confirm (a payment that the bank asks the user to
// confirm), late and late-fail (a payment that is decided after some seconds), or fail.
func (st *Stripe) payForm(w http.ResponseWriter, r *http.Request) {
	back, err := st.sandbox.returnTo(r)
	if err != nil {
		st.pageError(w, r, http.StatusBadRequest, err)
		return
	}
	p, err := st.intentOfSecret(r.PathValue("secret"))
	if err != nil {
		st.pageError(w, r, http.StatusNotFound, err)
		return
	}
	body, err := readBody(r)
	if err != nil {
		st.pageError(w, r, http.StatusBadRequest, refuse("action", "The form cannot be read."))
		return
	}
	switch action := actionIn(body); action {
	case "pay":
		p, err = st.Pay(p.ID)
	case "confirm":
		if p, err = st.RequireAction(p.ID); err == nil && !wantsJSON(r) {
			st.showForm(w, "stripe_confirm.html", "Confirm the payment", p, back)
			return
		}
	case "late", "late-fail":
		p, err = st.payLate(p.ID, action == "late")
	case "fail":
		p, err = st.Fail(p.ID)
	default:
		err = refuse("action", "The action must be pay, confirm, late, late-fail or fail.")
	}
	if err != nil {
		st.pageError(w, r, http.StatusBadRequest, err)
		return
	}
	st.showResult(w, r, p, redirectOf(p), back)
}

// redirectOf returns the redirect status of a PaymentIntent after an attempt to pay it.
func redirectOf(p PaymentIntent) string {
	switch p.Status {
	case IntentSucceeded, IntentAuthorized:
		return redirectSucceeded
	case IntentProcessing:
		return redirectPending
	}
	return redirectFailed
}

// showForm shows a page with a form about a PaymentIntent.
func (st *Stripe) showForm(w http.ResponseWriter, name, title string, p PaymentIntent,
	back *backURL) {
	data := stripePage{Intent: p, Title: p.Metadata["courseTitle"],
		Action: StripePath + "/pay/" + p.ClientSecret}
	if back != nil {
		data.Action += "?return=" + url.QueryEscape(back.String())
		data.Cancel = back.with(resultQuery(p, redirectFailed)...)
	}
	st.sandbox.render(w, http.StatusOK, name, title, data)
}

// resultQuery returns the query parameters with which Stripe.js returns to the front end.
func resultQuery(p PaymentIntent, result string) []string {
	return []string{"payment_intent", p.ID, "payment_intent_client_secret", p.ClientSecret,
		"redirect_status", result}
}

// showResult sends the browser back to the front end, or shows what has become of the payment. A
// program that accepts JSON gets the parameters that the front end would get.
func (st *Stripe) showResult(w http.ResponseWriter, r *http.Request, p PaymentIntent,
	result string, back *backURL) {
	query := resultQuery(p, result)
	switch {
	case wantsJSON(r):
		writeJSON(w, http.StatusOK,
			map[string]string{query[0]: query[1], query[2]: query[3], query[4]: query[5]})
	case back != nil:
		back.redirect(w, r, query...)
	default:
		st.sandbox.render(w, http.StatusOK, "stripe_result.html", "Payment",
			stripePage{Intent: p, Title: p.Metadata["courseTitle"], Result: result})
	}
}

// pageError answers an error: as JSON to a program, else as a page.
func (st *Stripe) pageError(w http.ResponseWriter, r *http.Request, status int, err error) {
	if wantsJSON(r) {
		st.answerError(w, err)
		return
	}
	st.sandbox.render(w, status, "error.html", "That did not work",
		checkoutData{Message: err.Error()})
}

// payLate begins a payment that is decided after some seconds: it succeeds or fails then, unless a
// test has decided it before.
func (st *Stripe) payLate(id string, succeeds bool) (PaymentIntent, error) {
	// The lock is held to the end, so that none begins in close.
	st.mu.Lock()
	defer st.mu.Unlock()
	p, err := st.Process(id)
	if err != nil || st.closed {
		return p, err
	}
	after := st.lateAfter
	st.decisions.Go(func() { st.decideLate(id, succeeds, after) })
	return p, nil
}

// decideLate decides a payment after a time. One that waits when the sandbox is closed stays
// undecided. Errors are logged, because no caller waits.
func (st *Stripe) decideLate(id string, succeeds bool, after time.Duration) {
	select {
	case <-time.After(after):
	case <-st.sandbox.done:
		return
	}
	if p, err := st.Intent(id); err != nil || p.Status != IntentProcessing {
		return
	}
	decide := st.Fail
	if succeeds {
		decide = st.Pay
	}
	if _, err := decide(id); err != nil {
		st.sandbox.cfg.Log.Error("decide a payment late", "intent", id, "err", err)
	}
}

// close waits for decideLate. Sandbox.done must be closed.
func (st *Stripe) close() {
	st.mu.Lock()
	st.closed = true
	st.mu.Unlock()
	st.decisions.Wait()
}
