package sandbox

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// FaultKind is a kind of failure.
type FaultKind string

// The kinds of faults.
const (
	FaultNone     FaultKind = ""         // the normal answer, after Delay
	FaultStatus   FaultKind = "status"   // Fault.Status with an error body
	FaultNonsense FaultKind = "nonsense" // 200 with HTML, as a failing proxy sends it
	FaultEmpty    FaultKind = "empty"    // 200 with no body
	// no answer until the caller disconnects or Fault.Release is closed
	FaultHang FaultKind = "hang"
	// the connection is closed without an answer; the clients of this module send a request to the
	// gateway once more then, so that a call meets two of them
	FaultDrop FaultKind = "drop"

	// Of the payment gateway's OpCreateOrder only, FaultPaid of Stripe's OpCreateIntent too:
	// the answer has the id of the latest order, and no new order is stored
	FaultSameID FaultKind = "same-id"
	FaultBare   FaultKind = "bare" // the answer has an id and nothing else
	FaultPaid   FaultKind = "paid" // the order is paid, and the webhook sent, before the answer

	// Of the payment gateway's OpCreateRefund and Stripe's OpRefundIntent only:
	FaultPending FaultKind = "pending" // the refund is pending until ProcessRefund or FailRefund

	// Of the AI provider only:
	FaultProse FaultKind = "prose" // a text, whatever the requested format

	// Of the AI provider only, after half of the answer:
	// nothing until the caller disconnects or Fault.Release is closed
	FaultStall FaultKind = "stall"
	FaultCut   FaultKind = "cut"   // the connection is closed
	FaultBreak FaultKind = "break" // the end, in a stream after an error object
	// the last part again and again, until the caller disconnects
	FaultEndless FaultKind = "endless"
)

// Fault is one failure of a provider.
type Fault struct {
	Kind   FaultKind
	On     string        // the operation that fails, such as OpCreateOrder; any if empty
	Status int           // for FaultStatus; default 500
	Delay  time.Duration // before the answer, with every kind
	// perform the request first, so that only the answer is lost; the kinds that only one provider
	// has then have no effect
	After bool
	// Release, when closed, ends a hang or a stall, and the normal answer follows. If it is nil,
	// the hang ends when the caller disconnects or the sandbox is closed.
	Release <-chan struct{}
}

// Faults makes one provider's API fail, and counts its calls. It is safe for concurrent use.
type Faults struct {
	done <-chan struct{}

	mu    sync.Mutex
	queue []*queued
	calls map[string]int
}

type queued struct {
	fault Fault
	left  int // the number of requests that it still applies to; negative for all
}

// newFaults returns faults of one provider, without any. When done is closed, hanging requests end.
func newFaults(done <-chan struct{}) *Faults {
	return &Faults{done: done, calls: map[string]int{}}
}

// Next applies the fault to the next n matching requests, after the faults of earlier calls. A
// negative n applies it to all requests until Clear.
func (f *Faults) Next(n int, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n != 0 {
		f.queue = append(f.queue, &queued{fault, n})
	}
}

// Clear removes all pending faults. It does not end requests that hang.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = nil
}

// Calls returns the number of requests for an operation, including those that failed.
func (f *Faults) Calls(op string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[op]
}

// take counts a request for an operation, and returns the fault to apply to it; false for none.
func (f *Faults) take(op string) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[op]++
	// The first fault in the queue that fits the operation is used.
	i := slices.IndexFunc(f.queue,
		func(q *queued) bool { return q.fault.On == "" || q.fault.On == op })
	if i < 0 {
		return Fault{}, false
	}
	q := f.queue[i]
	// A negative count never reaches 0: such a fault stays.
	if q.left--; q.left == 0 {
		f.queue = slices.Delete(f.queue, i, i+1)
	}
	return q.fault, true
}

// wrap returns a handler that applies the faults of an operation.
func (f *Faults) wrap(op string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		fault, ok := f.take(op)
		if !ok {
			next(w, r)
			return
		}
		f.apply(w, r, fault, next)
	}
}

// apply answers a request with a fault, before or in place of the answer of next.
func (f *Faults) apply(w http.ResponseWriter, r *http.Request, fault Fault, next http.HandlerFunc) {
	// net/http detects a caller that disconnects only after the body was read. A body that is too
	// large for every provider fails here too.
	body, err := readAtMost(r, maxPrompt) // the most that any provider reads
	if err != nil {
		panic(http.ErrAbortHandler) // closes the connection without an answer
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := next
	// Execute the request first if the fault damages only its answer.
	if fault.After {
		rec := &recorder{header: http.Header{}, status: http.StatusOK}
		next(rec, r)
		answer = rec.replay
	}
	// Be slow, unless the caller or the sandbox ends it.
	if fault.Delay > 0 && !wait(f, r, time.After(fault.Delay)) {
		panic(http.ErrAbortHandler)
	}
	f.reply(w, r, fault, answer)
}

// reply applies the kind of a fault: to answer, or in its place.
func (f *Faults) reply(w http.ResponseWriter, r *http.Request, fault Fault,
	answer http.HandlerFunc) {
	switch fault.Kind {
	case FaultStatus:
		status := fault.Status
		if status == 0 {
			status = http.StatusInternalServerError
		}
		writeJSON(w, status,
			map[string]any{"error": map[string]string{"code": "SERVER_ERROR",
				"description": "Something went wrong."}})
	case FaultNonsense:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w,
			"<!doctype html><title>502 Bad Gateway</title><p>The page cannot be shown.")
	case FaultEmpty:
		w.WriteHeader(http.StatusOK)
	case FaultHang:
		if !wait(f, r, fault.Release) {
			panic(http.ErrAbortHandler)
		}
		answer(w, r)
	case FaultDrop:
		panic(http.ErrAbortHandler) // net/http closes the connection without an answer
	default: // FaultNone, or a kind that the handler applies itself: see faultOf
		answer(w, r.WithContext(context.WithValue(r.Context(), faultKey{}, fault)))
	}
}

type faultKey struct{}

// faultOf returns the fault that a handler must apply itself, because only it can: in the middle of
// its answer, or by what it stores. It returns the zero Fault, which changes nothing, if there is
// none.
func faultOf(r *http.Request) Fault {
	fault, _ := r.Context().Value(faultKey{}).(Fault)
	return fault
}

// wait reports whether the event came before the request was cancelled or the sandbox closed. A nil
// channel never delivers an event.
func wait[T any](f *Faults, r *http.Request, event <-chan T) bool {
	select {
	case <-event:
		return true
	case <-r.Context().Done():
		return false
	case <-f.done:
		return false
	}
}

// recorder is an [http.ResponseWriter] that buffers an answer, so that it can be sent later. A
// handler that calls no WriteHeader leaves the status as it is.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }

// replay sends the recorded answer.
func (r *recorder) replay(w http.ResponseWriter, _ *http.Request) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body.Bytes()) // the client may be gone
}
