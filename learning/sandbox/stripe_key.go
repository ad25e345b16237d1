package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"time"
)

// keptKeys is how long Stripe remembers an idempotency key.
const keptKeys = 24 * time.Hour

// stripeKey is the answer to the first request with an idempotency key.
type stripeKey struct {
	Request string // a digest of the method, the path and the body
	Status  int
	Body    string
	At      int64 // Unix seconds
}

// once answers a request with an idempotency key as Stripe does: the first request is performed, a
// repeated one gets the answer of the first, also if that is a failure, and another request with
// the key is refused. An answer is remembered for a day. A request with wrong parameters is not
// remembered.
func (st *Stripe) once(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if key == "" {
			next(w, r)
			return
		}
		body, err := readBody(r)
		if err != nil {
			stripeError(w, refuse("", "The body cannot be read."))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		digest := sha256.Sum256([]byte(r.Method + " " + r.URL.Path + "\n" + string(body)))
		request := hex.EncodeToString(digest[:])
		// Only one request with a key runs at a time.
		if !st.begin(key) {
			stripeError(w, &StripeError{Status: http.StatusConflict, Type: idempotencyError,
				Code: "idempotency_key_in_use", Message: "There is currently another in-progress " +
					"request using this Idempotent Key."})
			return
		}
		defer st.end(key)
		old := st.answerOf(key)
		switch {
		case old != nil && old.Request != request:
			stripeError(w, &StripeError{Status: http.StatusBadRequest, Type: idempotencyError,
				Message: "Keys for idempotent requests can only be used with the same parameters " +
					"they were first used with."})
		case old != nil:
			w.Header().Set("Idempotent-Replayed", "true")
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.WriteHeader(old.Status)
			_, _ = io.WriteString(w, old.Body)
		default:
			rec := &recorder{header: http.Header{}, status: http.StatusOK}
			next(rec, r)
			st.remember(key, request, rec)
			rec.replay(w, r)
		}
	}
}

// begin marks a key as in use. It reports false if it is in use already.
func (st *Stripe) begin(key string) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.inFlight[key] {
		return false
	}
	st.inFlight[key] = true
	return true
}

// end marks a key as no longer in use.
func (st *Stripe) end(key string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.inFlight, key)
}

// answerOf returns the remembered answer of a key, or nil.
func (st *Stripe) answerOf(key string) (out *stripeKey) {
	oldest := st.now() - int64(keptKeys/time.Second)
	st.state.read(func(r *records) {
		if one := r.Stripe.Keys[key]; one != nil && one.At > oldest {
			out = one
		}
	})
	return out
}

// remember stores the answer to the first request with a key. It does not store a refusal of wrong
// parameters, because Stripe does not begin such a request.
func (st *Stripe) remember(key, request string, rec *recorder) {
	if rec.status == http.StatusBadRequest || rec.status == http.StatusNotFound {
		return
	}
	one := &stripeKey{Request: request, Status: rec.status, Body: rec.body.String(), At: st.now()}
	err := st.state.change(func(r *records) error {
		if r.Stripe.Keys == nil {
			r.Stripe.Keys = map[string]*stripeKey{}
		}
		r.Stripe.Keys[key] = one
		return nil
	})
	if err != nil {
		st.sandbox.cfg.Log.Error("stripe", "err", err)
	}
}
