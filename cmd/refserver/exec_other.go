//go:build !unix

package main

import (
	"os"
	"syscall"
)

// passedSignals are the signals that exec does not end on.
var passedSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// fromTerminal reports whether the system sends the signal to the command itself.
func fromTerminal(s syscall.Signal) bool { return s == syscall.SIGINT }

// hasTerminal reports that a command belongs to the group of this process.
func hasTerminal() bool { return true }

// newGroup returns no attributes, because a command never gets a group here.
func newGroup() *syscall.SysProcAttr { return nil }

// sendSignal ends a process, because this system has no other signal.
func sendSignal(target int, _ syscall.Signal) error {
	process, err := os.FindProcess(target)
	if err != nil {
		return err
	}
	return process.Kill()
}

// endProcesses ends the process of the command.
func endProcesses(target int) { _ = sendSignal(target, syscall.SIGTERM) }
