package main

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestProcess_TerminatedLeavesOnlyItsFiles(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	cmd, url, _ := process(t, nil, dev(dir)...)
	if status, body := rawCall(t, http.MethodGet, url+"/", "", ""); status != http.StatusOK ||
		string(body) != "API Working" {
		t.Errorf("status %d: %s", status, body)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := ended(t, cmd); status.ExitStatus() != 0 {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	var left []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if diff := cmp.Diff([]string{"learning.db", "learning.db.credential.pem",
		"learning.db.files.secret", "learning.db.sandbox.json", "media"}, left); diff != "" {
		t.Errorf("files (-want +left):\n%s", diff)
	}
}

// The server answers until load balancers have noticed that it is not ready. The second signal
// ends the wait.
func TestProcess_DrainDelay_ServesAndIsNotReady(t *testing.T) {
	t.Parallel()
	env := configured(providers(t), shop(t))
	env["LEARNING_DRAIN_DELAY"] = "5m"
	cmd, url, _ := process(t, env)
	if status, _ := rawCall(t, http.MethodGet, url+"/readyz", "", ""); status != http.StatusOK {
		t.Errorf("/readyz before the signal: %d", status)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	await(t, "/readyz to say 503", func() bool {
		status, _ := rawCall(t, http.MethodGet, url+"/readyz", "", "")
		return status == http.StatusServiceUnavailable
	})
	for _, path := range []string{"/livez", "/api/course/all"} {
		if status, _ := rawCall(t, http.MethodGet, url+path, "", ""); status != http.StatusOK {
			t.Errorf("%s after the signal: %d", path, status)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := ended(t, cmd); !status.Signaled() {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
}

func TestProcess_SecondSignalEndsItAtOnce(t *testing.T) {
	t.Parallel()
	dir, box := shop(t), providers(t)
	cmd, url, stderr := process(t, configured(box, dir))
	token := join(t, box, url, sandbox.User{ID: "user_1"})
	box.Gateway().Faults().Next(1,
		sandbox.Fault{Kind: sandbox.FaultHang, On: sandbox.OpCreateOrder})
	answered := buy(t, url, token)
	await(t, "the gateway to receive the request",
		func() bool { return box.Gateway().Faults().Calls(sandbox.OpCreateOrder) == 1 })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	await(t, "the server to drain",
		func() bool { return strings.Contains(stderr.String(), "draining") })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := ended(t, cmd); !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v", cmd.ProcessState)
	}
	if got := <-answered; got != 0 {
		t.Errorf("the hanging request was answered with %d", got)
	}
}
