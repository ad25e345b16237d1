//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// execRun is a process of exec. Its command is a shell that has written one line.
type execRun struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	close  func() error // closes stdout
	stderr *transcript
	dir    string // for temporary files
	line   []string
}

// startExec starts exec without a controlling terminal, as in CI.
func startExec(t *testing.T, env environment, args ...string) *execRun {
	t.Helper()
	needProcesses(t)
	r := &execRun{cmd: exec.Command(os.Args[0], append([]string{"exec"}, args...)...),
		stderr: &transcript{}, dir: t.TempDir()}
	r.cmd.Env = append(env.process(), "TMPDIR="+r.dir)
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	r.cmd.Stderr = r.stderr
	stdin, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.stdin = stdin
	r.stdout = bufio.NewReader(stdout)
	r.close = stdout.Close
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // for a test that failed; else it has ended
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	})
	return r
}

// started waits for the line of the shell.
func (r *execRun) started(t *testing.T) {
	t.Helper()
	line, err := r.stdout.ReadString('\n')
	if err != nil {
		t.Fatalf("%v; stderr:\n%s", err, r.stderr)
	}
	r.line = strings.Fields(line)
}

// ended waits until all processes of the run have ended, and returns the remaining output
// and the exit code. It fails the test if a file is left.
func (r *execRun) ended(t *testing.T) (stdout string, code int) {
	t.Helper()
	timer := time.AfterFunc(longEnough, func() { _ = r.close() })
	defer timer.Stop()
	rest, err := io.ReadAll(r.stdout) // until the last process that can write to it has ended
	if err != nil {
		t.Fatal(err)
	}
	_ = ended(t, r.cmd)
	await(t, "the temporary folder to be empty", func() bool {
		left, err := os.ReadDir(r.dir)
		return err == nil && len(left) == 0
	})
	return string(rest), r.cmd.ProcessState.ExitCode()
}
