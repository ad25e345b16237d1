package enginetest

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// nobody is the user of that name, and his group.
var nobody = syscall.Credential{Uid: 65534, Gid: 65534}

// giveToNobody makes nobody the owner of a folder, and lets him pass through the folders above it
// that this process has made.
func giveToNobody(dir string) error {
	return errors.Join(
		os.Chown(dir, int(nobody.Uid), int(nobody.Gid)),
		os.Chmod(filepath.Dir(dir), 0o711))
}
