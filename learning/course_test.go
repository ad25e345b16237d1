package learning_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/learning/learning"
)

func (w *world) list(t *testing.T) []learning.Course {
	t.Helper()
	list, err := w.Platform.Catalogue(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (w *world) revision(t *testing.T) learning.Revision {
	t.Helper()
	r, err := w.Platform.CatalogueRevision(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newCourse(id string) learning.NewCourse {
	return learning.NewCourse{ID: id, Title: "Go", Price: 499_00, Published: true, Content: []learning.Chapter{{Title: "One", Lectures: []learning.Lecture{
		{Title: "Open", Minutes: 1.5, URL: "https://example.com/open", PreviewFree: true},
		{Title: "Closed", Minutes: 2, URL: "https://example.com/closed"},
	}}}}
}

// album is a media store in memory.
type album struct {
	mu     sync.Mutex
	files  map[string][]byte
	types  map[string]string
	broken error // of Put
}

func (a *album) Put(_ context.Context, name, contentType string, data []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken != nil {
		return a.broken
	}
	if a.files == nil {
		a.files, a.types = map[string][]byte{}, map[string]string{}
	}
	a.files[name], a.types[name] = data, contentType
	return nil
}

func (a *album) Delete(_ context.Context, name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.files, name)
	return nil
}

func (a *album) URL(name string) string { return "https://media.example.org/" + name }

// wantInUse checks that the files are the thumbnails of the courses, all of them
// and no others.
func (a *album) wantInUse(t *testing.T, w *world) {
	t.Helper()
	rows, err := w.db.Query("SELECT thumbnail FROM courses")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	used := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		used[name] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	kept := map[string]bool{}
	for name := range a.files {
		kept[name] = true
	}
	if diff := cmp.Diff(used, kept); diff != "" {
		t.Errorf("thumbnails of courses, and those kept: %s", diff)
	}
}
