package budget_test

import (
	"context"
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/budget"
)

// What is taken without a text ends, and a text grants more in proportion to its bytes.
func TestBudget_GrowsWithTheText(t *testing.T) {
	count := func(b *budget.Budget, take func(n int) error) (n int) {
		for take(1_000) == nil {
			n += 1_000
		}
		return n
	}
	for _, size := range []int64{0, 1 << 20, 16 << 20} {
		b := budget.New(t.Context(), size)
		if err := b.Text(size); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if err := b.Text(1); !errors.Is(err, budget.ErrSpent) {
			t.Errorf("%d bytes and one more: %v", size, err)
		}
		if got, most := count(b, b.Elements), 100_000+int(size)/16; got > most || got < most-1_000 {
			t.Errorf("%d bytes: %d elements, want about %d", size, got, most)
		}
		got, most := count(b, b.Steps), 20_000_000+100*int(size)
		if got > most || got < most-most/50 {
			t.Errorf("%d bytes: %d steps, want about %d", size, got, most)
		}
	}
}

// The elements of a page that is no longer kept can be used for the next page.
func TestBudget_FreeReturnsElements(t *testing.T) {
	b := budget.New(t.Context(), 0)
	for range 20 {
		if err := b.Elements(90_000); err != nil {
			t.Fatal(err)
		}
		b.Free(90_000)
	}
	if err := b.Elements(200_000); !errors.Is(err, budget.ErrSpent) {
		t.Errorf("more than there is: %v", err)
	}
}

// Work ends when its caller has left.
func TestBudget_EndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := budget.New(ctx, 100)
	cancel()
	if err := b.Text(1); !errors.Is(err, context.Canceled) {
		t.Errorf("a text: %v", err)
	}
	if err := b.Steps(50_000); !errors.Is(err, context.Canceled) {
		t.Errorf("many steps: %v", err)
	}
	var err error
	for range 20_000 {
		if err = b.Steps(1); err != nil {
			break
		}
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("many calls: %v", err)
	}
}
