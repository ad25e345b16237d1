package learning

import (
	"context"

	"github.com/openlectern/learning/internal/thumbnail"
)

// SetImagesBusy makes p process no image, because others use the memory.
func (p *Platform) SetImagesBusy() { p.images = thumbnail.New(0) }

// What the use cases with the AI are made of, for the tests of this package. They have
// no use case of their own.

// Ask is askAI.
func (p *Platform) Ask(ctx context.Context, actor Actor, r AIRequest) (string, error) {
	return p.askAI(ctx, actor, r)
}

// AskStream is streamAI.
func (p *Platform) AskStream(ctx context.Context, actor Actor, r AIRequest, write func(string) error) (string, error) {
	return p.streamAI(ctx, actor, r, write)
}

// Form is aiForm.
type Form[T any] struct{ aiForm[T] }

// NewForm is newAIForm.
func NewForm[T any](name string, check func(T) []string) Form[T] {
	return Form[T]{newAIForm(name, check)}
}

// Read is aiForm.read.
func (f Form[T]) Read(text string) (T, []string) { return f.read(text) }

// AskJSON is askJSON.
func AskJSON[T any](ctx context.Context, p *Platform, actor Actor, form Form[T], r AIRequest) (T, error) {
	return askJSON(ctx, p, actor, form.aiForm, r)
}

// AIData is aiData.
func AIData(v any) (string, error) { return aiData(v) }

// Share is share.
func Share[T any](ctx context.Context, p *Platform, name string, find func(context.Context) (T, error), admit func() error, work func(context.Context) error) (T, error) {
	return share(ctx, p, name, shared[T]{find: find, admit: admit, make: work})
}

// Waiting counts those who wait for something that is being made in this process.
func (p *Platform) Waiting(name string) int {
	p.flights.mu.Lock()
	defer p.flights.mu.Unlock()
	if f := p.flights.all[name]; f != nil {
		return f.waiting
	}
	return 0
}

// AIDataRule is aiDataRule.
const AIDataRule = aiDataRule

// CourseStats is courseStats.
func (p *Platform) CourseStats(ctx context.Context, userID string) ([]CourseStats, error) {
	return p.courseStats(ctx, userID)
}
