package sandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// OpComplete is the operation of the AI provider, for Fault.On and for the counters: POST /v1/chat/completions, with and
// without a stream.
const OpComplete = "ai.complete"

// AIModel is the model of the AI provider.
const AIModel = "sandbox-stand-in"

// AI is the AI provider. Its API has the shapes of OpenAI's chat completions. See [Faults] for what can go wrong.
type AI struct {
	sandbox *Sandbox
	faults  *Faults

	mu        sync.Mutex
	changed   chan struct{} // closed, and made anew, whenever something below changes
	received  int
	cancelled int
	calls     []AICall
	answers   []string
	quirks    AIQuirks
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

// AIQuirks are what some providers lack.
type AIQuirks struct {
	NoSchema        bool // response_format is refused with 400
	NoStreamOptions bool // stream_options is refused with 400
	NoUsage         bool // tokens are not told
}

func newAI(s *Sandbox) *AI {
	return &AI{sandbox: s, faults: newFaults(s.done), changed: make(chan struct{})}
}

// Faults makes the AI provider misbehave, and counts its calls. To hold calls back until a test has seen what it wants
// to see, use FaultHang with a Release before the answer, and FaultStall in the middle of it.
func (a *AI) Faults() *Faults { return a.faults }

// Answer makes exactly these texts the answers of the next calls, one each.
func (a *AI) Answer(texts ...string) { a.change(func() { a.answers = append(a.answers, texts...) }) }

// SetQuirks changes what the provider lacks; nothing at first.
func (a *AI) SetQuirks(q AIQuirks) { a.change(func() { a.quirks = q }) }

// Calls returns the requests that had the right key, and a body that could be read, in the order in which they came.
// Unlike Faults().Calls it leaves out those that a fault kept from being read.
func (a *AI) Calls() []AICall {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.calls)
}

// Cancelled counts the calls whose caller went away before the answer was complete.
func (a *AI) Cancelled() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cancelled
}

// WaitCalls waits until n calls have come, whatever became of them.
func (a *AI) WaitCalls(ctx context.Context, n int) error {
	return a.wait(ctx, func() bool { return a.received >= n })
}

// WaitCancelled waits until n calls were cancelled by their callers.
func (a *AI) WaitCancelled(ctx context.Context, n int) error {
	return a.wait(ctx, func() bool { return a.cancelled >= n })
}

// wait returns once something is so; it is asked under the lock.
func (a *AI) wait(ctx context.Context, so func() bool) error {
	for {
		a.mu.Lock()
		ok, changed := so(), a.changed
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

func (a *AI) change(fn func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fn()
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *AI) routes(mux *http.ServeMux) {
	struck := a.faults.wrap(OpComplete, a.serve)
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		answered := new(bool)
		r = r.WithContext(context.WithValue(r.Context(), answeredKey{}, answered))
		a.change(func() { a.received++ })
		defer func() { // also when a fault has ended the request
			if r.Context().Err() != nil && !*answered {
				a.change(func() { a.cancelled++ })
			}
		}()
		struck(w, r)
	})
}

type answeredKey struct{}

// wholly notes that a request has its whole answer. A caller who goes away then cancels nothing.
func wholly(r *http.Request) {
	if answered, ok := r.Context().Value(answeredKey{}).(*bool); ok {
		*answered = true
	}
}

// aiRequest is what is read of a request.
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

func (r aiRequest) call() AICall {
	c := AICall{Messages: r.Messages, MaxTokens: r.MaxTokens, Stream: r.Stream}
	if r.Format != nil {
		c.Schema = string(r.Format.Schema.Schema)
	}
	return c
}

func (a *AI) serve(w http.ResponseWriter, r *http.Request) {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !same(key, a.sandbox.cfg.AIAPIKey) {
		aiError(w, http.StatusUnauthorized, "Incorrect API key provided.", "")
		return
	}
	body, err := readAtMost(r, maxPrompt)
	var in aiRequest
	if err != nil || json.Unmarshal(body, &in) != nil || len(in.Messages) == 0 {
		aiError(w, http.StatusBadRequest, "The body must be a JSON object with messages.", "messages")
		return
	}
	text, quirks := a.next(in)
	if faultOf(r).Kind == FaultBabble {
		text = babble
	}
	switch {
	case in.Model != AIModel:
		aiError(w, http.StatusNotFound, "The model does not exist.", "model")
	case quirks.NoSchema && in.Format != nil:
		aiError(w, http.StatusBadRequest, "Unsupported parameter: response_format.", "response_format")
	case quirks.NoStreamOptions && in.Options != nil:
		aiError(w, http.StatusBadRequest, "Unsupported parameter: stream_options.", "stream_options")
	default:
		a.answer(w, r, in, text, quirks)
	}
}

// next notes a call, and tells its answer.
func (a *AI) next(in aiRequest) (text string, quirks AIQuirks) {
	a.change(func() {
		a.calls = append(a.calls, in.call())
		quirks = a.quirks
		refused := quirks.NoSchema && in.Format != nil || quirks.NoStreamOptions && in.Options != nil
		if len(a.answers) > 0 && !refused {
			text, a.answers = a.answers[0], a.answers[1:]
			return
		}
		text = standIn(in.call())
	})
	return text, quirks
}

func aiError(w http.ResponseWriter, status int, message, param string) {
	writeJSON(w, status, map[string]any{"error": map[string]string{"message": message, "type": "invalid_request_error", "param": param}})
}
