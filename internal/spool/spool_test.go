package spool

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// Neither a file that was closed nor one whose stream broke off stays in the folder.
func TestWrite_LeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f, err := Write(strings.NewReader("some content"))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 7)
	if _, err := f.ReadAt(got, 5); err != nil || string(got) != "content" || f.Size != 12 {
		t.Errorf("%q of %d bytes, %v", got, f.Size, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	broken := errors.New("broken")
	_, err = Write(io.MultiReader(strings.NewReader("some"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("%v, want the error of the stream", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
