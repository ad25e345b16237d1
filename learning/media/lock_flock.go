//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package media

import (
	"errors"
	"os"
	"syscall"
)

// lock waits for the exclusive lock of a folder. The lock ends when the folder is closed.
func lock(folder *os.File) error {
	conn, err := folder.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		// A signal interrupts the wait: begin again.
		for failed = syscall.EINTR; failed == syscall.EINTR; {
			failed = syscall.Flock(int(fd), syscall.LOCK_EX)
		}
	})
	return errors.Join(err, failed)
}
