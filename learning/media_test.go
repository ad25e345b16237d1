package learning_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// memoryMedia is a media store in memory.
type memoryMedia struct {
	mu     sync.Mutex
	files  map[string][]byte
	types  map[string]string
	broken error // the error of Put
}

func (a *memoryMedia) Put(_ context.Context, name, contentType string, data []byte) error {
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

func (a *memoryMedia) Delete(_ context.Context, name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.files, name)
	return nil
}

func (a *memoryMedia) Open(_ context.Context, name string) (io.ReadCloser, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	data, found := a.files[name]
	if !found {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (a *memoryMedia) URL(name string) string { return "https://media.example.org/" + name }

// wantInUse checks that the stored files are exactly the thumbnails of the courses.
func (a *memoryMedia) wantInUse(t *testing.T, w *fixture) {
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
		t.Errorf("thumbnails (-of courses +stored): %s", diff)
	}
}
