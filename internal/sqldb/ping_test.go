package sqldb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The open connections of a store answer although the file is gone.
func TestPing_SQLiteFileIsGone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "learning.db")
	s, err := openDB(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Ping(t.Context()); err != nil {
		t.Fatalf("with the file: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := s.Ping(t.Context()); err == nil {
		t.Error("Ping returned no error")
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Ping created the file: %v", err)
	}
}
