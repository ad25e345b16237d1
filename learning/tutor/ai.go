package tutor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/aigate"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of the AI.
var (
	ErrAINotConfigured = &core.Error{Kind: core.Unavailable, Code: "ai_not_configured",
		Message: "AI provider is not configured"}
	ErrAIBusy = &core.Error{Kind: core.RateLimited, Code: "ai_busy",
		Message: "Too many requests at once. Please try again later."}
	ErrAIBudget = &core.Error{Kind: core.RateLimited, Code: "ai_budget",
		Message: "Daily AI budget used up. Please try again tomorrow."}
)

// Limits of every call to the AI.
const (
	maxAITokens = 4096      // of an answer, unless the request sets a lower limit
	maxAIText   = 256 << 10 // of an answer, in bytes: 64 for each token, much more than texts need

	// When a user at the limit should try again: a guess, because a call can end at any time.
	aiBusyRetry = 5 * time.Second
)

// aiCall is one call of a user: a request to the provider and, if its answer is
// invalid, a second one.
type aiCall struct {
	*aigate.Call
	ai       AI
	answered bool // a part of an answer was received
}

// withAI runs do with a call of the actor that the gate has admitted. The call has one of the
// actor's slots, which limit the concurrent calls of a user. The most tokens that its first request
// r can use are reserved, so that they count in the budgets of the day even if the process dies.
// ctx of do is done when the time of the call is over. After do, the gate books the tokens that
// were used and releases the slot. Errors besides those of do: see askAI.
func (s *Service) withAI(
	ctx context.Context, actor core.Actor, r AIRequest, do func(ctx context.Context,
		c *aiCall) error,
) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if s.ai == nil {
		return ErrAINotConfigured
	}

	// Call the AI in a slot, within the budgets.
	err := s.gate.Do(ctx, actor.UserID, maxTokensOf(r),
		func(ctx context.Context, c *aigate.Call) error {
			return do(ctx, &aiCall{Call: c, ai: s.ai})
		})

	// Say when a refused caller may try again.
	if errors.Is(err, aigate.ErrBusy) {
		return &core.RetryableError{Failure: ErrAIBusy, After: aiBusyRetry}
	}
	if budget, ok := errors.AsType[*aigate.BudgetError](err); ok {
		return &core.RetryableError{Failure: ErrAIBudget, After: budget.After}
	}
	return err
}

// askAI returns the answer of the AI to a request of the actor. It enforces the limit
// of concurrent calls of one user and the token budgets of the day, and books the
// tokens that the call used. streamAI and askJSON do the same; there is no other way to call the
// AI.
//
// Errors: [core.ErrUnauthenticated], [ErrAINotConfigured], and, as [core.RetryableError],
// [ErrAIBusy] and [ErrAIBudget]. A failure of the provider is an internal error. On an error
// text is "".
func (s *Service) askAI(ctx context.Context, actor core.Actor, r AIRequest) (text string,
	err error) {
	err = s.withAI(ctx, actor, r, func(ctx context.Context, c *aiCall) error {
		text, err = c.complete(ctx, r)
		return err
	})
	return text, err
}

// streamAI is like askAI, and calls write with each part of the answer as it arrives. text is
// the whole answer. An error of write ends the call and is returned. If streamAI fails before
// the first call of write, nothing of the answer was written, so the caller can still send an
// error in its place.
func (s *Service) streamAI(ctx context.Context, actor core.Actor, r AIRequest,
	write func(delta string) error) (text string, err error) {
	err = s.withAI(ctx, actor, r, func(ctx context.Context, c *aiCall) error {
		text, err = c.stream(ctx, r, write)
		return err
	})
	return text, err
}

// complete makes a request whose answer arrives as a whole.
func (c *aiCall) complete(ctx context.Context, r AIRequest) (string, error) {
	return c.ask(ctx, r, c.ai.Complete)
}

// stream makes a request, and calls write with each part of the answer as it arrives. The answer
// that it returns is the whole.
func (c *aiCall) stream(ctx context.Context, r AIRequest,
	write func(delta string) error) (string, error) {
	return c.ask(ctx, r, func(ctx context.Context, r AIRequest) (AIReply, error) {
		return c.ai.Stream(ctx, r, func(delta string) error {
			c.answered = true
			return write(delta)
		})
	})
}

// ask makes one request to the provider by calling do, and returns the text of the answer. Its
// usage is counted on success, on error and on panic.
func (c *aiCall) ask(ctx context.Context, r AIRequest,
	do func(context.Context, AIRequest) (AIReply, error)) (string, error) {
	r = limitAITokens(r)
	// Use adds to the usage that the gate books when the call ends: the maximum if do panics.
	used := r.MaxUsage()
	defer func() { c.Use(aigate.Usage(used)) }()
	reply, err := do(ctx, r)

	// A request that failed may have cost tokens if the answer had begun, or if this side has given
	// it up (ctx is done), because the provider may go on.
	wasAtWork := c.answered || ctx.Err() != nil
	used = BookedUsage(r, reply, err, wasAtWork)
	return answerText(reply, err)
}

// limitAITokens returns r with a limit of tokens from 1 to maxAITokens. The latter replaces a limit
// that is missing or higher.
func limitAITokens(r AIRequest) AIRequest {
	if r.MaxTokens <= 0 || r.MaxTokens > maxAITokens {
		r.MaxTokens = maxAITokens
	}
	return r
}

// answerText returns the text of a reply. It returns an error if err, that of the request, is not
// nil, or if the text is not valid.
func answerText(reply AIReply, err error) (string, error) {
	if err == nil {
		err = checkAIText(reply.Text)
	}
	if err != nil {
		return "", fmt.Errorf("ask the AI: %w", err)
	}
	return reply.Text, nil
}

// checkAIText returns an error if a text is not an answer that can be used and stored.
func checkAIText(answer string) error {
	switch {
	case answer == "":
		return errors.New("the answer is empty")
	case len(answer) > maxAIText:
		return errors.New("the answer is too long")
	case !text.IsStorable(answer):
		return errors.New("the answer is not UTF-8 without U+0000")
	}
	return nil
}

// MaxUsage returns an upper estimate of the usage of a call: one token for each two
// bytes of the request (most texts have three or four bytes a token), and MaxTokens for
// the answer.
func (r AIRequest) MaxUsage() core.AIUsage {
	u := core.AIUsage{Completion: int64(r.MaxTokens), Estimated: true}
	if r.MaxTokens <= 0 {
		u.Completion = maxAITokens
	}
	for _, m := range r.Messages {
		u.Prompt += int64(len(m.Content)+1)/2 + messageOverhead // half the bytes, rounded up
	}
	if r.Schema != nil {
		u.Prompt += int64(len(r.Schema.JSON)+1)/2 + messageOverhead
	}
	return u
}

// messageOverhead is the number of tokens that a message needs in addition to its text.
const messageOverhead = 8

// maxTokensOf returns how many tokens a request can use at most.
func maxTokensOf(r AIRequest) int64 {
	u := limitAITokens(r).MaxUsage()
	return u.Prompt + u.Completion
}

// BookedUsage returns the usage that is booked for a request. err is that of the request, and
// atWork says of a failed one whether the provider may have begun the answer. The reported usage
// may be exact, or an estimate from what has arrived.
//
//	request    reported           at work  booked
//	succeeded  exact or estimate  any      what is reported
//	succeeded  nothing            any      the maximum
//	failed     any                no       what is reported
//	failed     exact              yes      what is reported
//	failed     estimate, nothing  yes      the maximum
func BookedUsage(r AIRequest, reply AIReply, err error, atWork bool) core.AIUsage {
	isUnknown := reply.Usage.Prompt+reply.Usage.Completion <= 0
	if err != nil {
		// The provider may have written more than has arrived.
		isUnknown = atWork && (isUnknown || reply.Usage.Estimated)
	}
	if !isUnknown {
		return reply.Usage
	}

	// The report may sum several tries, and so be more than the maximum of one.
	most := r.MaxUsage()
	most.Prompt = max(most.Prompt, reply.Usage.Prompt)
	most.Completion = max(most.Completion, reply.Usage.Completion)
	return most
}
