package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// Analytics returns the figures that a user sees.
func (w *World) Analytics(t *testing.T, actor core.Actor) study.Analytics {
	t.Helper()
	a, err := w.Platform.Study.Analytics(ctx(), actor)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TwoChapters publishes a course with the chapters two and one, in this order.
func (w *World) TwoChapters(t *testing.T, id string) {
	t.Helper()
	chapter := func(id, title string) catalog.Chapter {
		return catalog.Chapter{ID: id, Title: title,
			Lectures: []catalog.Lecture{{ID: id, Title: title, Minutes: 1,
				URL: "https://videos.example.org/" + id}}}
	}
	_, err := w.Platform.Catalog.AddCourse(ctx(), w.Person(t, "educator", core.Educator),
		catalog.NewCourse{
			ID: id, Title: "Course " + id, Published: true,
			Content: []catalog.Chapter{chapter("one", "One"), chapter("two", "Two")}},
		learningtest.Thumbnail(t))
	if err != nil {
		t.Fatal(err)
	}
}
