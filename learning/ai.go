package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// Limits of every call to the AI.
const (
	maxAICallsPerUser = 2         // concurrent calls of one user
	maxAITokens       = 4096      // of an answer, unless the request sets a lower limit
	maxAIText         = 256 << 10 // of an answer, in bytes

	aiBusyRetry = 5 * time.Second // when a user at the limit should try again
)

// askAI returns the answer of the AI to a request of the actor. It enforces the limit
// of concurrent calls of one user and the token budgets of the day, and books the
// tokens that the call used. [Platform.streamAI] and [askJSON] do the same; there is no
// other way to call the AI.
//
// Errors: [ErrUnauthenticated], [ErrAINotConfigured], and, as [RetryableError],
// [ErrAIBusy] and [ErrAIBudget]. A failure of the provider is an internal error.
func (p *Platform) askAI(ctx context.Context, actor Actor, r AIRequest) (text string, err error) {
	err = p.withAI(ctx, actor, func(ctx context.Context, c *aiCall) error {
		text, err = c.complete(ctx, r)
		return err
	})
	return text, err
}

// streamAI is like askAI, and calls write with each part of the answer as it arrives.
// If it fails before the first call of write, the caller has received nothing of the
// answer.
func (p *Platform) streamAI(ctx context.Context, actor Actor, r AIRequest, write func(delta string) error) (text string, err error) {
	err = p.withAI(ctx, actor, func(ctx context.Context, c *aiCall) error {
		text, err = c.stream(ctx, r, write)
		return err
	})
	return text, err
}

// aiCall is one call of a user: a request to the provider and, if its answer is
// invalid, a second one.
type aiCall struct {
	*Platform
	userID     string
	leaseUntil time.Time
	reserved   []AIReservation
	used       AIUsage
	answered   bool // a part of an answer was received
}

// withAI runs do while it holds a lease of the user. It books the used tokens when the
// lease is released. The timeout starts before the lease is taken, so that the call
// ends before its lease does.
func (p *Platform) withAI(ctx context.Context, actor Actor, do func(ctx context.Context, c *aiCall) error) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if p.ai == nil {
		return ErrAINotConfigured
	}
	ctx, cancel := context.WithTimeout(ctx, p.aiTimeout)
	defer cancel()
	lease, err := p.acquireAISlot(ctx, actor.UserID)
	if err != nil {
		return err
	}
	c := &aiCall{Platform: p, userID: actor.UserID, leaseUntil: lease.LeaseUntil}
	defer p.releaseAI(ctx, lease, c.book)
	return do(ctx, c)
}

// acquireAISlot takes one of the user's slots. A call books its usage in the
// transaction that releases its slot, so that the next holder of the slot sees it: a
// budget is exceeded by at most the calls that were in flight when it was reached. The
// budget is checked after the lease is taken, because the transaction that takes the
// lease may read an older state.
func (p *Platform) acquireAISlot(ctx context.Context, userID string) (AILease, error) {
	lease, err := p.takeAILease(ctx, "person:"+userID, maxAICallsPerUser)
	if errors.Is(err, errNoFreeSlot) {
		return AILease{}, &RetryableError{ErrAIBusy, aiBusyRetry}
	}
	if err != nil {
		return AILease{}, fmt.Errorf("take an AI lease: %w", err)
	}
	if err := p.checkAIBudget(ctx, p.store, userID); err != nil {
		p.releaseAI(ctx, lease, storeNothing)
		return AILease{}, wrap("check the AI budget", err)
	}
	return lease, nil
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

// ask makes one request to the provider. Its usage is counted on success, on error and
// on panic.
func (c *aiCall) ask(ctx context.Context, r AIRequest, do func(context.Context, AIRequest) (AIReply, error)) (string, error) {
	r = limitAITokens(r)
	if err := c.reserve(ctx, r); err != nil {
		return "", err
	}
	used := r.MaxUsage()
	defer func() { c.used.add(used) }()
	reply, err := do(ctx, r)
	used = usageOf(r, reply, err, c.answered || ctx.Err() != nil)
	return answerText(reply, err)
}

func limitAITokens(r AIRequest) AIRequest {
	if r.MaxTokens <= 0 || r.MaxTokens > maxAITokens {
		r.MaxTokens = maxAITokens
	}
	return r
}

// answerText returns the text of a reply, or an error if it is not valid.
func answerText(reply AIReply, err error) (string, error) {
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
