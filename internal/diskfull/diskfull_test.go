package diskfull_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/openlectern/openlectern/internal/diskfull"
)

// Linux has a device that is always full.
func TestIs(t *testing.T) {
	if diskfull.Is(nil) || diskfull.Is(errors.New("no space left on device")) ||
		diskfull.Is(os.ErrNotExist) {
		t.Error("another error counts as that of a full disk")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	_, err = full.WriteString("x")
	if !diskfull.Is(fmt.Errorf("store a file: %w", errors.Join(err, nil))) {
		t.Errorf("the error of a full disk is not one: %v", err)
	}
}
