// Package observertest has an observer that records operations, for tests.
package observertest

import (
	"context"
	"sync"

	"github.com/openlectern/openlectern/learning/core"
)

// Ended is an operation that has ended.
type Ended struct {
	core.Operation
	core.Outcome
}

// Recorder records operations in the order in which they end. The zero Recorder is ready for
// use. It is safe for concurrent use.
type Recorder struct {
	mu    sync.Mutex
	begun int
	ended []Ended
}

// insideKey is the key of a context's value that is the innermost operation.
type insideKey struct{}

// Begin implements [core.Observer]. [Inside] finds the operation in the context that it
// returns.
func (r *Recorder) Begin(
	ctx context.Context, op core.Operation,
) (context.Context, func(core.Outcome)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun++
	return context.WithValue(ctx, insideKey{}, op), func(out core.Outcome) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = append(r.ended, Ended{op, out})
	}
}

// Inside returns the innermost operation that runs with ctx, or the zero Operation if ctx is not
// that of an operation.
func Inside(ctx context.Context) core.Operation {
	op, _ := ctx.Value(insideKey{}).(core.Operation)
	return op
}

// Of returns the operations of a kind that have ended.
func (r *Recorder) Of(kind core.OperationKind) (list []Ended) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.ended {
		if e.Kind == kind {
			list = append(list, e)
		}
	}
	return list
}

// Running returns how many operations have begun and not ended.
func (r *Recorder) Running() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begun - len(r.ended)
}

// Reset forgets the operations that have ended. Those that still run are kept in
// [Recorder.Running].
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun, r.ended = r.begun-len(r.ended), nil
}
