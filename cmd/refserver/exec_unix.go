//go:build unix

package main

import (
	"os"
	"syscall"
	"time"
)

// passedSignals are the signals that exec passes on to its command.
var passedSignals = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
	syscall.SIGUSR1, syscall.SIGUSR2}

// fromTerminal reports whether a terminal sends the signal to all processes of its
// foreground group.
func fromTerminal(s syscall.Signal) bool { return s == syscall.SIGINT || s == syscall.SIGQUIT }

// hasTerminal reports whether this process has a controlling terminal. A command must then
// stay in the group of this process, so that it can read from the terminal.
func hasTerminal() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	_ = terminal.Close()
	return true
}

// newGroup makes a new process the leader of a new process group.
func newGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// sendSignal sends a signal to a target of kill(2): a process, or a group by its negative id.
func sendSignal(target int, s syscall.Signal) error { return syscall.Kill(target, s) }

// endProcesses sends SIGTERM and, to processes that still run after cleanTime, SIGKILL.
func endProcesses(target int) {
	const poll = 10 * time.Millisecond
	err := sendSignal(target, syscall.SIGTERM)
	for end := time.Now().Add(cleanTime); err == nil && time.Now().Before(end); {
		time.Sleep(poll)
		err = sendSignal(target, 0) // sends nothing; an error means that no process is left
	}
	if err == nil {
		_ = sendSignal(target, syscall.SIGKILL)
	}
}
