package ai

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/tutor"
)

// feature is a part of a request that some providers refuse with 400 or 422.
type feature uint32

const (
	schemaFeature feature = 1 << iota // response_format; else the prompt describes the schema
	usageFeature                      // stream_options; else tokens are estimated by length
	limitFeature                      // max_tokens, which newer models call max_completion_tokens
)

// names are the features' names in error messages of providers.
var names = map[feature]string{schemaFeature: "response_format", usageFeature: "stream_options",
	limitFeature: "max_tokens"}

// maxComplaint is the maximum number of bytes of an error message that are read.
const maxComplaint = 64 << 10

// question is the JSON of a request.
type question struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Format              *format        `json:"response_format,omitempty"`
	Stream              bool           `json:"stream,omitempty"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type format struct {
	Type   string     `json:"type"` // "json_schema"
	Schema wireSchema `json:"json_schema"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// question converts a request, without the refused features, and returns the features that
// the result has. If the schema is refused, the prompt describes it.
func (c *Client) question(r tutor.AIRequest, stream bool,
	refused feature) (q question, has feature) {
	q = question{Model: c.model, Stream: stream}
	for _, m := range r.Messages {
		q.Messages = append(q.Messages, message{string(m.Role), m.Content})
	}
	switch {
	case r.Schema != nil && refused&schemaFeature == 0:
		q.Format, has = &format{"json_schema", newWireSchema(*r.Schema)}, has|schemaFeature
	case r.Schema != nil:
		q.Messages = inWords(q.Messages, *r.Schema)
	}
	if stream && refused&usageFeature == 0 {
		q.StreamOptions, has = &streamOptions{IncludeUsage: true}, has|usageFeature
	}
	if r.MaxTokens > 0 && refused&limitFeature == 0 {
		q.MaxTokens, has = r.MaxTokens, has|limitFeature
	} else { // there is no limit, or it needs its newer name
		q.MaxCompletionTokens = r.MaxTokens
	}
	return q, has
}

// inWords adds a description of a schema to the system message, or adds a system message if there
// is none. It is the first message, and the only one of the system, because some models accept
// no other. inWords may change the messages that it is given.
func inWords(messages []message, s tutor.AISchema) []message {
	words := "Answer with one JSON value and nothing else: no code fence, no words around it. It " +
		"must be valid against this JSON Schema:\n" + string(s.JSON)
	if len(messages) > 0 && messages[0].Role == string(tutor.AISystem) {
		messages[0].Content += "\n\n" + words
		return messages
	}
	return append([]message{{string(tutor.AISystem), words}}, messages...)
}

// open sends a request, for an answer as a stream or in one piece, and returns an answer with
// status 2xx; the caller must read and close its body. If the provider refuses a feature, open
// repeats the request without it. If that succeeds, later requests of the client omit the feature.
// Another failure is returned at once: call repeats what is temporary.
func (c *Client) open(ctx context.Context, r tutor.AIRequest,
	stream bool) (*http.Response, error) {
	refused := feature(c.refused.Load()) // by earlier answers, and by those of this call
	for {
		q, has := c.question(r, stream, refused)
		res, err := c.post(ctx, q)
		if err != nil {
			return nil, err
		}
		if err = provider.Status(res); err == nil {
			c.refused.Or(uint32(refused)) // for later requests
			return res, nil
		}
		more := complaint(res, has)
		res.Body.Close()
		if more == 0 { // the failure has another cause
			return nil, err
		}
		refused |= more // grows in each iteration, so that the loop ends
	}
}

// complaint returns the features of a request that the provider may have refused: those that
// its message names, or else the schema and the usage, which not every provider supports. has are
// the features of the request. complaint returns 0 if the request was not refused because of them.
func complaint(res *http.Response, has feature) (refused feature) {
	if res.StatusCode != http.StatusBadRequest && res.StatusCode != http.StatusUnprocessableEntity {
		return 0
	}
	// After a failure the part that was read is searched.
	text, _ := io.ReadAll(io.LimitReader(res.Body, maxComplaint))
	for f, name := range names {
		if has&f != 0 && strings.Contains(string(text), name) {
			refused |= f
		}
	}
	if refused == 0 { // the message names none
		refused = has & (schemaFeature | usageFeature)
	}
	return refused
}

// post sends a request and returns the answer, whatever its status is.
func (c *Client) post(ctx context.Context, q question) (*http.Response, error) {
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(q); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, &body)
	if err != nil {
		return nil, err
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	r.Header.Set("Content-Type", "application/json")
	if q.Stream {
		r.Header.Set("Accept", "text/event-stream")
	} else {
		r.Header.Set("Accept", "application/json")
	}
	return provider.Open(c.http, r)
}
