package catalog_test

import (
	"context"
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// withIDs is a course with one chapter and one lecture.
func withIDs(chapterID, lectureID string) catalog.NewCourse {
	n := roomtest.NewCourse("go")
	n.ID = "" // a new one for each
	n.Content = []catalog.Chapter{{ID: chapterID, Title: "C", Lectures: []catalog.Lecture{
		{ID: lectureID, Title: "L", Minutes: 1, URL: "https://videos.example.org/1"}}}}
	return n
}

func TestAddCourse_IDsInPaths(t *testing.T) {
	w := learningtest.New(t, learningtest.WithPlatform(learning.WithMedia(&roomtest.MemoryMedia{})))
	educator := learning.Actor{UserID: "educator", Role: core.Educator}
	add := func(n catalog.NewCourse) error {
		_, err := w.Platform.Catalog.AddCourse(ctx(), educator, n, learningtest.Thumbnail(t))
		return err
	}
	for _, id := range []string{"a/b", "/", ".", "..", "a\x00b", "a\nb", "a\tb", "\x7f", "a\u0085b",
		"a\xff", "a\ufffd"} {
		for _, n := range []catalog.NewCourse{withIDs(id, "1"), withIDs("1", id)} {
			if err := add(n); !errors.Is(err, core.ErrInvalidRequest) {
				t.Errorf("%q: %v", id, err)
			}
		}
	}
	for _, id := range []string{"a b", `a\b`, "100%", "a?b#c", "...", ".a", "é学", "a:b", "a%2Fb"} {
		if err := add(withIDs(id, id)); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// A course that has such ids from an earlier version can be learned and revised.
func TestContentIDs_FromBefore(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 0)
		old := withIDs("a/b", "..").Content
		err := w.Store.InTx(ctx(),
			func(tx learning.Tx) error {
				return tx.UpdateContent(context.Background(), course,
					old)
			})
		if err != nil {
			t.Fatal(err)
		}
		ada := w.Enrolls(t, "ada", course)
		if done, err := w.Platform.Study.CompleteLecture(ctx(), ada, course, ".."); err != nil ||
			!done {
			t.Errorf("completed %v, %v", done, err)
		}
		revised := withIDs("a/b", "..").Content
		revised[0].Title = "Another"
		admin := learning.Actor{UserID: "admin", Role: core.Admin}
		if _, err := w.TryEdit(admin, course, catalog.CourseEdit{Content: revised}); err != nil {
			t.Errorf("revised with its own ids: %v", err)
		}
		revised[0].Lectures[0].ID = "x/y"
		if _, err := w.TryEdit(admin, course,
			catalog.CourseEdit{Content: revised}); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("revised with a new id: %v", err)
		}
	})
}
