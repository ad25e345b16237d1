package roomtest

import (
	"cmp"
	"testing"

	"github.com/openlectern/openlectern/learning/bundle"
)

// Bundle adds a bundle as its educator, who is [Teacher].
func (w *World) Bundle(t *testing.T, n bundle.NewBundle) bundle.Bundle {
	t.Helper()
	n.Title = cmp.Or(n.Title, "Bundle")
	b, err := w.Platform.Bundles.Create(ctx(), Teacher, n)
	Must(t, err)
	return b
}
