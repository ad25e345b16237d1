//go:build !linux

package enginetest

import "syscall"

// dieWithParent asks for nothing: other systems cannot do it, and rely on Main.
func dieWithParent() *syscall.SysProcAttr { return nil }

// isStopped believes that a signal stops a process at once.
func isStopped(int) bool { return true }
