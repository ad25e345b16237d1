// Package diskfull recognises the error of a write for which a file system has no space.
package diskfull

import (
	"errors"
	"syscall"
)

// Is reports whether an error means that the disk, or the quota of the user of the process, is
// full.
func Is(err error) bool {
	number, isNumber := errors.AsType[syscall.Errno](err)
	if !isNumber {
		return false
	}
	for _, full := range numbers {
		if number == full {
			return true
		}
	}
	return false
}
