package ai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

// Complete implements [tutor.AI] as POST {URL}/chat/completions.
func (c *Client) Complete(ctx context.Context, r tutor.AIRequest) (tutor.AIReply, error) {
	return c.call(ctx, r, c.complete)
}

// Stream implements [tutor.AI] as POST {URL}/chat/completions with stream: true.
func (c *Client) Stream(ctx context.Context, r tutor.AIRequest,
	write func(delta string) error) (tutor.AIReply, error) {
	return c.call(ctx, r,
		func(ctx context.Context, r tutor.AIRequest) (tutor.AIReply, error) {
			return c.stream(ctx, r, write)
		})
}

// call runs a try, and retries after temporary failures while there is time. The usage is that of
// all tries together, also if there is an error.
func (c *Client) call(ctx context.Context, r tutor.AIRequest,
	try func(context.Context, tutor.AIRequest) (tutor.AIReply, error)) (tutor.AIReply,
	error) {
	ctx, cancel := context.WithTimeout(ctx, c.whole)
	defer cancel()
	var used core.AIUsage
	for pause, left := c.pause, c.retries; ; pause, left = 2*pause, left-1 {
		reply, err := try(ctx, r)
		used = sum(used, reply.Usage)
		if err == nil {
			return tutor.AIReply{Text: reply.Text, Usage: used}, nil
		}
		// wait returns false if too little time is left for another try.
		if left == 0 || !isTemporary(err) || !wait(ctx, pauseAfter(err, pause)) {
			return tutor.AIReply{Usage: used}, fmt.Errorf("call chat completions: %w", err)
		}
	}
}

// sum returns the usage of two tries. It is an estimate if one of them is.
func sum(a, b core.AIUsage) core.AIUsage {
	return core.AIUsage{Prompt: a.Prompt + b.Prompt, Completion: a.Completion + b.Completion,
		Estimated: a.Estimated || b.Estimated}
}

// final marks a failure after a part of the answer was passed on, which cannot be retried.
type final struct{ error }

// Unwrap returns the failure.
func (f final) Unwrap() error { return f.error }

// isTemporary reports whether a retry may succeed: after one of the statuses of [WithRetries], and
// after a failure of the connection. A time-out is not temporary.
func isTemporary(err error) bool {
	if _, isFinal := errors.AsType[final](err); isFinal {
		return false
	}
	if status, ok := errors.AsType[*provider.StatusError](err); ok {
		return status.Status == http.StatusRequestTimeout ||
			status.Status == http.StatusTooManyRequests || status.Status >= 500
	}
	_, isNetwork := errors.AsType[*net.OpError](err)
	return isNetwork || errors.Is(err, io.ErrUnexpectedEOF)
}

// pauseAfter returns the pause that the provider requested, or else a random one from half to one
// and a half of the given pause, so that calls that failed together are not repeated together.
func pauseAfter(err error, pause time.Duration) time.Duration {
	if status, ok := errors.AsType[*provider.StatusError](err); ok && status.RetryAfter > 0 {
		return status.RetryAfter
	}
	return pause/2 + rand.N(pause)
}

// wait pauses, and reports whether it has done so. It returns false if ctx is done during the
// pause, and without pausing if the deadline of ctx is earlier than the end of the pause.
func wait(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	return backoff.Sleep(ctx, d) == nil
}
