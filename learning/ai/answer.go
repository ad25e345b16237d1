package ai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

// Errors of answers. They do not contain the answer.
var (
	errInvalidAnswer = errors.New("the provider's answer is invalid")
	errRefused       = errors.New("the provider answered with an error")
	errBroken        = fmt.Errorf("the answer broke off: %w", io.ErrUnexpectedEOF)
	errSilent        = fmt.Errorf("the provider fell silent: %w", context.DeadlineExceeded)
	errTooLong       = errors.New("the answer is too long")
	errWithheld      = errors.New("the provider withheld the answer")
	errEmpty         = errors.New("the answer is empty")
)

// withheld is the finish_reason of an answer that a filter stopped.
const withheld = "content_filter"

// completion is an answer in one piece.
type completion struct {
	Choices []struct {
		Message struct {
			Content string `json:"content"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// complete requests an answer in one piece, without retries. The reply has the usage also if there
// is an error.
func (c *Client) complete(ctx context.Context, r tutor.AIRequest) (tutor.AIReply, error) {
	const asStream = false
	res, err := c.open(ctx, r, asStream)
	if err != nil {
		return replyOfFailedCall(r, err), causeOf(ctx, err)
	}
	defer res.Body.Close()
	// From here on the provider has used tokens: a failure counts the maximum, unless the answer
	// has its own count.
	body, err := provider.ReadAll(res.Body, c.longestJSON())
	if err != nil {
		return replyOfFailedCall(r, err), causeOf(ctx, err)
	}
	var got completion
	if !utf8.Valid(body) || json.Unmarshal(body, &got) != nil {
		return replyOfFailedCall(r, errInvalidAnswer), errInvalidAnswer
	}
	text, err := got.text()
	if err == nil && len(text) > c.longest { // longestJSON bounds the JSON only
		err = errTooLong
	}
	if err != nil {
		return tutor.AIReply{Usage: got.Usage.usageOrMaximum(r)}, err
	}
	return tutor.AIReply{Text: text, Usage: got.Usage.usageOrEstimate(r, text)}, nil
}

// longestJSON returns the maximum size of an answer in JSON, in bytes. A byte of the text may be
// written with six, such as \u0041, and there are other fields around the text.
func (c *Client) longestJSON() int64 { return 6*int64(c.longest) + 64<<10 }

// text returns the text of an answer, or the error that the answer is.
func (a *completion) text() (string, error) {
	switch {
	case isError(a.Error):
		return "", errRefused
	case len(a.Choices) == 0:
		return "", errInvalidAnswer
	case a.Choices[0].FinishReason == withheld:
		return "", errWithheld
	case a.Choices[0].Message.Content == "":
		return "", errEmpty
	}
	return a.Choices[0].Message.Content, nil
}

// isError reports whether the field error of an answer contains one. Some providers always send the
// field, as null.
func isError(field json.RawMessage) bool { return len(field) > 0 && string(field) != "null" }

// causeOf returns the cause of a call that failed with err: why ctx has ended, if it has, because
// err then says only that the connection was closed. Else it is err itself.
func causeOf(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case cause == nil: // ctx has not ended
		return err
	case errors.Is(cause, errSilent):
		return cause
	default:
		return provider.Cause(cause)
	}
}

// usage is the token count of a provider.
type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
}

// maxCredible bounds the tokens of one call. A larger count is a mistake, and is ignored.
const maxCredible = 100_000_000

// usageOrEstimate returns the count of the provider, or else an estimate for a complete answer.
func (u *usage) usageOrEstimate(r tutor.AIRequest, text string) core.AIUsage {
	if !u.credible() {
		return estimate(r, text)
	}
	return core.AIUsage{Prompt: u.Prompt, Completion: u.Completion}
}

// usageOrMaximum returns the count of the provider, or else the maximum that a failed call can have
// used.
func (u *usage) usageOrMaximum(r tutor.AIRequest) core.AIUsage {
	if !u.credible() {
		return r.MaxUsage()
	}
	return core.AIUsage{Prompt: u.Prompt, Completion: u.Completion}
}

// credible reports whether there is a count that can be right. u may be nil.
func (u *usage) credible() bool {
	return u != nil && u.Prompt >= 0 && u.Prompt <= maxCredible && u.Completion >= 0 &&
		u.Completion <= maxCredible && u.Prompt+u.Completion > 0
}

// estimate estimates tokens by length: about four bytes each, and some for each message.
func estimate(r tutor.AIRequest, text string) core.AIUsage {
	u := core.AIUsage{Completion: tokens(text), Estimated: true}
	for _, m := range r.Messages {
		u.Prompt += tokens(m.Content) + 4 // for the role and the separators
	}
	if r.Schema != nil {
		u.Prompt += tokens(string(r.Schema.JSON))
	}
	return u
}

// tokens estimates the tokens of a text: one for four bytes, rounded up.
func tokens(text string) int64 { return int64(len(text)+3) / 4 }

// replyOfFailedCall returns the reply of a failed call, which has only its usage: the maximum that
// it can have used, or nothing if the provider refused it or was not reached.
func replyOfFailedCall(r tutor.AIRequest, err error) tutor.AIReply {
	if _, refused := errors.AsType[*provider.StatusError](err); refused {
		return tutor.AIReply{}
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" { // it was not reached
		return tutor.AIReply{}
	}
	return tutor.AIReply{Usage: r.MaxUsage()}
}
