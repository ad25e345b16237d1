package roomtest

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// MemoryFiles is a file store in memory.
type MemoryFiles struct {
	Mu         sync.Mutex // guards what follows
	Files      map[string]string
	Broken     error // the error of DeleteFile
	Unreadable bool  // OpenFile fails
	Written    int   // bytes of all files that were ever stored
	Most       int   // the largest number of files at one time
}

// StoreFile stores a file.
func (s *MemoryFiles) StoreFile(_ context.Context, name string, content io.Reader) error {
	var data strings.Builder
	if _, err := io.Copy(&data, content); err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Files == nil {
		s.Files = map[string]string{}
	}
	s.Files[name] = data.String()
	s.Written += data.Len()
	s.Most = max(s.Most, len(s.Files))
	return nil
}

// OpenFile opens a file, unless s is unreadable.
func (s *MemoryFiles) OpenFile(_ context.Context, name string) (io.ReadCloser, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	data, found := s.Files[name]
	if !found || s.Unreadable {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader(data)), nil
}

// DeleteFile deletes a file, or fails with Broken.
func (s *MemoryFiles) DeleteFile(_ context.Context, name string) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.Broken != nil {
		return s.Broken
	}
	delete(s.Files, name)
	return nil
}

// SignFile returns a URL that nothing serves.
func (s *MemoryFiles) SignFile(_ context.Context, f file.Signed) (string, error) {
	return fmt.Sprintf("https://files.example.org/%s?until=%d", f.Name, f.Until.Unix()), nil
}

// Contents returns the contents of all files, in order.
func (s *MemoryFiles) Contents() []string {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return slices.Sorted(maps.Values(s.Files))
}

// NewWithFiles returns a platform with a file store in memory.
func NewWithFiles(t *testing.T, database string, opts ...learning.Option) (*World,
	*MemoryFiles) {
	t.Helper()
	files := &MemoryFiles{}
	w := New(t, database, learningtest.WithPlatform(append(opts,
		learning.WithFiles(files))...))
	return w, files
}

// WantFiles checks the contents of the stored files, and that none of them is about to be removed.
func WantFiles(t *testing.T, w *World, files *MemoryFiles, want ...string) {
	t.Helper()
	if got := files.Contents(); !slices.Equal(got, want) {
		t.Errorf("stored: %.100q, want %.100q", got, want)
	}
	if n := w.Count(t, "{unused_files}"); n != 0 {
		t.Errorf("%d contents are in the list of unused files", n)
	}
	w.WantInvariants(t)
}
