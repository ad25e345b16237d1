package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// answer writes an answer in parts, and applies the fault of the request after the first half of
// them.
func (a *AI) answer(w http.ResponseWriter, r *http.Request, in aiRequest, text string,
	unsupported AIUnsupported) {
	// A stream is a list of events, a whole answer a list of pieces of its JSON.
	var parts []string
	if in.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		parts = a.events(in, text, unsupported)
	} else {
		w.Header().Set("Content-Type", "application/json")
		parts = a.whole(in, text, unsupported)
	}
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w).Flush
	for i, part := range parts {
		// In the middle, apply the fault of the request. There are at least two parts.
		if i == (len(parts)+1)/2 && !a.applyFault(w, r, in, parts[i-1]) {
			return
		}
		// Mark the request as answered before its last part, because a client may continue as soon
		// as it has that.
		if i == len(parts)-1 {
			markAnswered(r)
		}
		if _, err := w.Write([]byte(part)); err != nil || flush() != nil {
			return
		}
	}
}

// applyFault applies the fault of the request in the middle of an answer, and reports whether the
// rest of the answer must follow; without a fault it must. last is the part before. A panic closes
// the connection.
func (a *AI) applyFault(w http.ResponseWriter, r *http.Request, in aiRequest, last string) bool {
	flush := http.NewResponseController(w).Flush
	switch fault := faultOf(r); fault.Kind {
	case FaultStall:
		if !wait(a.faults, r, fault.Release) { // the caller or the sandbox has ended it
			panic(http.ErrAbortHandler)
		}
	case FaultCut:
		panic(http.ErrAbortHandler)
	case FaultBreak:
		// Only a stream can have an error after a status of 200.
		if in.Stream {
			fmt.Fprint(w, "data: ",
				`{"error":{"message":"The server had an error.","type":"server_error"}}`, "\n\n")
		}
		return false
	case FaultEndless:
		// Repeat the last part until the client or the sandbox ends it.
		for r.Context().Err() == nil && !closed(a.sandbox.done) {
			if _, err := w.Write([]byte(last)); err != nil || flush() != nil {
				break
			}
		}
		panic(http.ErrAbortHandler)
	}
	return true
}

// closed reports whether a channel is closed on which nothing is sent.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// aiUsage counts words as tokens.
func aiUsage(in aiRequest, text string) map[string]int {
	prompt := 0
	for _, m := range in.Messages {
		prompt += words(m.Content)
	}
	return map[string]int{"prompt_tokens": prompt, "completion_tokens": words(text),
		"total_tokens": prompt + words(text)}
}

// words returns one more than the words of a text, so that no text has 0 tokens.
func words(s string) int { return len(strings.Fields(s)) + 1 }

// whole returns an answer in one piece, in two halves, so that a fault can occur between them.
func (a *AI) whole(in aiRequest, text string, unsupported AIUnsupported) []string {
	out := map[string]any{
		"id": "chatcmpl-sandbox", "object": "chat.completion",
		"created": a.sandbox.cfg.Clock().Unix(), "model": AIModel,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": text}}},
	}
	if !unsupported.Usage {
		out["usage"] = aiUsage(in, text)
	}
	all := encode(out)
	return []string{all[:len(all)/2], all[len(all)/2:]}
}

// events returns the events of an answer as a stream.
func (a *AI) events(in aiRequest, text string, unsupported AIUnsupported) []string {
	// event returns one event. finish is the reason of the end, or nil before the end.
	event := func(delta map[string]any, finish any) string {
		return "data: " + encode(map[string]any{
			"id": "chatcmpl-sandbox", "object": "chat.completion.chunk",
			"created": a.sandbox.cfg.Clock().Unix(), "model": AIModel,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		}) + "\n\n"
	}
	// The first events have no text: a comment, and the role.
	out := []string{": a stand-in answers\n\n",
		event(map[string]any{"role": "assistant", "content": ""}, nil)}
	for _, piece := range pieces(text) {
		out = append(out, event(map[string]any{"content": piece}, nil))
	}
	// The reason of the end, and, if asked for, the usage.
	out = append(out, event(map[string]any{}, "stop"))
	if !unsupported.Usage && in.Options != nil && in.Options.IncludeUsage {
		out = append(out, "data: "+
			encode(map[string]any{"choices": []any{}, "usage": aiUsage(in, text)})+"\n\n")
	}
	return append(out, "data: [DONE]\n\n")
}

// pieces splits a text after its spaces into fewer than 2,000 pieces. A piece without a space has
// about 60 bytes, or more in a long text.
func pieces(text string) (out []string) {
	// A piece has at least about a thousandth of the text, so that a long text has no more events.
	for least := len(text) / 1000; text != ""; {
		n := min(len(text), max(least, 1))
		// Go on to the end of the character, and then to the next space, if it is near.
		for n < len(text) && (!utf8.RuneStart(text[n]) || text[n-1] != ' ' && n < least+60) {
			n++
		}
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// encode returns v in the JSON of writeJSON.
func encode(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "{}" // cannot happen: callers pass maps of texts and numbers
	}
	return strings.TrimSpace(b.String())
}
