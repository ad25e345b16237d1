package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"
)

// answer writes an answer in parts, and applies the fault of the request after the first half of them.
func (a *AI) answer(w http.ResponseWriter, r *http.Request, in aiRequest, text string, unsupported AIUnsupported) {
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
		if i == (len(parts)+1)/2 && !a.applyFault(w, r, in, parts[i-1]) {
			return
		}
		if i == len(parts)-1 {
			markAnswered(r)
		}
		if _, err := w.Write([]byte(part)); err != nil || flush() != nil {
			return
		}
	}
}

// applyFault applies a fault in the middle of an answer, and reports whether the rest of the answer must follow.
func (a *AI) applyFault(w http.ResponseWriter, r *http.Request, in aiRequest, last string) bool {
	flush := http.NewResponseController(w).Flush
	switch fault := faultOf(r); fault.Kind {
	case FaultStall:
		if !wait(a.faults, r, fault.Release) {
			panic(http.ErrAbortHandler)
		}
	case FaultCut:
		panic(http.ErrAbortHandler)
	case FaultBreak:
		if in.Stream {
			w.Write([]byte(`data: {"error":{"message":"The server had an error.","type":"server_error"}}` + "\n\n"))
		}
		return false
	case FaultEndless:
		for r.Context().Err() == nil && !closed(a.sandbox.done) {
			if _, err := w.Write([]byte(last)); err != nil || flush() != nil {
				break
			}
		}
		panic(http.ErrAbortHandler)
	}
	return true
}

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
	return map[string]int{"prompt_tokens": prompt, "completion_tokens": words(text), "total_tokens": prompt + words(text)}
}

func words(s string) int { return len(strings.Fields(s)) + 1 }

// whole returns an answer in one piece, in two halves, so that a fault can occur between them.
func (a *AI) whole(in aiRequest, text string, unsupported AIUnsupported) []string {
	out := map[string]any{
		"id": "chatcmpl-sandbox", "object": "chat.completion", "created": a.sandbox.cfg.Clock().Unix(), "model": AIModel,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}},
	}
	if !unsupported.Usage {
		out["usage"] = aiUsage(in, text)
	}
	all := encode(out)
	return []string{all[:len(all)/2], all[len(all)/2:]}
}

// events returns the events of an answer as a stream.
func (a *AI) events(in aiRequest, text string, unsupported AIUnsupported) []string {
	event := func(delta map[string]any, finish any) string {
		return "data: " + encode(map[string]any{
			"id": "chatcmpl-sandbox", "object": "chat.completion.chunk", "created": a.sandbox.cfg.Clock().Unix(), "model": AIModel,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		}) + "\n\n"
	}
	out := []string{": a stand-in answers\n\n", event(map[string]any{"role": "assistant", "content": ""}, nil)}
	for _, piece := range pieces(text) {
		out = append(out, event(map[string]any{"content": piece}, nil))
	}
	out = append(out, event(map[string]any{}, "stop"))
	if !unsupported.Usage && in.Options != nil && in.Options.IncludeUsage {
		out = append(out, "data: "+encode(map[string]any{"choices": []any{}, "usage": aiUsage(in, text)})+"\n\n")
	}
	return append(out, "data: [DONE]\n\n")
}

// pieces splits a text after its spaces into at most 1,000 pieces. A piece without a space has about 60 bytes.
func pieces(text string) (out []string) {
	for least := len(text) / 1000; text != ""; {
		n := min(len(text), max(least, 1))
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
		return "{}"
	}
	return strings.TrimSpace(b.String())
}
