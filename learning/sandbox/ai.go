package sandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// OpComplete is the operation of the AI provider, for Fault.On and for the counters: POST
// /v1/chat/completions, with and without a stream.
const OpComplete = "ai.complete"

// AIModel is the model of the AI provider.
const AIModel = "sandbox-stand-in"

// AI is the AI provider. Its API has the format of OpenAI's chat completions. [Faults] makes it
// fail.
type AI struct {
	sandbox *Sandbox
	faults  *Faults

	mu          sync.Mutex
	changed     chan struct{} // closed and replaced at each change of the fields below
	received    int           // the calls that have arrived, also those that were refused or failed
	cancelled   int           // see routes
	calls       []AICall      // see Calls
	answers     []string      // the scripted answers that no call has taken yet
	unsupported AIUnsupported
}

// AICall is a request that the provider has received.
type AICall struct {
	Messages  []AIMessage
	Schema    string // the JSON Schema of response_format; "" without
	MaxTokens int
	Stream    bool
}

// AIMessage is a message of an [AICall].
type AIMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// AIUnsupported names the features that the provider does not support, as some real ones do not.
type AIUnsupported struct {
	Schema        bool // response_format is refused with 400
	StreamOptions bool // stream_options is refused with 400
	Usage         bool // the number of tokens is not reported
}

func newAI(s *Sandbox) *AI {
	return &AI{sandbox: s, faults: newFaults(s.done), changed: make(chan struct{})}
}

// Faults makes the AI provider fail, and counts its calls. To delay an answer until a condition of
// a test is met, use FaultHang with a Release before the answer, and FaultStall in the middle of
// it.
func (a *AI) Faults() *Faults { return a.faults }

// Answer adds texts to the scripted answers: each of the next calls takes the first one that is
// left. A call that finds none gets a generated answer.
func (a *AI) Answer(texts ...string) {
	a.change(func() { a.answers = append(a.answers, texts...) })
}

// SetUnsupported sets the features that the provider does not support. By default it supports all
// of them.
func (a *AI) SetUnsupported(u AIUnsupported) { a.change(func() { a.unsupported = u }) }

// Calls returns the requests with the right key and a valid body, in the order of their arrival.
// Unlike Faults().Calls it omits requests that a fault ended before they were read.
func (a *AI) Calls() []AICall {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.calls)
}

// Cancelled returns the number of calls whose caller disconnected before the answer was complete.
func (a *AI) Cancelled() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cancelled
}

// WaitCalls waits until n calls have arrived, or ctx is done. Unlike Calls it counts every request,
// also one with a wrong key.
func (a *AI) WaitCalls(ctx context.Context, n int) error {
	return a.wait(ctx, func() bool { return a.received >= n })
}

// WaitCancelled waits until n calls were cancelled by their callers, or ctx is done.
func (a *AI) WaitCancelled(ctx context.Context, n int) error {
	return a.wait(ctx, func() bool { return a.cancelled >= n })
}

// wait waits until a condition is true, or ctx is done. It calls condition while it holds the lock.
func (a *AI) wait(ctx context.Context, condition func() bool) error {
	// The channel is read together with the condition, so that no change between them is missed.
	for {
		a.mu.Lock()
		ok, changed := condition(), a.changed
		a.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// change calls fn, which changes the fields, while it holds the lock, and ends the waits for a
// change.
func (a *AI) change(fn func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fn()
	close(a.changed)
	a.changed = make(chan struct{})
}

// routes adds the route of the provider. A call counts as received when it arrives, and as
// cancelled if its caller left before the last part of the answer was written.
func (a *AI) routes(mux *http.ServeMux) {
	handler := a.faults.wrap(OpComplete, a.serve)
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		answered := new(bool) // which markAnswered sets
		r = r.WithContext(context.WithValue(r.Context(), answeredKey{}, answered))
		a.change(func() { a.received++ })
		defer func() { // also when a fault has ended the request
			if r.Context().Err() != nil && !*answered {
				a.change(func() { a.cancelled++ })
			}
		}()
		handler(w, r)
	})
}

type answeredKey struct{}

// markAnswered records that only the last part of the answer is left to write, so that a caller
// that disconnects from then on does not count as cancelled.
func markAnswered(r *http.Request) {
	if answered, ok := r.Context().Value(answeredKey{}).(*bool); ok {
		*answered = true
	}
}

// aiRequest is the part of a request that the provider reads.
type aiRequest struct {
	Model     string      `json:"model"`
	Messages  []AIMessage `json:"messages"`
	MaxTokens int         `json:"max_tokens"`
	Stream    bool        `json:"stream"`
	Options   *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Format *struct {
		Type   string `json:"type"`
		Schema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

// call returns the part of the request that tests see.
func (r aiRequest) call() AICall {
	c := AICall{Messages: r.Messages, MaxTokens: r.MaxTokens, Stream: r.Stream}
	if r.Format != nil {
		c.Schema = string(r.Format.Schema.Schema)
	}
	return c
}

// serve answers a call as a real provider does: it checks the key, the body, the model and the
// parameters. A call that is refused for its model has taken its scripted answer.
func (a *AI) serve(w http.ResponseWriter, r *http.Request) {
	// Refuse what a provider refuses before it reads messages.
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ") // also without it
	if !same(key, a.sandbox.cfg.AIAPIKey) {
		aiError(w, http.StatusUnauthorized, "Incorrect API key provided.", "")
		return
	}
	body, err := readAtMost(r, maxPrompt)
	var in aiRequest
	if err != nil || json.Unmarshal(body, &in) != nil || len(in.Messages) == 0 {
		aiError(w, http.StatusBadRequest, "The body must be a JSON object with messages.",
			"messages")
		return
	}
	// Choose the answer: a scripted one, or that of the stand-in.
	text, unsupported := a.next(in)
	if faultOf(r).Kind == FaultProse { // a text that is no answer to the question
		text = prose
	}
	// Refuse an unknown model, and parameters that the test has declared unsupported.
	switch {
	case in.Model != AIModel:
		aiError(w, http.StatusNotFound, "The model does not exist.", "model")
	case unsupported.Schema && in.Format != nil:
		aiError(w, http.StatusBadRequest, "Unsupported parameter: response_format.",
			"response_format")
	case unsupported.StreamOptions && in.Options != nil:
		aiError(w, http.StatusBadRequest, "Unsupported parameter: stream_options.",
			"stream_options")
	default:
		a.answer(w, r, in, text, unsupported)
	}
}

// next records a call and returns the text of its answer: the next scripted one, which it takes
// from the list, or that of the stand-in. It also returns the features that are unsupported at this
// call; if the call uses one of them, serve refuses it and does not use the text.
func (a *AI) next(in aiRequest) (text string, unsupported AIUnsupported) {
	a.change(func() {
		a.calls = append(a.calls, in.call())
		unsupported = a.unsupported
		refused := unsupported.Schema && in.Format != nil ||
			unsupported.StreamOptions && in.Options != nil
		// After a refusal the caller asks again, and gets the scripted answer then.
		if len(a.answers) > 0 && !refused {
			text, a.answers = a.answers[0], a.answers[1:]
			return
		}
		text = standIn(in.call())
	})
	return text, unsupported
}

// aiError answers a failure in the format of the provider's API. param is the parameter that is
// wrong, "" for none.
func aiError(w http.ResponseWriter, status int, message, param string) {
	writeJSON(w, status,
		map[string]any{"error": map[string]string{"message": message,
			"type": "invalid_request_error", "param": param}})
}
