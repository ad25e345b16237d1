//go:build !linux

package enginetest

import "os/exec"

// dieWithParent does nothing: only Linux supports it. On other systems Main ends the servers.
func dieWithParent(*exec.Cmd) {}

// descendants returns none: only Linux tells them.
func descendants(pid int) []int { return nil }

// isStopped would report whether a process was paused by SIGSTOP. It returns true, on the
// assumption that the signal pauses a process at once.
func isStopped(pid int) bool { return true }

// removeSegment does nothing: only Linux has the system call that it uses.
func removeSegment(id int) {}

// useMemory does nothing: only Linux has a folder whose files are in memory.
func useMemory() {}
