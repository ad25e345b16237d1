package roomtest

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// MemoryMedia is a media store in memory.
type MemoryMedia struct {
	Mu     sync.Mutex
	Files  map[string][]byte
	Types  map[string]string
	Broken error // the error of Put
}

// Put keeps a file, unless Broken is set.
func (a *MemoryMedia) Put(_ context.Context, name, contentType string, data []byte) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.Broken != nil {
		return a.Broken
	}
	if a.Files == nil {
		a.Files, a.Types = map[string][]byte{}, map[string]string{}
	}
	a.Files[name], a.Types[name] = data, contentType
	return nil
}

// Delete removes a file.
func (a *MemoryMedia) Delete(_ context.Context, name string) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	delete(a.Files, name)
	return nil
}

// Open returns a file.
func (a *MemoryMedia) Open(_ context.Context, name string) (io.ReadCloser, error) {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	data, found := a.Files[name]
	if !found {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// URL returns the address of a file.
func (a *MemoryMedia) URL(name string) string { return "https://media.example.org/" + name }

// WantInUse checks that the stored files are exactly the thumbnails of the courses.
func (a *MemoryMedia) WantInUse(t *testing.T, w *World) {
	t.Helper()
	rows, err := w.DB.Query("SELECT thumbnail FROM courses")
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
	a.Mu.Lock()
	defer a.Mu.Unlock()
	kept := map[string]bool{}
	for name := range a.Files {
		kept[name] = true
	}
	if diff := cmp.Diff(used, kept); diff != "" {
		t.Errorf("thumbnails (-of courses +stored): %s", diff)
	}
}

// UndeletableMedia is a media store that cannot delete while Fails is set.
type UndeletableMedia struct {
	MemoryMedia
	Fails bool
}

// Delete fails while Fails is set.
func (m *UndeletableMedia) Delete(ctx context.Context, name string) error {
	if m.Fails {
		return ErrInjected
	}
	return m.MemoryMedia.Delete(ctx, name)
}
