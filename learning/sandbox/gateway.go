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
	opListOrders   = "order.list"     // GET /v1/orders
	opGetOrder     = "order.get"      // GET /v1/orders/{id}
	OpListPayments = "order.payments" // GET /v1/orders/{id}/payments
)

// Gateway is the payment gateway. Its API has the shapes of Razorpay's Orders API.
type Gateway struct {
	sandbox *Sandbox
	state   *state
	faults  *Faults

	mu      sync.Mutex
	onOrder func(Order)
	created int
}

func newGateway(s *Sandbox) *Gateway {
	return &Gateway{sandbox: s, state: s.state, faults: newFaults(s.done)}
}

// Faults makes the gateway's API misbehave. Its checkout is never affected.
func (g *Gateway) Faults() *Faults { return g.faults }

// OrdersCreated counts the orders that were stored since the sandbox was made, also those whose answer a fault lost.
func (g *Gateway) OrdersCreated() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.created
}

// OnOrder sets a function that is called when an order is stored and its answer is not yet written, so that a test can
// end a process at just that moment. Nil takes it away.
func (g *Gateway) OnOrder(fn func(Order)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.onOrder = fn
}

func (g *Gateway) routes(mux *http.ServeMux) {
	api := func(pattern, op string, h http.HandlerFunc) {
		mux.HandleFunc(pattern, g.faults.wrap(op, g.authorized(h)))
	}
	api("POST /v1/orders", OpCreateOrder, g.serveCreate)
	api("GET /v1/orders", opListOrders, g.serveOrders)
	api("GET /v1/orders/{id}", opGetOrder, g.serveOrder)
	api("GET /v1/orders/{id}/payments", OpListPayments, g.servePayments)
	mux.HandleFunc("GET /checkout/{order}", g.checkoutPage)
	mux.HandleFunc("POST /checkout/{order}", g.checkout)
}

// authorized asks for basic auth with the key id and the key secret.
func (g *Gateway) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		idOK, secretOK := same(id, g.sandbox.cfg.GatewayKeyID), same(secret, g.sandbox.cfg.GatewayKeySecret)
		if !idOK || !secretOK {
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

func badRequest(field, description string) *APIError {
	return &APIError{Code: "BAD_REQUEST_ERROR", Description: description, Field: field}
}

func gatewayError(w http.ResponseWriter, status int, e *APIError) {
	writeJSON(w, status, map[string]*APIError{"error": e})
}

// answerError tells what the caller did wrong with 400, as this API does even for ids that do not exist.
func (g *Gateway) answerError(w http.ResponseWriter, err error) {
	if e, ok := errors.AsType[*APIError](err); ok {
		gatewayError(w, http.StatusBadRequest, e)
		return
	}
	g.sandbox.cfg.Log.Error("gateway", "err", err)
	gatewayError(w, http.StatusInternalServerError, &APIError{Code: "SERVER_ERROR", Description: "Something went wrong."})
}

func (g *Gateway) now() time.Time { return g.sandbox.cfg.Clock() }
