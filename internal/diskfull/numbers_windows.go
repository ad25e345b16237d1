package diskfull

import "syscall"

// The numbers are ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL and ERROR_DISK_QUOTA_EXCEEDED.
var numbers = []syscall.Errno{39, 112, 1295}
