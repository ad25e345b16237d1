//go:build unix

package diskfull

import "syscall"

var numbers = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}
