package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// controlRoutes are the routes with which a test in another process lets things happen at the
// providers.
func (s *Sandbox) controlRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /sandbox/orders", s.listOrders)
	mux.HandleFunc("GET /sandbox/orders/{id}/payments", s.gateway.servePayments)
	mux.HandleFunc("POST /sandbox/orders/{id}/payments", control(s.pay))
	mux.HandleFunc("POST /sandbox/payments/{id}/capture", control(s.capturePayment))
	mux.HandleFunc("POST /sandbox/payments/{id}/refund", control(s.refundPayment))
	mux.HandleFunc("GET /sandbox/payments/{id}/refunds", s.gateway.serveRefunds)
	mux.HandleFunc("POST /sandbox/refunds/{id}/process", control(s.processRefund))
	mux.HandleFunc("POST /sandbox/refunds/{id}/fail", control(s.failRefund))
	mux.HandleFunc("PUT /sandbox/users/{id}", control(s.putUser))
	mux.HandleFunc("DELETE /sandbox/users/{id}", control(s.deleteUser))
	mux.HandleFunc("GET /sandbox/webhooks", s.listWebhooks)
	mux.HandleFunc("PUT /sandbox/webhooks", control(s.holdWebhooks))
	mux.HandleFunc("POST /sandbox/webhooks/{id}/resend", control(s.resendWebhook))
}

// control returns a handler that decodes the body, which may be empty, and answers 200 with the
// result of do, 204 if it is nil, or the error. It rejects unknown fields, so that a misspelt one
// does not go unnoticed.
func control[In any](do func(ctx context.Context, id string, in In) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// Decode the body.
		body, err := readBody(r)
		var in In
		if body = bytes.TrimSpace(body); err == nil && len(body) > 0 {
			dec := json.NewDecoder(bytes.NewReader(body))
			dec.DisallowUnknownFields()
			err = dec.Decode(&in)
		}
		if err != nil {
			gatewayError(w, http.StatusBadRequest,
				badRequest("",
					"The body must be a JSON object with the fields of docs/testing.md: "+
						err.Error()))
			return
		}
		// Do what it asks for, and answer.
		out, err := do(r.Context(), r.PathValue("id"), in)
		switch {
		case err != nil:
			controlError(w, err)
		case out == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			writeJSON(w, http.StatusOK, out)
		}
	}
}

// controlError answers 404 for an unknown id, 400 for another error of the caller, and 502 for all
// others, such as a webhook that the platform did not accept. The body has the form of the gateway,
// with the code BAD_REQUEST_ERROR for all of them.
func controlError(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	e, isAPIError := errors.AsType[*APIError](err)
	if of, ok := errors.AsType[*StripeError](err); ok { // in the form of the gateway, as all are
		e, isAPIError = badRequest(of.Param, of.Message), true
	}
	switch {
	case errors.Is(err, ErrUnknownOrder), errors.Is(err, ErrUnknownPayment),
		errors.Is(err, ErrUnknownRefund), errors.Is(err, ErrUnknownUser),
		errors.Is(err, ErrUnknownWebhook), errors.Is(err, ErrUnknownStripeID):
		status = http.StatusNotFound
	case isAPIError:
		status = http.StatusBadRequest
	}
	if !isAPIError {
		e = badRequest("", err.Error())
	}
	gatewayError(w, status, e)
}

func (s *Sandbox) listOrders(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"items": s.gateway.Orders()})
}

func (s *Sandbox) listWebhooks(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"items": s.Deliveries()})
}

// payRequest is an attempt to pay. Its fields are the methods and options of the gateway.
type payRequest struct {
	Action         string          `json:"action"` // pay, fail or authorize
	Amount         int64           `json:"amount"`
	Notes          json.RawMessage `json:"notes"`
	Again          bool            `json:"again"`
	WithoutWebhook bool            `json:"withoutWebhook"`
}

// options returns the options of a request; a field that is missing sets none.
func (in payRequest) options() (opts []PayOption) {
	if in.Amount != 0 {
		opts = append(opts, WithAmount(in.Amount))
	}
	if in.Notes != nil {
		opts = append(opts, WithNotes(in.Notes))
	}
	if in.Again {
		opts = append(opts, Again())
	}
	if in.WithoutWebhook {
		opts = append(opts, WithoutWebhook())
	}
	return opts
}

// pay makes a payment of an order that succeeds, fails or is authorized.
func (s *Sandbox) pay(_ context.Context, order string, in payRequest) (any, error) {
	// The action is the name of a method of the gateway.
	do, ok := map[string]func(string, ...PayOption) (Payment, error){
		"pay": s.gateway.Pay, "fail": s.gateway.Fail, "authorize": s.gateway.Authorize}[in.Action]
	if !ok {
		return nil, badRequest("action", "The action must be pay, fail or authorize.")
	}
	return s.paid(do(order, in.options()...))
}

func (s *Sandbox) capturePayment(_ context.Context, id string, _ struct{}) (any, error) {
	return s.paid(s.gateway.Capture(id))
}

// refundRequest is a refund that is started at the gateway. Its fields are the options of
// Gateway.Refund.
type refundRequest struct {
	Amount         int64           `json:"amount"`
	Notes          json.RawMessage `json:"notes"`
	WithoutWebhook bool            `json:"withoutWebhook"`
}

// refundPayment refunds a payment. It makes the options from those fields of a payRequest that a
// refund has too.
func (s *Sandbox) refundPayment(_ context.Context, id string, in refundRequest) (any, error) {
	return s.paid(s.gateway.Refund(id,
		payRequest{Amount: in.Amount, Notes: in.Notes,
			WithoutWebhook: in.WithoutWebhook}.options()...))
}

// processRefund processes a pending refund. Of the fields of in only withoutWebhook has an effect.
func (s *Sandbox) processRefund(_ context.Context, id string, in payRequest) (any, error) {
	return orNone(s.gateway.ProcessRefund(id, in.options()...))
}

// failRefund lets a refund fail. Of the fields of in only withoutWebhook has an effect.
func (s *Sandbox) failRefund(_ context.Context, id string, in payRequest) (any, error) {
	return orNone(s.gateway.FailRefund(id, in.options()...))
}

// orNone returns an object as the result of a control request; nil with an error.
func orNone[T any](object T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return object, nil
}

// paid returns a payment together with its proof for the platform, as the result of a control
// request; nil with an error. A payment that is not captured has the proof too, so that a test can
// offer it to the platform.
func (s *Sandbox) paid(p Payment, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return struct {
		Payment
		Proof proof `json:"proof"`
	}{p, s.gateway.proof(p)}, nil
}

type userRequest struct {
	FirstName      string `json:"firstName"`
	LastName       string `json:"lastName"`
	Email          string `json:"email"`
	ImageURL       string `json:"imageUrl"`
	Role           string `json:"role"`
	WithoutWebhook bool   `json:"withoutWebhook"`
}

// putUser creates or replaces a user, and answers with no body.
func (s *Sandbox) putUser(_ context.Context, id string, in userRequest) (any, error) {
	put := s.identity.PutUser
	if in.WithoutWebhook {
		put = s.identity.PutUserQuietly
	}
	return nil, put(User{ID: id, FirstName: in.FirstName, LastName: in.LastName, Email: in.Email,
		ImageURL: in.ImageURL, Role: in.Role})
}

func (s *Sandbox) deleteUser(_ context.Context, id string, _ struct{}) (any, error) {
	return nil, s.identity.DeleteUser(id)
}

// holdWebhooks starts or ends holding webhooks, for all of the sandbox.
func (s *Sandbox) holdWebhooks(_ context.Context, _ string, in struct {
	Hold bool `json:"hold"`
}) (any, error) {
	s.HoldWebhooks(in.Hold)
	return nil, nil
}

// resendWebhook sends a webhook once more. It returns an error unless the platform accepts it.
func (s *Sandbox) resendWebhook(ctx context.Context, id string, _ struct{}) (any, error) {
	return nil, s.Resend(ctx, id)
}
