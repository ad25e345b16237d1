package storetest

import (
	"context"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

var sweepTests = []test{
	{"a sweep moves from the position that was read, once", sweepMoves},
}

func sweepMoves(t *testing.T, f *fixture) {
	s := core.Sweep{Name: "a", StartedAt: noon, After: core.Position{At: later, ID: ""}}
	other := core.Sweep{Name: "b", StartedAt: noon, After: s.After}
	got, err := f.Sweep(t.Context(), "a")
	missing(t, got, err)
	insert := func(ctx context.Context, tx learning.Tx) error { return tx.InsertSweep(ctx, s) }
	f.do(insert)
	f.fails(core.ErrDuplicate, insert)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertSweep(ctx, other) })

	moved := core.Sweep{Name: "a", StartedAt: later,
		After: core.Position{At: noon, ID: "p"}}
	for _, from := range []core.Sweep{
		{Name: "c", StartedAt: noon, After: s.After},
		{Name: "a", StartedAt: later, After: s.After},
		{Name: "a", StartedAt: noon, After: core.Position{At: noon}},
		{Name: "a", StartedAt: noon, After: core.Position{At: later, ID: "p"}},
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
