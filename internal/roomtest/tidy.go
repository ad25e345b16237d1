package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// Tidy removes leftovers once, and fails the test if that fails.
func (w *World) Tidy(t *testing.T) {
	t.Helper()
	if err := w.Platform.System().Tidy(ctx()); err != nil {
		t.Error(err)
	}
}

// InsertTx runs the function in a transaction, and fails the test if that fails.
func (w *World) InsertTx(t *testing.T, fn func(tx learning.Tx) error) {
	t.Helper()
	if err := w.Store.InTx(ctx(), fn); err != nil {
		t.Fatal(err)
	}
}
