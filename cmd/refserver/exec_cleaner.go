package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

// cleaner is a process that removes the folder of exec and ends the processes of its
// command. It does so when the pipe to it is closed, which the system does if the process
// of exec is killed.
type cleaner struct {
	cmd    *exec.Cmd
	pipe   io.WriteCloser
	stderr bytes.Buffer
}

// startCleaner starts the cleaner of a folder.
func startCleaner(dir string) (*cleaner, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start the cleaner: %w", err)
	}
	// It waits for the end of the pipe, which closes whenever this process ends. A group of its own
	// keeps it from the signals of the terminal.
	c := &cleaner{cmd: exec.Command(program, "clean", dir)}
	c.cmd.Stderr, c.cmd.SysProcAttr = &c.stderr, newGroup()
	if c.pipe, err = c.cmd.StdinPipe(); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start the cleaner: %w", err)
	}
	return c, nil
}

// setTarget tells the cleaner the target of kill(2) that it ends when its work begins; 0 is none.
// It ignores errors, because a cleaner that has ended cannot be told.
func (c *cleaner) setTarget(target int) { fmt.Fprintln(c.pipe, target) }

// close makes the cleaner do its work, and waits for it.
func (c *cleaner) close() error {
	if err := errors.Join(c.pipe.Close(), c.cmd.Wait()); err != nil {
		return fmt.Errorf("remove the temporary files: %w: %s",
			err, strings.TrimSpace(c.stderr.String()))
	}
	return nil
}

// cleanCommand is the process of a [cleaner].
type cleanCommand struct {
	Dir string `arg:""`
}

// cleanTime is how long the processes of a command that has ended may take to end after
// SIGTERM.
const cleanTime = 5 * time.Second

// Run reads targets until the end of its input, ends the last one, and removes the folder.
func (c cleanCommand) Run() error {
	signal.Ignore(passedSignals...) // only the end of the input starts the work
	target := 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		// Every line is a number, so the condition is a precaution.
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			target = n
		}
	}
	if target != 0 {
		endProcesses(target)
	}
	return os.RemoveAll(c.Dir)
}
