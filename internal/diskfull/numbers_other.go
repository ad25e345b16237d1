//go:build !unix && !windows

package diskfull

import "syscall"

var numbers []syscall.Errno
