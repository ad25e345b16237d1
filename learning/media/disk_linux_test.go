package media_test

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/openlectern/openlectern/learning/media"
)

const nobody = 65534

// asNobody runs fn with the file permissions of the user nobody, because root may write to a
// folder of any mode.
func asNobody(t *testing.T, fn func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		fn()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			panic(err)
		}
	}()
	fn()
}

func TestNewDisk_NoPermission(t *testing.T) {
	for name, mode := range map[string]os.FileMode{"not to write": 0o555, "not to read": 0o333,
		"not to enter": 0o666, "none": 0} {
		for _, used := range []bool{false, true} { // whether .incoming exists
			parent := t.TempDir()
			dir := filepath.Join(parent, "media")
			for _, folder := range []string{filepath.Dir(parent), parent} {
				if err := os.Chmod(folder, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if used {
				if err := os.Mkdir(filepath.Join(dir, ".incoming"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(filepath.Join(dir, ".incoming"), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(dir, mode); err != nil {
				t.Fatal(err)
			}
			asNobody(t, func() {
				if _, err := media.NewDisk(dir, base); err == nil {
					t.Errorf("%s (used: %v): no error", name, used)
				}
				if _, err := media.NewDisk(filepath.Join(dir, "new"), base); err == nil &&
					mode != 0o333 {
					t.Errorf("%s: no error for a new folder in it", name)
				}
			})
			if err := os.Chmod(dir, 0o755); err != nil { // so that it can be removed
				t.Fatal(err)
			}
		}
	}
}

// In the file system /proc not even root can create a file.
func TestNewDisk_ReadOnlyFileSystem(t *testing.T) {
	for _, dir := range []string{"/proc", "/proc/media"} {
		if _, err := media.NewDisk(dir, base); err == nil {
			t.Errorf("%s: no error", dir)
		}
	}
}
