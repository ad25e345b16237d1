package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Add stores a picture as a thumbnail.
func (a *MemoryMedia) Add(t *testing.T, upload []byte) (name string, err error) {
	t.Helper()
	w := learningtest.New(t, learningtest.WithPlatform(learning.WithMedia(a)))
	id, err := w.Platform.Catalog.AddCourse(ctx(),
		core.Actor{UserID: "educator", Role: core.Educator}, NewCourse("go"), upload)
	if err != nil {
		if list, err := PageRows(w.Platform.Catalog.Catalogue(ctx(), catalog.CourseQuery{},
			WholeList)); len(list) != 0 {
			t.Errorf("the course was added: %v (%v)", list, err)
		}
		return "", err
	}
	c, err := w.Platform.Catalog.PublishedCourse(ctx(), id)
	if err != nil {
		t.Fatal(err)
	}
	return c.Thumbnail, nil
}
