package learning_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

func TestCatalogue_FindsWords(t *testing.T) {
	w := roomtest.New(t, "")
	w.Person(t, "ada", core.Educator)
	w.AddCourses(t, catalog.Course{ID: "go", Title: "Go: first steps",
		Description: "Programming from the beginning.", Published: true},
		catalog.Course{ID: "food", Title: "Crème brûlée", Description: "A dessert",
			Published: true},
		catalog.Course{ID: "kanji", Title: "日本語 入門", Published: true},
		catalog.Course{ID: "draft", Title: "Go: draft"})
	for text, want := range map[string][]string{
		"go": {"go"}, "GO program": {"go"}, "steps, first!": {"go"}, "rogram": nil,
		"go dessert": nil, "a dessert": {"food"},
		"creme BRULEE": {"food"}, "crème": {"food"}, "本": {"kanji"}, "語本": {"kanji"}, "!?": nil,
		"%": nil, "ada": {"go", "food", "kanji"},
	} {
		if got := w.Search(t, text); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	_, err := w.Platform.Catalog.Catalogue(ctx(), catalog.CourseQuery{Search: strings.Repeat("x",
		201)},
		learning.PageRequest{Limit: 1})
	if !errors.Is(err, core.ErrInvalidRequest) {
		t.Error(err)
	}
}

func TestCatalogue_SearchesAllCourses(t *testing.T) {
	w := roomtest.New(t, "")
	var list []catalog.Course
	var want []string
	for i := range 450 {
		c := catalog.Course{ID: fmt.Sprintf("c%03d", i), Title: "Cooking", Published: true}
		if i%90 == 7 {
			c.Title = "Sailing"
			want = append(want, c.ID)
		}
		list = append(list, c)
	}
	w.AddCourses(t, list...)
	if got := w.Search(t, "sail"); !slices.Equal(got, want) {
		t.Errorf("the pages have %q, want %q", got, want)
	}
}
