// Package batch joins concurrent calls: what arrives while a batch is executed is the next batch.
// So a transaction commits the rows of many callers under load, and those of one caller at once
// otherwise. No caller waits for a timer, and each returns after the batch with its item was
// executed.
package batch

import (
	"context"
	"sync"

	"github.com/openlectern/openlectern/internal/singleflight"
)

// Group collects the items of concurrent calls and executes them in batches, one at a time. A
// Group is safe for concurrent use. Create it with [New].
type Group[Item any] struct {
	most int
	run  func(ctx context.Context, items []Item) []error
	turn chan struct{} // holds one value while a batch is executed

	calls singleflight.Group[*batch[Item], []error]

	mu   sync.Mutex
	open *batch[Item] // which the next call joins
}

// batch is the items of several calls, in the order of the calls.
type batch[Item any] struct {
	items []Item
	errs  []error // one for each item; nil before the batch was executed
}

// New returns a Group whose batches have at most most items. run executes a batch, and returns an
// error, or nil, for each item. Its context has the values of the context of one of the callers,
// and is done when all callers of the batch have left. onPanic, if not nil, is called once for each
// panic of run.
func New[Item any](
	most int, run func(ctx context.Context, items []Item) []error,
	onPanic func(ctx context.Context, p *singleflight.PanicError),
) *Group[Item] {
	g := &Group[Item]{most: most, run: run, turn: make(chan struct{}, 1), open: &batch[Item]{}}
	g.calls.OnPanic = onPanic
	return g
}

// Do adds an item to the next batch, and returns the error of the item when the batch was
// executed. The batches begin in the order of their first items. If ctx is done before, Do returns
// its error, and the item may be executed or not. A panic of a batch is a
// [singleflight.PanicError] of all its callers.
func (g *Group[Item]) Do(ctx context.Context, item Item) error {
	b, i := g.join(item)
	errs, err := g.calls.Do(ctx, b, func(ctx context.Context) ([]error, error) {
		return g.execute(ctx, b)
	})
	if err != nil {
		return err
	}
	return errs[i]
}

// join adds an item to the open batch, or to a new one if that is full. It returns the batch and
// the position of the item in it.
func (g *Group[Item]) join(item Item) (b *batch[Item], i int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.open.items) == g.most {
		g.open = &batch[Item]{}
	}
	g.open.items = append(g.open.items, item)
	return g.open, len(g.open.items) - 1
}

// execute waits for the batch before, closes the batch, and executes it. If it was executed
// already, for the callers that came before this one, it returns the errors of that time.
func (g *Group[Item]) execute(ctx context.Context, b *batch[Item]) ([]error, error) {
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if b.errs != nil { // only execute changes it, in its turn
		return b.errs, nil
	}
	g.mu.Lock()
	if g.open == b {
		g.open = &batch[Item]{}
	}
	g.mu.Unlock()
	b.errs = g.run(ctx, b.items)
	return b.errs, nil
}
