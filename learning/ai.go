package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// What every question to the AI is held to.
const (
	aiAtOnce    = 2         // calls of one person
	maxAITokens = 4096      // of an answer, unless the request says less
	maxAIText   = 256 << 10 // of an answer, in bytes

	aiPause = 5 * time.Second // after which a call of one's own may have ended
)

// askAI asks for an answer in one piece, on behalf of a person. It is the way for every
// use case, with [Platform.streamAI] and [askJSON]: no more than two calls at a time for
// one person, within the budgets of the day, and what is used up is booked.
//
// Errors: [ErrUnauthenticated], [ErrAINotConfigured], and, as [RetryableError] ones,
// [ErrAIBusy] and [ErrAIBudget]. A provider that fails is an internal error.
func (p *Platform) askAI(ctx context.Context, actor Actor, r AIRequest) (text string, err error) {
	err = p.withAI(ctx, actor, func(ctx context.Context, c *aiCall) error {
		text, err = c.complete(ctx, r)
		return err
	})
	return text, err
}

// streamAI is askAI for an answer that is handed on as it is written. While it fails
// without having called write, nothing of the answer is known to anybody.
func (p *Platform) streamAI(ctx context.Context, actor Actor, r AIRequest, write func(delta string) error) (text string, err error) {
	err = p.withAI(ctx, actor, func(ctx context.Context, c *aiCall) error {
		text, err = c.stream(ctx, r, write)
		return err
	})
	return text, err
}

// aiCall is one call of a person's: a question, and what has to be asked again about
// its answer.
type aiCall struct {
	*Platform
	userID     string
	leaseUntil time.Time
	reserved   []AIReservation
	used       AIUsage
	answered   bool // a part of an answer has come
}

// withAI runs a call: it has a claim until its end, when what it has used is booked.
// The time runs from before the claim, so that it is over before the claim is.
func (p *Platform) withAI(ctx context.Context, actor Actor, do func(ctx context.Context, c *aiCall) error) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if p.ai == nil {
		return ErrAINotConfigured
	}
	ctx, cancel := context.WithTimeout(ctx, p.aiTimeout)
	defer cancel()
	claim, err := p.admitToAI(ctx, actor.UserID)
	if err != nil {
		return err
	}
	c := &aiCall{Platform: p, userID: actor.UserID, leaseUntil: claim.LeaseUntil}
	defer p.releaseAI(ctx, claim, c.book)
	return do(ctx, c)
}

// admitToAI takes one of a person's places. What their other calls have used is booked
// when these give their places back, so whoever gets one sees it: a budget is exceeded
// by no more than the calls that were under way when it was reached. It is looked at when
// the place is taken for good: the transaction that takes it may see what was before.
func (p *Platform) admitToAI(ctx context.Context, userID string) (AILease, error) {
	claim, err := p.takeAILease(ctx, "person:"+userID, aiAtOnce)
	if errors.Is(err, errLeased) {
		return AILease{}, &RetryableError{ErrAIBusy, aiPause}
	}
	if err != nil {
		return AILease{}, fmt.Errorf("claim the AI: %w", err)
	}
	if err := p.withinAIBudget(ctx, p.store, userID); err != nil {
		p.releaseAI(ctx, claim, nothing)
		return AILease{}, wrap("look at the budget of the AI", err)
	}
	return claim, nil
}

func (c *aiCall) complete(ctx context.Context, r AIRequest) (string, error) {
	return c.ask(ctx, r, c.ai.Complete)
}

func (c *aiCall) stream(ctx context.Context, r AIRequest, write func(delta string) error) (string, error) {
	return c.ask(ctx, r, func(ctx context.Context, r AIRequest) (AIReply, error) {
		return c.ai.Stream(ctx, r, func(delta string) error {
			c.answered = true
			return write(delta)
		})
	})
}

// ask makes one request to the provider. Its usage is counted however it ends, also by a
// panic.
func (c *aiCall) ask(ctx context.Context, r AIRequest, do func(context.Context, AIRequest) (AIReply, error)) (string, error) {
	r = withAILimit(r)
	if err := c.reserve(ctx, r); err != nil {
		return "", err
	}
	used := r.MaxUsage()
	defer func() { c.used.add(used) }()
	reply, err := do(ctx, r)
	used = usageOf(r, reply, err, c.answered || ctx.Err() != nil)
	return textOf(reply, err)
}

func withAILimit(r AIRequest) AIRequest {
	if r.MaxTokens <= 0 || r.MaxTokens > maxAITokens {
		r.MaxTokens = maxAITokens
	}
	return r
}

// textOf makes sure that there is a text.
func textOf(reply AIReply, err error) (string, error) {
	if err == nil {
		err = checkAIText(reply.Text)
	}
	if err != nil {
		return "", fmt.Errorf("ask the AI: %w", err)
	}
	return reply.Text, nil
}

func checkAIText(text string) error {
	switch {
	case text == "":
		return errors.New("the answer is empty")
	case len(text) > maxAIText:
		return errors.New("the answer is too long")
	case !utf8.ValidString(text):
		return errors.New("the answer is not UTF-8")
	}
	return nil
}
