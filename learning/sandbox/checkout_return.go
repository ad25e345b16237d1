package sandbox

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// lateTime is the time after which payLate captures a payment.
const lateTime = 5 * time.Second

// backURL is a URL of the front end to which the checkout returns. Nil means that the request names
// none.
type backURL url.URL

// returnTo reads the URL of the query parameter return; nil if there is none. It must be one of
// Config.FrontendOrigin, so that a link to the sandbox cannot send a proof of payment elsewhere.
// The error is an *APIError.
func (s *Sandbox) returnTo(r *http.Request) (*backURL, error) {
	value := r.URL.Query().Get("return")
	if value == "" {
		return nil, nil
	}
	origin := s.cfg.FrontendOrigin
	if origin == "" {
		return nil, badRequest("return",
			"The sandbox has no front end to return to: set the front-end origin "+
				"(LEARNING_FRONTEND_ORIGIN).")
	}
	// The scheme and the host must be those of the front end.
	u, err := url.Parse(value)
	if err != nil || u.User != nil || !strings.EqualFold(u.Scheme+"://"+u.Host, origin) {
		return nil, badRequest("return", "The return must be a URL of the front end, "+origin+".")
	}
	return (*backURL)(u), nil
}

// String returns the URL, or "" for nil.
func (b *backURL) String() string {
	if b == nil {
		return ""
	}
	return (*url.URL)(b).String()
}

// with returns the URL with query parameters, given as names and values, or "" for nil.
func (b *backURL) with(query ...string) string {
	if b == nil {
		return ""
	}
	u := url.URL(*b)
	q := u.Query()
	for i := 0; i < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// redirect sends the browser to the URL with query parameters. b must not be nil.
func (b *backURL) redirect(w http.ResponseWriter, r *http.Request, query ...string) {
	w.Header().Set("Cache-Control", "no-store") // the URL may have a proof of payment
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, b.with(query...), http.StatusSeeOther)
}

// query returns the query parameters with which the browser returns from a payment.
func (p proof) query() []string {
	return []string{"gateway_order_id", p.OrderID, "gateway_payment_id", p.PaymentID,
		"gateway_signature", p.Signature}
}

// checkoutAndReturn makes a payment and sends the browser back: with the proof, or with
// payment=failed, or with payment=pending if the payment is captured later. A form that is sent
// twice returns with the proof of the first payment.
func (g *Gateway) checkoutAndReturn(w http.ResponseWriter, r *http.Request, action string,
	back *backURL) {
	id := r.PathValue("order")
	// Do what the form asks for.
	var p Payment
	var err error
	switch action {
	case "pay":
		p, err = g.Pay(id)
	case "late":
		err = g.payLate(id)
	case "fail":
		_, err = g.Fail(id)
	}
	// Send the browser back with what has happened.
	paid, isPaid := g.captured(id)
	switch {
	// The form was sent before. A paid order always has a captured payment: isPaid is a precaution.
	case errors.Is(err, ErrOrderPaid) && isPaid:
		back.redirect(w, r, g.proof(paid).query()...)
	case err != nil:
		g.checkoutError(w, r, paymentStatus(err), Order{}, err)
	case action == "pay":
		back.redirect(w, r, g.proof(p).query()...)
	default:
		back.redirect(w, r, "payment",
			map[string]string{"late": "pending", "fail": "failed"}[action])
	}
}

// payLate authorizes a payment of the order now, and captures it after some seconds, unless the
// order is paid until then. It does nothing, without an error, if a capture of the order is
// waiting, or if the sandbox is closed. Errors: ErrUnknownOrder, ErrOrderPaid.
func (g *Gateway) payLate(orderID string) error {
	// The lock is held to the end, so that one capture of an order waits, and none begins in close.
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.late[orderID] {
		return nil
	}
	// Authorize now.
	p, err := g.Authorize(orderID)
	if err != nil {
		return err
	}
	// Capture later. Close waits for it.
	g.late[orderID] = true
	after := g.lateAfter
	g.captures.Go(func() { g.captureLate(p, after) })
	return nil
}

// captureLate captures an authorized payment after a time, unless its order has been paid
// meanwhile. A payment that waits when the sandbox is closed stays authorized. Errors are logged,
// because no caller waits.
func (g *Gateway) captureLate(p Payment, after time.Duration) {
	select {
	case <-time.After(after):
	case <-g.sandbox.done:
		return
	}
	// From now on payLate may start another one for the order.
	g.mu.Lock()
	delete(g.late, p.OrderID)
	g.mu.Unlock()
	if _, isPaid := g.captured(p.OrderID); isPaid { // by another payment
		return
	}
	if _, err := g.Capture(p.ID); err != nil {
		g.sandbox.cfg.Log.Error("capture late", "payment", p.ID, "err", err)
	}
}

// close waits for captureLate. Sandbox.done must be closed.
func (g *Gateway) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.captures.Wait()
}
