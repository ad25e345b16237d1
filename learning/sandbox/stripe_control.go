package sandbox

import (
	"context"
	"net/http"
)

// controlRoutes are the routes with which a test in another process lets things happen at Stripe.
func (st *Stripe) controlRoutes(mux *http.ServeMux) {
	const intents = "/sandbox/stripe/intents"
	mux.HandleFunc("GET "+intents, st.listIntents)
	mux.HandleFunc("GET "+intents+"/{id}/refunds", st.listRefunds)
	mux.HandleFunc("GET "+intents+"/{id}/disputes", st.listDisputes)
	mux.HandleFunc("POST "+intents+"/{id}/payments", control(st.payIntent))
	mux.HandleFunc("POST "+intents+"/{id}/cancel", controlOf(st.Cancel))
	mux.HandleFunc("POST "+intents+"/{id}/refund", controlOf(st.Refund))
	mux.HandleFunc("POST "+intents+"/{id}/dispute", controlOf(st.Dispute))
	mux.HandleFunc("POST /sandbox/stripe/refunds/{id}/process", controlOf(st.ProcessRefund))
	mux.HandleFunc("POST /sandbox/stripe/refunds/{id}/fail", controlOf(st.FailRefund))
	mux.HandleFunc("POST /sandbox/stripe/disputes/{id}/win", controlOf(st.WinDispute))
	mux.HandleFunc("POST /sandbox/stripe/disputes/{id}/lose", controlOf(st.LoseDispute))
}

// controlOf returns the handler of a control route that calls a method of Stripe with an id and the
// options of the body.
func controlOf[T any](do func(id string, opts ...PayOption) (T, error)) http.HandlerFunc {
	return control(func(_ context.Context, id string, in refundRequest) (any, error) {
		options := payRequest{Amount: in.Amount, Notes: in.Notes,
			WithoutWebhook: in.WithoutWebhook}.options()
		return orNone(do(id, options...))
	})
}

// payIntent makes a payment of a PaymentIntent, or decides one that is processing.
func (st *Stripe) payIntent(_ context.Context, id string, in payRequest) (any, error) {
	// The action is the name of a method.
	do, ok := map[string]func(string, ...PayOption) (PaymentIntent, error){
		"pay": st.Pay, "fail": st.Fail, "confirm": st.RequireAction, "process": st.Process,
		"authorize": st.Authorize}[in.Action]
	if !ok {
		return nil, badRequest("action",
			"The action must be pay, fail, confirm, process or authorize.")
	}
	return orNone(do(id, in.options()...))
}

func (st *Stripe) listIntents(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"items": st.Intents()})
}

func (st *Stripe) listRefunds(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"items": st.Refunds(r.PathValue("id"))})
}

func (st *Stripe) listDisputes(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"items": st.Disputes(r.PathValue("id"))})
}
