package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
)

// child is the process of the command of exec.
type child struct {
	cmd     *exec.Cmd
	grouped bool // whether it has a process group of its own
	signals chan os.Signal
}

// newChild returns a child that is not started. From now on this process does not end on
// a signal that it passes on. The caller must call close.
func newChild(path string, args []string, stdout, stderr io.Writer) *child {
	c := &child{
		cmd:     &exec.Cmd{Path: path, Args: args, Stdin: os.Stdin, Stdout: stdout, Stderr: stderr},
		grouped: !hasTerminal(),
		signals: make(chan os.Signal, 16), // os/signal drops a signal if there is no room
	}
	if c.grouped { // so that a signal can be sent to the command with all processes that it starts
		c.cmd.SysProcAttr = newGroup()
	}
	// A signal that this process ignores stays ignored, as nohup(1) wants.
	signal.Notify(c.signals, slices.DeleteFunc(slices.Clone(passedSignals), signal.Ignored)...)
	return c
}

// close ends the reception of signals.
func (c *child) close() { signal.Stop(c.signals) }

// started reports whether the command was started.
func (c *child) started() bool { return c.cmd.Process != nil }

// run starts the command, passes signals on, and returns the exit code after it has ended.
// When ctx is done, because the server has failed, it terminates the command.
func (c *child) run(ctx context.Context, environment []string, cleaner *cleaner) (exitCode, error) {
	c.cmd.Env = environment
	if err := c.cmd.Start(); err != nil {
		return execNotRun, fmt.Errorf("start the command: %w", err)
	}
	cleaner.setTarget(c.target()) // if this process is killed before, the command keeps running
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = c.cmd.Wait() // the state of the process has the outcome
	}()
	// Wait for the end, and pass on what arrives meanwhile.
	for failed := ctx.Done(); ; {
		select {
		case s := <-c.signals:
			c.pass(s)
		case <-failed: // the server has failed
			c.pass(syscall.SIGTERM)
			// A nil channel is never ready: the command is terminated once.
			failed = nil
		case <-ended:
			// The id may be that of another process soon, which the cleaner must not end. A group
			// keeps its id while it has members, and the cleaner ends these.
			if !c.grouped {
				cleaner.setTarget(0)
			}
			return c.exitCode(), nil
		}
	}
}

// target returns what kill(2) takes for the child: the negative id of its group, or its
// own id.
func (c *child) target() int {
	if c.grouped {
		return -c.cmd.Process.Pid
	}
	return c.cmd.Process.Pid
}

// pass sends a signal to the command and, if it has a group of its own, to all processes
// of the group. Without one it has received the signals of the terminal already.
func (c *child) pass(s os.Signal) {
	if number, ok := s.(syscall.Signal); ok && (c.grouped || !fromTerminal(number)) {
		_ = sendSignal(c.target(), number) // an error means that it has ended
	}
}

// exitCode returns the code of the command, which has ended, or that of the signal that ended it.
func (c *child) exitCode() exitCode {
	state := c.cmd.ProcessState
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return execSignal + exitCode(status.Signal())
	}
	return exitCode(state.ExitCode())
}
