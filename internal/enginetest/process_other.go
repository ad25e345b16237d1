//go:build !linux

package enginetest

import "syscall"

// dieWithParent asks for nothing: other systems cannot do it, and rely on Main.
func dieWithParent() *syscall.SysProcAttr { return nil }
