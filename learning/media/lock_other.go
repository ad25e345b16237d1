//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package media

import (
	"errors"
	"os"
)

// lock returns an error, because this system has no locks of folders. A disk then needs hard links.
func lock(*os.File) error { return errors.ErrUnsupported }
