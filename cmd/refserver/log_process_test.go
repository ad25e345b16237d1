//go:build linux

package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// manyRequests fill the pipe of the log several times.
const manyRequests = 500

// pipedLog starts a server in production whose log is a small pipe, and reads the line that it
// listens. Its other lines are read by the test or not at all.
func pipedLog(t *testing.T) (cmd *exec.Cmd, url string, log *os.File) {
	t.Helper()
	needProcesses(t)
	log, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	t.Cleanup(func() { _ = log.Close() })
	const setPipeSize, pageSize = 1031, 4096 // F_SETPIPE_SZ
	if _, _, err := syscall.Syscall(syscall.SYS_FCNTL, w.Fd(), setPipeSize, pageSize); err != 0 {
		t.Fatal(err)
	}
	cmd = exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = configured(providers(t), t.TempDir()).process(), w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // for a test that failed; else it has ended
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	var begun strings.Builder
	for piece := make([]byte, 4<<10); !listening.MatchString(begun.String()); {
		n, err := log.Read(piece)
		if err != nil {
			t.Fatalf("%v after %q", err, begun.String())
		}
		begun.Write(piece[:n])
	}
	return cmd, "http://" + listening.FindStringSubmatch(begun.String())[1], log
}

func requestMany(t *testing.T, url string) {
	t.Helper()
	for range manyRequests {
		if status, _ := rawCall(t, http.MethodGet, url+"/", "", ""); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
}

func terminate(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := ended(t, cmd); status.ExitStatus() != 0 {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}

func TestProcess_CleanStopWritesEveryLine(t *testing.T) {
	t.Parallel()
	cmd, url, log := pipedLog(t)
	all := make(chan string)
	go func() {
		text, _ := io.ReadAll(log)
		all <- string(text)
	}()
	requestMany(t, url)
	terminate(t, cmd)
	text := <-all
	if n := strings.Count(text, `"msg":"request"`); n != manyRequests ||
		!strings.Contains(text, `"msg":"stopped"`) {
		t.Errorf("%d lines of requests, want %d; the end is %q", n, manyRequests,
			text[max(0, len(text)-300):])
	}
}

func TestProcess_ClosedLogDoesNotStopIt(t *testing.T) {
	t.Parallel()
	cmd, url, log := pipedLog(t)
	_ = log.Close()
	requestMany(t, url)
	terminate(t, cmd)
}

func TestProcess_KilledHasLoggedWhatHappened(t *testing.T) {
	t.Parallel()
	cmd, url, log := pipedLog(t)
	if status, _ := rawCall(t, http.MethodGet, url+"/", "", ""); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	line := make([]byte, 4<<10)
	n, err := log.Read(line) // the line comes without a stop or other lines
	if err != nil || !strings.Contains(string(line[:n]), `"msg":"request"`) {
		t.Errorf("the log says %q (%v)", line[:n], err)
	}
	_ = cmd.Process.Kill()
}
