package learning_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// search returns the ids of the courses that a search finds, in pages of two.
func (w *fixture) search(t *testing.T, text string) (ids []string) {
	t.Helper()
	page := learning.PageRequest{Limit: 2}
	for {
		found, err := w.Platform.Catalogue(ctx(), learning.CourseQuery{Search: text}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found.Rows {
			ids = append(ids, c.ID)
		}
		if page.After = found.Next; found.Next.IsZero() {
			return ids
		}
	}
}

// addCourses stores courses of the educator ada, one a second.
func (w *fixture) addCourses(t *testing.T, list ...learning.Course) {
	t.Helper()
	err := w.Store.InTx(ctx(), func(tx learning.Tx) error {
		for i, c := range list {
			c.Educator.ID, c.CreatedAt = "ada", w.Clock.Now().Add(time.Duration(i)*time.Second)
			if err := tx.InsertCourse(ctx(), c, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCatalogue_FindsWords(t *testing.T) {
	w := newFixture(t, "")
	w.Person(t, "ada", learning.Educator)
	w.addCourses(t, learning.Course{ID: "go", Title: "Go: first steps",
		Description: "Programming from the beginning.", Published: true},
		learning.Course{ID: "food", Title: "Crème brûlée", Description: "A dessert",
			Published: true},
		learning.Course{ID: "kanji", Title: "日本語 入門", Published: true},
		learning.Course{ID: "draft", Title: "Go: draft"})
	for text, want := range map[string][]string{
		"go": {"go"}, "GO program": {"go"}, "steps, first!": {"go"}, "rogram": nil,
		"go dessert": nil, "a dessert": {"food"},
		"creme BRULEE": {"food"}, "crème": {"food"}, "本": {"kanji"}, "語本": {"kanji"}, "!?": nil,
		"%": nil, "ada": {"go", "food", "kanji"},
	} {
		if got := w.search(t, text); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	_, err := w.Platform.Catalogue(ctx(), learning.CourseQuery{Search: strings.Repeat("x", 201)},
		learning.PageRequest{Limit: 1})
	if err != learning.ErrInvalidRequest {
		t.Error(err)
	}
}

func TestCatalogue_SearchesAllCourses(t *testing.T) {
	w := newFixture(t, "")
	var list []learning.Course
	var want []string
	for i := range 450 {
		c := learning.Course{ID: fmt.Sprintf("c%03d", i), Title: "Cooking", Published: true}
		if i%90 == 7 {
			c.Title = "Sailing"
			want = append(want, c.ID)
		}
		list = append(list, c)
	}
	w.addCourses(t, list...)
	if got := w.search(t, "sail"); !slices.Equal(got, want) {
		t.Errorf("the pages have %q, want %q", got, want)
	}
}
