package media_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/mediatest"
	"github.com/openlectern/openlectern/learning/media"
)

const base = mediatest.Base

func newDisk(t testing.TB, opts ...media.Option) (d *media.Disk, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "new", "media")
	return openDisk(t, dir, opts...), dir
}

func openDisk(t testing.TB, dir string, opts ...media.Option) *media.Disk {
	t.Helper()
	d, err := media.NewDisk(dir, base, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestDisk_Conforms(t *testing.T) {
	mediatest.Run(t, func(t *testing.T) mediatest.Store {
		d, _ := newDisk(t)
		return d
	})
}

func TestDisk_ConformsWithoutHardLinks(t *testing.T) {
	mediatest.Run(t, func(t *testing.T) mediatest.Store {
		d, dir := newDisk(t, media.WithoutLinks())
		if left := files(t, dir); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
		return d
	})
}

// files returns the files of a folder with their contents.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		short, _ := filepath.Rel(dir, name)
		found[filepath.ToSlash(short)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A linked folder is not one of the disk: nothing in it is deleted, as nothing in it exists.
func TestDelete_InALinkedFolder_DeletesNothing(t *testing.T) {
	d, dir := newDisk(t)
	if err := d.Put(t.Context(), "b/x.png", "image/png", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b", filepath.Join(dir, "a")); err != nil {
		t.Skip(err)
	}
	err := d.Delete(t.Context(), "a/x.png")
	got, readErr := os.ReadFile(filepath.Join(dir, "b", "x.png"))
	if string(got) != "x" || errors.Join(err, readErr) != nil {
		t.Errorf("left: %q, %v, %v", got, err, readErr)
	}
}

func TestPut_StoresAndDeleteRemovesOneFile(t *testing.T) {
	d, dir := newDisk(t)
	for name, contentType := range map[string]string{"a.png": "image/png", "b.jpg": "image/jpeg",
		"c.jpeg": "image/jpeg", "d.webp": "image/webp", "2026/11/e.pdf": "application/pdf"} {
		if err := d.Put(t.Context(), name, contentType, []byte(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := map[string]string{"a.png": "a.png", "b.jpg": "b.jpg", "c.jpeg": "c.jpeg",
		"d.webp": "d.webp", "2026/11/e.pdf": "2026/11/e.pdf"}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Error(diff)
	}
	for name := range want {
		for range 2 { // deleting a missing file is not an error
			if err := d.Delete(t.Context(), name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if err := d.Put(t.Context(), "f.png", "image/png", []byte("f")); err != nil {
		t.Fatal(err)
	}
	if err := d.Delete(t.Context(), "f.png/under-a-file.png"); err != nil {
		t.Error(err)
	}
}

func TestPut_InvalidName(t *testing.T) {
	d, dir := newDisk(t)
	outside := filepath.Join(filepath.Dir(dir), "a.png")
	if err := os.WriteFile(outside, []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range mediatest.BadNames {
		if err := d.Put(t.Context(), name, "image/png", []byte("x")); err == nil {
			t.Errorf("%q was stored", name)
		}
		if err := d.Delete(t.Context(), name); err == nil {
			t.Errorf("%q was removed", name)
		}
	}
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if content, err := os.ReadFile(outside); err != nil || string(content) != "outside" {
		t.Errorf("the file outside: %q, %v", content, err)
	}
}

func TestPut_CancelledContext(t *testing.T) {
	d, dir := newDisk(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Put(ctx, "a.png", "image/png", []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestPut_FailureLeavesNoFile(t *testing.T) {
	d, dir := newDisk(t)
	if err := d.Put(t.Context(), "file.png", "image/png", []byte("x")); err != nil {
		t.Fatal(err)
	}
	// no folder
	if err := d.Put(t.Context(), "file.png/a.png", "image/png", []byte("x")); err == nil {
		t.Error("no error")
	}
	if diff := cmp.Diff(map[string]string{"file.png": "x"}, files(t, dir)); diff != "" {
		t.Error(diff)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Put(t.Context(), "b.png", "image/png", []byte("x")); err == nil {
		t.Error("stored in a closed folder")
	}
}

func TestPut_LinkedFolder(t *testing.T) {
	d, dir := newDisk(t)
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Skipf("left out: this system has no symbolic links: %v", err)
	}
	if err := d.Put(t.Context(), "out/a.png", "image/png", []byte("x")); err == nil {
		t.Error("stored through a link")
	}
	if left := files(t, outside); len(left) != 0 {
		t.Errorf("left outside: %v", left)
	}
}

func TestNewDisk_RemovesOldIncompleteFiles(t *testing.T) {
	_, dir := newDisk(t)
	write := func(name string, age time.Duration) {
		name = filepath.Join(dir, ".incoming", name)
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	write("OLD", 61*time.Minute)
	write("NEW", 59*time.Minute)
	openDisk(t, dir)
	if diff := cmp.Diff(map[string]string{".incoming/NEW": "half"}, files(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// Many goroutines write at the same time. Each file is complete, and each name is stored once.
func TestPut_ConcurrentCalls(t *testing.T) {
	d, dir := newDisk(t)
	var crowd sync.WaitGroup
	var failed atomic.Int32
	for i := range 20 {
		name := strconv.Itoa(i) + ".png"
		crowd.Go(func() {
			if d.Put(t.Context(), name, "image/png", []byte(strings.Repeat(name, 10_000))) != nil {
				failed.Add(1)
			}
		})
	}
	crowd.Wait()
	got := files(t, dir)
	for name, content := range got {
		if content != strings.Repeat(name, 10_000) {
			t.Errorf("%s is not complete", name)
		}
	}
	if len(got) != 20 || failed.Load() != 0 {
		t.Errorf("%d files, %d failures", len(got), failed.Load())
	}
}

func TestNewDisk_InvalidArguments(t *testing.T) {
	for _, address := range []string{"", "/media", "learn.example.com/media",
		"ftp://learn.example.com", "https://learn.example.com/?a=b",
		"https://learn.example.com/#a"} {
		if _, err := media.NewDisk(t.TempDir(), address); err == nil {
			t.Errorf("%q: no error", address)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := media.NewDisk(file, base); err == nil {
		t.Error("a file as folder: no error")
	}
}

func TestNewDisk_FileModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("left out: this system has no permission bits")
	}
	d, dir := newDisk(t)
	if err := d.Put(t.Context(), "sub/a.png", "image/png", nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"..": 0o700, ".": 0o700, ".incoming": 0o700,
		"sub": 0o700, "sub/a.png": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: mode %v, want %v; %v", name, info.Mode().Perm(), want, err)
		}
	}
}

func TestNewDisk_Unusable(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string) (media string){
		"a file": func(t *testing.T, dir string) string { return spoilFile(t, dir) },
		"below a file": func(t *testing.T, dir string) string {
			return filepath.Join(spoilFile(t, dir), "media")
		},
		"a link to nothing": func(t *testing.T, dir string) string {
			return spoilLink(t, "nothing",
				filepath.Join(dir, "link"))
		},
		"a file with the name of the incoming folder": func(t *testing.T, dir string) string {
			if err := os.WriteFile(filepath.Join(dir, ".incoming"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return dir
		},
		"a link to another folder as incoming folder": func(t *testing.T, dir string) string {
			spoilLink(t, t.TempDir(), filepath.Join(dir, ".incoming"))
			return dir
		},
		"a link inside the folder as incoming folder": func(t *testing.T, dir string) string {
			if err := os.Mkdir(filepath.Join(dir, "other"), 0o700); err != nil {
				t.Fatal(err)
			}
			spoilLink(t, "other", filepath.Join(dir, ".incoming"))
			return dir
		},
		"a folder with the name of the probe": func(t *testing.T, dir string) string {
			if err := os.MkdirAll(filepath.Join(dir, ".probe", "x"), 0o700); err != nil {
				t.Fatal(err)
			}
			return dir
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := media.NewDisk(spoil(t, t.TempDir()), base); err == nil {
				t.Error("no error")
			}
		})
	}
}

func spoilFile(t *testing.T, dir string) (name string) {
	t.Helper()
	name = filepath.Join(dir, "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func spoilLink(t *testing.T, to, name string) string {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip("left out: this system has no symbolic links:", err)
	}
	return name
}

func TestNewDisk_LeavesNoFile(t *testing.T) {
	_, dir := newDisk(t)
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
