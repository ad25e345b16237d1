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
	space := NewSpace(1<<20, 1<<20)
	f, err := space.Write("ada", strings.NewReader("some content"))
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
	_, err = space.Write("ada", io.MultiReader(strings.NewReader("some"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("%v, want the error of the stream", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// The files of all users together, and those of each, have a bound. Closing them makes room.
func TestSpace_Bounds(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	space := NewSpace(4*piece, 2*piece)
	write := func(user string, size int) (*File, error) {
		return space.Write(user, strings.NewReader(strings.Repeat("x", size)))
	}
	var open []*File
	for _, test := range []struct {
		user string
		size int
		fits bool
	}{
		{"ada", 2 * piece, true}, {"ada", 1, false}, {"bob", 2*piece + 1, false},
		{"bob", piece + 1, true}, {"bob", 1, false}, {"eve", 1, false},
	} {
		f, err := write(test.user, test.size)
		if (err == nil) != test.fits || err != nil && !errors.Is(err, ErrFull) {
			t.Errorf("%d bytes of %s: %v", test.size, test.user, err)
		}
		if err == nil {
			open = append(open, f)
		}
	}
	for _, f := range open {
		if err := errors.Join(f.Close(), f.Close()); !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	}
	if space.used != 0 || len(space.users) != 0 {
		t.Errorf("%d bytes are used, of %v", space.used, space.users)
	}
}
