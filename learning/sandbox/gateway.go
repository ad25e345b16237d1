package sandbox

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// Operations of the payment gateway, for Fault.On and for the counters.
const (
	OpCreateOrder  = "order.create"   // POST /v1/orders
	OpListPayments = "order.payments" // GET /v1/orders/{id}/payments
	OpCreateRefund = "refund.create"  // POST /v1/payments/{id}/refund
	OpListRefunds  = "refund.list"    // GET /v1/payments/{id}/refunds
)

// Gateway is the payment gateway. Its API has the format of Razorpay's Orders API.
type Gateway struct {
	sandbox *Sandbox
	state   *state
	faults  *Faults

	mu       sync.Mutex
	onOrder  func(Order)
	onRefund func(Refund)
	created  int
	late     map[string]bool // ids of the orders whose payment payLate will capture
	closed   bool

	lateAfter time.Duration  // after which payLate captures
	captures  sync.WaitGroup // of payLate
}

func newGateway(s *Sandbox) *Gateway {
	return &Gateway{sandbox: s, state: s.state, faults: newFaults(s.done), late: map[string]bool{},
		lateAfter: lateTime}
}

// Faults makes the gateway's API fail. Its checkout pages are not affected.
func (g *Gateway) Faults() *Faults { return g.faults }

// OrdersCreated returns the number of orders that were opened since this sandbox was started,
// including those whose answer was lost. Orders of the state file and of AddPast do not count.
func (g *Gateway) OrdersCreated() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.created
}

// OnOrder sets a function that is called after an order is stored and before it is answered, for
// example to end a process at that time. It is also called before the answer of FaultSameID, which
// stores none. Nil removes it.
func (g *Gateway) OnOrder(fn func(Order)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.onOrder = fn
}

// OnRefund sets a function that is called after a refund is stored by the API and before it is
// answered, for example to end a process at that time. It is also called before a request with the
// key of an earlier refund is answered, which stores none. Nil removes it.
func (g *Gateway) OnRefund(fn func(Refund)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.onRefund = fn
}

// routes adds the routes of the gateway: those of the API, which can fail and need the key, and
// those of the checkout.
func (g *Gateway) routes(mux *http.ServeMux) {
	api := func(pattern, op string, h http.HandlerFunc) {
		mux.HandleFunc(pattern, g.faults.wrap(op, g.authorized(h)))
	}
	api("POST /v1/orders", OpCreateOrder, g.serveCreate)
	api("GET /v1/orders/{id}/payments", OpListPayments, g.servePayments)
	api("POST /v1/payments/{id}/refund", OpCreateRefund, g.serveRefund)
	api("GET /v1/payments/{id}/refunds", OpListRefunds, g.serveRefunds)
	mux.HandleFunc("GET /checkout/{order}", g.checkoutPage)
	mux.HandleFunc("POST /checkout/{order}", g.checkout)
}

// authorized requires basic authentication with the key id and the key secret.
func (g *Gateway) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth() // empty without credentials
		isKey := same(id, g.sandbox.cfg.GatewayKeyID)
		isSecret := same(secret, g.sandbox.cfg.GatewayKeySecret)
		if !isKey || !isSecret {
			w.Header().Set("WWW-Authenticate", `Basic realm="gateway"`)
			gatewayError(w, http.StatusUnauthorized, badRequest("", "Authentication failed"))
			return
		}
		next(w, r)
	}
}

// APIError is the gateway's error object.
type APIError struct {
	Code        string            `json:"code"`
	Description string            `json:"description"`
	Field       string            `json:"field,omitempty"`
	Reason      string            `json:"reason,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

// Error returns the description.
func (e *APIError) Error() string { return e.Description }

// badRequest returns an error of the caller. field is the wrong field of the request, or "".
func badRequest(field, description string) *APIError {
	return &APIError{Code: "BAD_REQUEST_ERROR", Description: description, Field: field}
}

// gatewayError answers an error in the format of the gateway's API.
func gatewayError(w http.ResponseWriter, status int, e *APIError) {
	writeJSON(w, status, map[string]*APIError{"error": e})
}

// answerError answers an error. An *APIError has the status 400, also for unknown ids, as at the
// real gateway.
func (g *Gateway) answerError(w http.ResponseWriter, err error) {
	if e, ok := errors.AsType[*APIError](err); ok {
		gatewayError(w, http.StatusBadRequest, e)
		return
	}
	g.sandbox.cfg.Log.Error("gateway", "err", err)
	gatewayError(w, http.StatusInternalServerError,
		&APIError{Code: "SERVER_ERROR", Description: "Something went wrong."})
}

// now returns the time of the configured clock.
func (g *Gateway) now() time.Time { return g.sandbox.cfg.Clock() }
