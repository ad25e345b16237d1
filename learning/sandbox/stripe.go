package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Operations of Stripe, for Fault.On and for the counters. Their paths are below StripePath.
const (
	OpCreateIntent  = "intent.create"   // POST /v1/payment_intents
	OpGetIntent     = "intent.get"      // GET /v1/payment_intents/{id}
	OpCancelIntent  = "intent.cancel"   // POST /v1/payment_intents/{id}/cancel
	OpListCharges   = "intent.charges"  // GET /v1/charges
	OpRefundIntent  = "intent.refund"   // POST /v1/refunds
	OpIntentRefunds = "intent.refunds"  // GET /v1/refunds
	OpListDisputes  = "intent.disputes" // GET /v1/disputes
)

// StripePath is the path of Stripe's API below the URL of the sandbox.
const StripePath = "/stripe"

// StripeVersion is the version of Stripe's API that the objects and events have.
const StripeVersion = "2026-08-26.dahlia"

// Stripe is a payment provider that has Stripe's API for PaymentIntents, refunds and disputes.
// Amounts are in the unit in which Stripe counts a currency.
type Stripe struct {
	sandbox *Sandbox
	state   *state
	faults  *Faults

	mu       sync.Mutex
	onIntent func(PaymentIntent)
	onRefund func(StripeRefund)
	created  int
	inFlight map[string]bool // idempotency keys of requests that are not answered yet
	closed   bool

	lateAfter time.Duration  // after which decideLate decides
	decisions sync.WaitGroup // of decideLate
}

func newStripe(s *Sandbox) *Stripe {
	return &Stripe{sandbox: s, state: s.state, faults: newFaults(s.done),
		inFlight: map[string]bool{}, lateAfter: lateTime}
}

// Faults makes Stripe's API fail. The pages to pay are not affected.
func (st *Stripe) Faults() *Faults { return st.faults }

// IntentsCreated returns the number of PaymentIntents that were created since this sandbox was
// started, including those whose answer was lost.
func (st *Stripe) IntentsCreated() int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.created
}

// OnIntent sets a function that is called after a PaymentIntent is stored by the API and before it
// is answered, for example to end a process at that time. Nil removes it.
func (st *Stripe) OnIntent(fn func(PaymentIntent)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.onIntent = fn
}

// OnRefund sets a function that is called after a refund is stored by the API and before it is
// answered. Nil removes it.
func (st *Stripe) OnRefund(fn func(StripeRefund)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.onRefund = fn
}

// routes adds the routes of Stripe: those of the API, which can fail and need the key, and those of
// the browser.
func (st *Stripe) routes(mux *http.ServeMux) {
	api := func(method, path, op string, h http.HandlerFunc) {
		mux.HandleFunc(method+" "+StripePath+path, st.faults.wrap(op, st.authorized(h)))
	}
	api("POST", "/v1/payment_intents", OpCreateIntent, st.once(st.serveCreate))
	api("GET", "/v1/payment_intents/{id}", OpGetIntent, st.serveIntent)
	api("POST", "/v1/payment_intents/{id}/cancel", OpCancelIntent, st.once(st.serveCancel))
	api("GET", "/v1/charges", OpListCharges, st.serveCharges)
	api("POST", "/v1/refunds", OpRefundIntent, st.once(st.serveRefund))
	api("GET", "/v1/refunds", OpIntentRefunds, st.serveRefunds)
	api("GET", "/v1/disputes", OpListDisputes, st.serveDisputes)
	mux.HandleFunc("GET "+StripePath+"/v3/", serveStripeScript)
	mux.HandleFunc("GET "+StripePath+"/pay/{secret}", st.payPage)
	mux.HandleFunc("POST "+StripePath+"/pay/{secret}", st.payForm)
}

// versionForm is the form of a version of Stripe's API.
var versionForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$`)

// authorized requires the secret key, as the name of basic authentication or as a bearer token.
func (st *Stripe) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key, _, isBasic := r.BasicAuth()
		if !isBasic {
			key, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		}
		version := r.Header.Get("Stripe-Version")
		switch {
		case !same(key, st.sandbox.cfg.StripeKey):
			w.Header().Set("WWW-Authenticate", `Basic realm="Stripe"`)
			stripeError(w, &StripeError{Status: http.StatusUnauthorized,
				Type: invalidRequest, Message: "Invalid API Key provided"})
		case version != "" && !versionForm.MatchString(version):
			stripeError(w, refuse("", "Invalid Stripe API version: "+version))
		default:
			next(w, r)
		}
	}
}

// Types of a StripeError.
const (
	invalidRequest   = "invalid_request_error"
	idempotencyError = "idempotency_error"
	apiFailure       = "api_error"
)

// StripeError is Stripe's error object.
type StripeError struct {
	Status  int            `json:"-"` // of HTTP
	Type    string         `json:"type"`
	Code    string         `json:"code,omitempty"`
	Message string         `json:"message"`
	Param   string         `json:"param,omitempty"`
	Intent  *PaymentIntent `json:"payment_intent,omitempty"`
}

// Error returns the message.
func (e *StripeError) Error() string { return e.Message }

// Is reports whether target is a StripeError with the same code, which is not empty.
func (e *StripeError) Is(target error) bool {
	other, ok := target.(*StripeError)
	return ok && e.Code != "" && e.Code == other.Code
}

// Errors of Stripe, all of type *StripeError, to compare with [errors.Is].
var (
	ErrUnknownStripeID = &StripeError{Status: http.StatusNotFound, Type: invalidRequest,
		Code: "resource_missing", Message: "There is no such object"}
	ErrIntentState = &StripeError{Status: http.StatusBadRequest, Type: invalidRequest,
		Code: "payment_intent_unexpected_state", Message: "The PaymentIntent has another status"}
)

// refuse returns an error of the caller. param is the wrong parameter of the request, or "".
func refuse(param, message string) *StripeError {
	return &StripeError{Status: http.StatusBadRequest, Type: invalidRequest, Message: message,
		Param: param}
}

// noSuch returns the error for the id of an object, such as "payment_intent", that does not exist.
func noSuch(object, param, id string) *StripeError {
	e := *ErrUnknownStripeID
	e.Message, e.Param = fmt.Sprintf("No such %s: '%s'", object, id), param
	return &e
}

// stripeError answers an error in the format of Stripe's API.
func stripeError(w http.ResponseWriter, e *StripeError) {
	writeJSON(w, e.Status, map[string]*StripeError{"error": e})
}

// answerError answers an error: one that is no *StripeError is a failure of Stripe.
func (st *Stripe) answerError(w http.ResponseWriter, err error) {
	e, ok := errors.AsType[*StripeError](err)
	if of, isAPIError := errors.AsType[*APIError](err); isAPIError { // of returnTo
		e, ok = refuse(of.Field, of.Description), true
	}
	if !ok {
		st.sandbox.cfg.Log.Error("stripe", "err", err)
		e = &StripeError{Status: http.StatusInternalServerError, Type: apiFailure,
			Message: "Something went wrong."}
	}
	stripeError(w, e)
}

// now returns the time of the configured clock, in Unix seconds.
func (st *Stripe) now() int64 { return st.sandbox.cfg.Clock().Unix() }

// newLongID returns a random id of 120 bits, as long as those of Stripe.
func newLongID(prefix string) string { return prefix + rand.Text()[:24] }
