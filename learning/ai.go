package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
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
	err = p.withAI(ctx, actor, r, func(ctx context.Context, c *aiCall) error {
		text, err = c.complete(ctx, r)
		return err
	})
	return text, err
}

// streamAI is like askAI, and calls write with each part of the answer as it arrives.
// If it fails before the first call of write, the caller has received nothing of the
// answer.
func (p *Platform) streamAI(ctx context.Context, actor Actor, r AIRequest, write func(delta string) error) (text string, err error) {
	err = p.withAI(ctx, actor, r, func(ctx context.Context, c *aiCall) error {
		text, err = c.stream(ctx, r, write)
		return err
	})
	return text, err
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
	case !isStorableText(text):
		return errors.New("the answer is not UTF-8 without U+0000")
	}
	return nil
}
