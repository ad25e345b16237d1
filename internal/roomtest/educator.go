package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Teach adds a course of an educator, published or as a draft.
func (w *World) Teach(t *testing.T, educator core.Actor, id string, price core.Money,
	published bool) {
	t.Helper()
	n := NewCourse(id)
	n.Price = price
	n.Discount = 0
	n.Published = published
	if _, err := w.Platform.Catalog.AddCourse(ctx(), educator, n,
		learningtest.Thumbnail(t)); err != nil {
		t.Fatal(err)
	}
}
