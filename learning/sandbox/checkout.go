package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// proof is the proof of payment that a client sends to the platform.
type proof struct {
	OrderID   string `json:"gateway_order_id"`
	PaymentID string `json:"gateway_payment_id"`
	Signature string `json:"gateway_signature"`
}

type checkoutData struct {
	Order    Order
	Payment  Payment
	Proof    proof
	Body     string // the body of a request to verify-gateway
	Platform string
	Message  string
	// URL of the front end to which the browser returns; empty if the request names none
	Return string
	Cancel string // the same, for a user who does not pay
}

// checkoutPage shows the form, or, if the order is paid, the payment. If the order is paid and the
// request names a URL to return to, the browser is sent there.
func (g *Gateway) checkoutPage(w http.ResponseWriter, r *http.Request) {
	back, err := g.sandbox.returnTo(r)
	if err != nil {
		g.checkoutError(w, r, http.StatusBadRequest, Order{}, err)
		return
	}
	o, err := g.Order(r.PathValue("order"))
	if err != nil {
		g.checkoutError(w, r, http.StatusNotFound, Order{}, err)
		return
	}
	// A form that is opened again after the payment must not offer to pay.
	p, isPaid := g.captured(o.ID)
	switch {
	case !isPaid: // back may be nil, which has no URLs
		g.sandbox.render(w, http.StatusOK, "checkout.html", "Checkout",
			checkoutData{Order: o, Return: back.String(),
				Cancel: back.with("payment", "cancelled")})
	case back != nil:
		back.redirect(w, r, g.proof(p).query()...)
	default:
		g.paidPage(w, o, p)
	}
}

// captured returns the first payment of an order that was captured, and whether there is one.
func (g *Gateway) captured(orderID string) (Payment, bool) {
	payments, _ := g.Payments(orderID) // none of an unknown order
	for _, p := range payments {
		if p.Captured {
			return p, true
		}
	}
	return Payment{}, false
}

// checkout makes a payment that succeeds or fails, according to the field action of a form or of a
// JSON object. A program that accepts JSON gets the proof of payment. A browser whose request names
// a URL to return to is sent there.
func (g *Gateway) checkout(w http.ResponseWriter, r *http.Request) {
	back, err := g.sandbox.returnTo(r)
	if err != nil {
		g.checkoutError(w, r, http.StatusBadRequest, Order{}, err)
		return
	}
	// A program that wants JSON gets the result here, without a redirection.
	if wantsJSON(r) {
		back = nil
	}
	// Read what the form asks for.
	action, err := readAction(r, back != nil)
	if err != nil {
		g.checkoutError(w, r, http.StatusBadRequest, Order{}, err)
		return
	}
	if back != nil {
		g.checkoutAndReturn(w, r, action, back)
		return
	}
	g.checkoutHere(w, r, action)
}

// checkoutHere makes a payment that succeeds, or fails if the action says so, and answers with its
// result.
func (g *Gateway) checkoutHere(w http.ResponseWriter, r *http.Request, action string) {
	do := g.Pay // late is an action of checkoutAndReturn only
	if action == "fail" {
		do = g.Fail
	}
	p, err := do(r.PathValue("order"))
	// The page shows the order also if the payment was refused. An unknown order is empty.
	o, _ := g.Order(r.PathValue("order"))
	switch {
	case err != nil:
		g.checkoutError(w, r, paymentStatus(err), o, err)
	case action == "fail":
		g.failed(w, r, o, p)
	case wantsJSON(r):
		writeJSON(w, http.StatusOK, g.proof(p))
	default:
		g.paidPage(w, o, p)
	}
}

// paymentStatus returns the status of the answer for an error of a payment. It is meant for an
// *APIError: checkoutError answers others with 500.
func paymentStatus(err error) int {
	if errors.Is(err, ErrUnknownOrder) {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// readAction reads pay or fail, or late if the browser returns to a front end.
func readAction(r *http.Request, returns bool) (string, error) {
	b, err := readBody(r)
	if err != nil {
		return "", badRequest("action", "The form cannot be read.")
	}
	switch action := actionIn(b); {
	case action == "pay", action == "fail", action == "late" && returns:
		return action, nil
	case returns:
		return "", badRequest("action", "The action must be pay, late or fail.")
	}
	return "", badRequest("action", "The action must be pay or fail.")
}

// actionIn returns the action in a body, which is a form or a JSON object, or "" if there is none.
func actionIn(body []byte) string {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		var fields struct{ Action string }
		_ = json.Unmarshal(body, &fields) // the action of an invalid body is empty
		return fields.Action
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return ""
	}
	return form.Get("action")
}

// proof returns the proof of a payment, whether it is captured or not.
func (g *Gateway) proof(p Payment) proof {
	return proof{OrderID: p.OrderID, PaymentID: p.ID, Signature: g.Signature(p.OrderID, p.ID)}
}

// paidPage shows a payment with its proof, and the request that hands it to the platform.
func (g *Gateway) paidPage(w http.ResponseWriter, o Order, p Payment) {
	data := checkoutData{Order: o, Payment: p, Proof: g.proof(p), Platform: g.sandbox.platform()}
	body, _ := json.Marshal(data.Proof) // no error: it has three strings
	data.Body = string(body)
	g.sandbox.render(w, http.StatusOK, "paid.html", "Paid", data)
}

// failed answers a payment that failed. The status is 200, because the caller requested the
// failure.
func (g *Gateway) failed(w http.ResponseWriter, r *http.Request, o Order, p Payment) {
	if !wantsJSON(r) {
		g.sandbox.render(w, http.StatusOK, "failed.html", "Payment failed",
			checkoutData{Order: o, Payment: p})
		return
	}
	gatewayError(w, http.StatusOK,
		&APIError{Code: "BAD_REQUEST_ERROR", Description: "The payment failed",
			Reason:   "payment_failed",
			Metadata: map[string]string{"order_id": p.OrderID, "payment_id": p.ID}})
}

// checkoutError answers an error of the checkout with a status: as JSON to a program, else as a
// page that names the order. An error that is no *APIError is a 500.
func (g *Gateway) checkoutError(w http.ResponseWriter, r *http.Request, status int, o Order,
	err error) {
	e, ok := errors.AsType[*APIError](err)
	if !ok {
		g.answerError(w, err)
		return
	}
	if wantsJSON(r) {
		gatewayError(w, status, e)
		return
	}
	g.sandbox.render(w, status, "error.html", "That did not work",
		checkoutData{Order: o, Message: e.Description})
}
