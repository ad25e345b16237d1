package sandbox

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// faultRequest is the body of POST /sandbox/faults.
type faultRequest struct {
	Provider string    `json:"provider"` // identity, gateway, stripe or ai
	Times    *int      `json:"times"`    // default 1; 0: none; negative: until DELETE
	Kind     FaultKind `json:"kind"`
	On       string    `json:"on"`
	Status   int       `json:"status"`
	Delay    string    `json:"delay"` // such as "1.5s"
	After    bool      `json:"after"`
}

// faultKinds are the kinds of every provider and operation. The kinds of the lists below are those
// of some only: see kinds.
var faultKinds = []FaultKind{FaultNone, FaultStatus, FaultNonsense, FaultEmpty, FaultHang,
	FaultDrop}

var orderFaultKinds = []FaultKind{FaultSameID, FaultBare, FaultPaid}

var refundFaultKinds = []FaultKind{FaultPending}

var aiFaultKinds = []FaultKind{FaultProse, FaultStall, FaultCut, FaultBreak, FaultEndless}

// operations lists the operations of each provider, which can fail and are counted.
var operations = map[string][]string{
	"identity": {opKeys, OpGetUser, OpSetRole},
	"gateway":  {OpCreateOrder, OpListPayments, OpCreateRefund, OpListRefunds},
	"stripe": {OpCreateIntent, OpGetIntent, OpCancelIntent, OpListCharges, OpRefundIntent,
		OpIntentRefunds, OpListDisputes},
	"ai": {OpComplete},
}

// providers returns the faults of the providers by the names that requests give them.
func (s *Sandbox) providers() map[string]*Faults {
	return map[string]*Faults{"identity": s.identity.faults, "gateway": s.gateway.faults,
		"stripe": s.stripe.faults, "ai": s.ai.faults}
}

// addFault adds a fault. It rejects unknown fields and values, so that a misspelt fault does not go
// unnoticed. Its errors have the form of the gateway's, whatever the provider is.
func (s *Sandbox) addFault(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	var in faultRequest
	if err := dec.Decode(&in); err != nil {
		gatewayError(w, http.StatusBadRequest,
			badRequest("", "The body must be a fault in JSON: "+err.Error()))
		return
	}
	fault, e := in.fault()
	if e != nil {
		gatewayError(w, http.StatusBadRequest, e)
		return
	}
	// Once, unless the request says otherwise.
	times := 1
	if in.Times != nil {
		times = *in.Times
	}
	s.providers()[in.Provider].Next(times, fault) // there is such a provider, or e would be set
	w.WriteHeader(http.StatusNoContent)
}

// fault returns the fault of a request, or an error that names the first field with a wrong value.
// Times is not part of it.
func (in faultRequest) fault() (Fault, *APIError) {
	// Every word must be one that this provider knows.
	ops, ok := operations[in.Provider]
	if !ok {
		return Fault{}, badRequest("provider", "The provider must be identity, gateway, stripe or ai.")
	}
	if in.On != "" && !slices.Contains(ops, in.On) {
		return Fault{}, badRequest("on", "The provider has no such operation.")
	}
	if !slices.Contains(append(in.kinds(), faultKinds...), in.Kind) {
		return Fault{}, badRequest("kind",
			"The kind must be status, nonsense, empty, hang or drop, or empty for a delay; with "+
				"gateway and order.create also same-id, bare or paid; with refund.create also "+
				"pending; with stripe and intent.create also paid; with intent.refund also "+
				"pending; with ai also prose, stall, cut, break or endless.")
	}
	if in.Status != 0 && (in.Status < 200 || in.Status > 599) { // below 200 an answer is not final
		return Fault{}, badRequest("status", "The status must be from 200 to 599.")
	}
	// Convert what is valid.
	out := Fault{Kind: in.Kind, On: in.On, Status: in.Status, After: in.After}
	if in.Delay != "" {
		d, err := time.ParseDuration(in.Delay)
		if err != nil || d < 0 {
			return Fault{}, badRequest("delay", `The delay must be a duration such as "1.5s".`)
		}
		out.Delay = d
	}
	return out, nil
}

// kinds returns the kinds of faults that only this provider and operation have, in a slice to which
// the caller may append.
func (in faultRequest) kinds() []FaultKind {
	switch {
	case in.Provider == "ai":
		return slices.Clone(aiFaultKinds)
	case in.Provider == "gateway" && in.On == OpCreateOrder:
		return slices.Clone(orderFaultKinds)
	case in.Provider == "stripe" && in.On == OpCreateIntent:
		return []FaultKind{FaultPaid}
	case in.Provider == "gateway" && in.On == OpCreateRefund,
		in.Provider == "stripe" && in.On == OpRefundIntent:
		return slices.Clone(refundFaultKinds)
	default:
		return nil
	}
}

// clearFaults removes the pending faults of all providers. Requests that hang go on doing so.
func (s *Sandbox) clearFaults(w http.ResponseWriter, _ *http.Request) {
	for _, f := range s.providers() {
		f.Clear()
	}
	w.WriteHeader(http.StatusNoContent)
}

// serveCounters answers with counts: the calls of each operation under its name, the orders that
// were created, the PaymentIntents that were created, and the AI calls that were cancelled.
func (s *Sandbox) serveCounters(w http.ResponseWriter, _ *http.Request) {
	out := map[string]int{"ordersCreated": s.gateway.OrdersCreated(),
		"intentsCreated": s.stripe.IntentsCreated(), "aiCancelled": s.ai.Cancelled()}
	for provider, faults := range s.providers() {
		for _, op := range operations[provider] {
			out[op] = faults.Calls(op) // also of calls that did not fail
		}
	}
	writeJSON(w, http.StatusOK, out)
}
