package roomtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

// Scripted is a model with given answers that records its requests.
type Scripted struct {
	Answers []tutor.AIReply
	Errs    []error // of each answer; nil after the last
	Asked   []tutor.AIRequest
}

// Complete answers with the next text of the script.
func (s *Scripted) Complete(_ context.Context, r tutor.AIRequest) (tutor.AIReply, error) {
	n := len(s.Asked)
	s.Asked = append(s.Asked, r)
	var err error
	if n < len(s.Errs) {
		err = s.Errs[n]
	}
	return s.Answers[n], err
}

// Stream is Complete that writes the text in parts.
func (s *Scripted) Stream(ctx context.Context, r tutor.AIRequest,
	write func(string) error) (tutor.AIReply, error) {
	reply, err := s.Complete(ctx, r)
	if err == nil {
		err = write(reply.Text)
	}
	return reply, err
}

// Writing returns a model with these answers of 10 and 5 tokens each.
func Writing(texts ...string) *Scripted {
	s := &Scripted{}
	for _, text := range texts {
		s.Answers = append(s.Answers,
			tutor.AIReply{Text: text, Usage: core.AIUsage{Prompt: 10, Completion: 5}})
	}
	return s
}

// WantUsed checks the usage that is booked for a user on the day of the clock.
func (w *World) WantUsed(t *testing.T, user string, prompt, completion int64) {
	t.Helper()
	got, err := w.Store.AIUsageOf(context.Background(), user, w.Clock.Now().Format(time.DateOnly))
	if errors.Is(err, core.ErrNoRecord) {
		err = nil
	}
	if want := (core.AIUsage{Prompt: prompt, Completion: completion}); err != nil ||
		core.AIUsage(got) != want {
		t.Errorf("%s has used %+v (%v), want %+v", user, got, err, want)
	}
	if n := w.Count(t, "leases"); n != 0 {
		t.Errorf("%d leases are left", n)
	}
}

// UsedBy returns the usage of a user on the day of the kit's clock.
func (w *World) UsedBy(t *testing.T, user string) core.AIUsage {
	t.Helper()
	used, err := w.Store.AIUsageOf(ctx(), user, w.Clock.Now().Format(time.DateOnly))
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		t.Fatal(err)
	}
	return core.AIUsage(used)
}

// OnAI is a scenario with the AI: its leases expire within the minute that a scenario
// waits, and its usage stays booked.
func OnAI(s *Scenario) *Scenario {
	s.Options = append(s.Options, learning.WithAITimeout(10*time.Second))
	s.Leaves = append(s.Leaves, "leases", "ai_usage")
	return s
}
