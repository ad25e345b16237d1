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
}

// checkoutPage shows the form, or, if the order is paid, the payment.
func (g *Gateway) checkoutPage(w http.ResponseWriter, r *http.Request) {
	o, err := g.Order(r.PathValue("order"))
	if err != nil {
		g.checkoutError(w, r, http.StatusNotFound, Order{}, err)
		return
	}
	if o.Status != OrderPaid {
		g.sandbox.render(w, http.StatusOK, "checkout.html", "Checkout", checkoutData{Order: o})
		return
	}
	payments, _ := g.Payments(o.ID) // of an order that has just been found
	for _, p := range payments {
		if p.Captured {
			g.paidPage(w, o, p)
			return
		}
	}
}

// checkout makes a payment that succeeds or fails, according to the field action of a form or of a JSON object. A
// program that accepts JSON gets the proof of payment.
func (g *Gateway) checkout(w http.ResponseWriter, r *http.Request) {
	action, err := readAction(r)
	if err != nil {
		g.checkoutError(w, r, http.StatusBadRequest, Order{}, err)
		return
	}
	do := g.Pay
	if action == "fail" {
		do = g.Fail
	}
	p, err := do(r.PathValue("order"))
	o, _ := g.Order(r.PathValue("order"))
	switch {
	case errors.Is(err, ErrUnknownOrder):
		g.checkoutError(w, r, http.StatusNotFound, o, err)
	case err != nil:
		g.checkoutError(w, r, http.StatusBadRequest, o, err)
	case action == "fail":
		g.failed(w, r, o, p)
	case wantsJSON(r):
		writeJSON(w, http.StatusOK, g.proof(p))
	default:
		g.paidPage(w, o, p)
	}
}

func readAction(r *http.Request) (string, error) {
	b, err := readBody(r)
	if err != nil {
		return "", badRequest("action", "The form cannot be read.")
	}
	action := actionIn(b)
	if action != "pay" && action != "fail" {
		return "", badRequest("action", "The action must be pay or fail.")
	}
	return action, nil
}

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

func (g *Gateway) proof(p Payment) proof {
	return proof{p.OrderID, p.ID, g.Signature(p.OrderID, p.ID)}
}

func (g *Gateway) paidPage(w http.ResponseWriter, o Order, p Payment) {
	data := checkoutData{Order: o, Payment: p, Proof: g.proof(p), Platform: g.sandbox.platform()}
	body, _ := json.Marshal(data.Proof) // three strings
	data.Body = string(body)
	g.sandbox.render(w, http.StatusOK, "paid.html", "Paid", data)
}

// failed answers a payment that failed. The status is 200, because the caller requested the failure.
func (g *Gateway) failed(w http.ResponseWriter, r *http.Request, o Order, p Payment) {
	if !wantsJSON(r) {
		g.sandbox.render(w, http.StatusOK, "failed.html", "Payment failed", checkoutData{Order: o, Payment: p})
		return
	}
	gatewayError(w, http.StatusOK, &APIError{Code: "BAD_REQUEST_ERROR", Description: "The payment failed", Reason: "payment_failed",
		Metadata: map[string]string{"order_id": p.OrderID, "payment_id": p.ID}})
}

func (g *Gateway) checkoutError(w http.ResponseWriter, r *http.Request, status int, o Order, err error) {
	e, ok := errors.AsType[*APIError](err)
	if !ok {
		g.answerError(w, err)
		return
	}
	if wantsJSON(r) {
		gatewayError(w, status, e)
		return
	}
	g.sandbox.render(w, status, "error.html", "That did not work", checkoutData{Order: o, Message: e.Description})
}
