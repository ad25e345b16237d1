package media

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"github.com/openlectern/openlectern/learning/file"
)

func TestStoreError_OfAFullDisk(t *testing.T) {
	full := storeError(&fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC})
	if !errors.Is(full, file.ErrNoSpace) || !errors.Is(full, syscall.ENOSPC) {
		t.Errorf("%v", full)
	}
	if err := storeError(fs.ErrPermission); errors.Is(err, file.ErrNoSpace) {
		t.Errorf("%v", err)
	}
	if err := storeError(nil); err != nil {
		t.Errorf("%v", err)
	}
}
