package storetest

import (
	"context"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

var sweepTests = []test{
	{"a sweep moves from the position that was read, once", sweepMoves},
}

func sweepMoves(t *testing.T, f *fixture) {
	s := learning.Sweep{Name: "a", StartedAt: noon, After: learning.Position{At: later, ID: ""}}
	other := learning.Sweep{Name: "b", StartedAt: noon, After: s.After}
	got, err := f.Sweep(t.Context(), "a")
	missing(t, got, err)
	insert := func(ctx context.Context, tx learning.Tx) error { return tx.InsertSweep(ctx, s) }
	f.do(insert)
	f.fails(learning.ErrDuplicate, insert)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertSweep(ctx, other) })

	moved := learning.Sweep{Name: "a", StartedAt: later,
		After: learning.Position{At: noon, ID: "p"}}
	for _, from := range []learning.Sweep{
		{Name: "c", StartedAt: noon, After: s.After},
		{Name: "a", StartedAt: later, After: s.After},
		{Name: "a", StartedAt: noon, After: learning.Position{At: noon}},
		{Name: "a", StartedAt: noon, After: learning.Position{At: later, ID: "p"}},
	} {
		f.reports(false,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.MoveSweep(ctx, from,
					moved)
			})
	}
	for _, want := range []bool{true, false} {
		f.reports(want,
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.MoveSweep(ctx, s,
					moved)
			})
	}
	got, err = f.Sweep(t.Context(), "a")
	equal(t, got, err, moved)
	got, err = f.Sweep(t.Context(), "b")
	equal(t, got, err, other)
}
