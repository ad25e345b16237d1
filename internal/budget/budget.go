// Package budget bounds what the readers of an upload may build and do, so that a small file cannot
// cost much memory or processor time. What a reader may use grows with the bytes of text that it
// reads, beside a fixed amount that each upload has.
//
// A reader takes from the budget before it builds or works: [Budget.Text] for the bytes of a text
// that is unpacked, [Budget.Elements] for what a parser keeps of it, such as tags, attributes or
// values of JSON, and [Budget.Steps] for work that is not bounded by the bytes alone. Each of them
// also fails when the caller of the upload has left, so that the work ends soon after.
//
// A budget does not know what is read. It refuses with [ErrSpent], and readers say of which part.
package budget

import (
	"context"
	"errors"
)

// What an upload may use. docs/performance.md has what this costs at most.
const (
	// elements and steps are what each upload has, however small it is.
	elements = 100_000
	steps    = 20_000_000
	// bytesOfElement is for how many bytes of text there is another element, and stepsOfByte are
	// the steps for a byte.
	bytesOfElement = 16
	stepsOfByte    = 100
	// stepsBetween are the steps after which the context is asked again.
	stepsBetween = 10_000
)

// ErrSpent is the error of a budget of which too little is left.
var ErrSpent = errors.New("the budget of the upload is spent")

// Budget is what the readers of one upload may still use. It is not safe for concurrent use.
type Budget struct {
	ctx      context.Context
	bytes    int64 // that may still be read
	elements int64
	steps    int64
	unasked  int64 // steps since the context was asked
}

// New returns the budget of an upload whose texts have at most a number of bytes together. The
// context is that of its caller.
func New(ctx context.Context, maxBytes int64) *Budget {
	return &Budget{ctx: ctx, bytes: maxBytes, elements: elements, steps: steps}
}

// Elements returns how many elements an upload may build that has a text of n bytes.
func Elements(n int) int { return elements + n/bytesOfElement }

// Text takes n bytes of a text that is about to be read, and grants the elements and the steps for
// them. It returns ErrSpent, or the error of the context.
func (b *Budget) Text(n int64) error {
	if n > b.bytes {
		return ErrSpent
	}
	b.bytes -= n
	b.elements += n / bytesOfElement
	b.steps += n * stepsOfByte
	return b.ctx.Err()
}

// Elements takes n elements that are about to be built. Each is a step too. It returns ErrSpent, or
// the error of the context.
func (b *Budget) Elements(n int) error {
	if int64(n) > b.elements {
		return ErrSpent
	}
	b.elements -= int64(n)
	return b.Steps(n)
}

// Steps takes n steps of work: about the bytes that it looks at or copies. It returns ErrSpent, or
// the error of the context.
func (b *Budget) Steps(n int) error {
	if int64(n) > b.steps {
		return ErrSpent
	}
	b.steps -= int64(n)
	if b.unasked += int64(n); b.unasked < stepsBetween {
		return nil
	}
	b.unasked = 0
	return b.ctx.Err()
}

// Free gives back n elements that are no longer kept, such as those of a page that was converted.
func (b *Budget) Free(n int) { b.elements += int64(n) }

// Context returns the context of the caller.
func (b *Budget) Context() context.Context { return b.ctx }
