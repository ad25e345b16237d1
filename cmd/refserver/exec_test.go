//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// waits is a shell script that prints a line, and then waits with a process of its own.
const waits = `sleep 100 & echo ready; wait`

func TestExec_CommandUsesTheServer(t *testing.T) {
	t.Parallel()
	r := startExec(t, nil, "--", "sh", "-c",
		`echo $LEARNING_URL $LEARNING_SANDBOX_URL $LEARNING_STUDENT_TOKEN $LEARNING_EDUCATOR_TOKEN $LEARNING_ADMIN_TOKEN $LEARNING_FRONTEND_ORIGIN
		echo problem >&2; read word; echo "read $word, $0"; exit 7`, "--last")
	r.started(t)
	if len(r.line) != 6 || r.line[5] != "http://localhost:5173" {
		t.Fatalf("the environment is %q", r.line)
	}
	url := r.line[0]
	box := r.line[1]
	student := r.line[2]
	educator := r.line[3]
	admin := r.line[4]
	buyDemoCourse(t, url, box, student)
	for path, token := range map[string]string{"/api/educator/dashboard": educator,
		"/api/admin/stats": admin} {
		if status, answer := call(t, http.MethodGet, url+path, token, ""); status != http.StatusOK {
			t.Errorf("%s: status %d: %v", path, status, answer)
		}
	}
	fmt.Fprintln(r.stdin, "word")
	stdout, code := r.ended(t)
	if stdout != "read word, --last\n" || r.stderr.String() != "problem\n" || code != 7 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, r.stderr)
	}
	for _, address := range []string{url, box} {
		if res, err := http.Get(address); err == nil {
			res.Body.Close()
			t.Errorf("%s still answers", address)
		}
	}
}

// buyDemoCourse buys a course as a front end does, with the sandbox's checkout.
func buyDemoCourse(t *testing.T, url, box, token string) {
	t.Helper()
	_, list := call(t, http.MethodGet, url+"/api/course/all", "", "")
	owned := enrolled(t, url, token)
	for _, item := range list["courses"].([]any) {
		id := item.(map[string]any)["_id"].(string)
		if price := item.(map[string]any)["coursePrice"].(float64); price == 0 ||
			strings.Contains(owned, id) {
			continue
		}
		_, order := call(t, http.MethodPost, url+"/api/user/purchase", token,
			`{"courseId":"`+id+`"}`)
		status, proof := payAtCheckout(t, box+"/checkout/"+fmt.Sprint(order["orderId"]))
		if status != http.StatusOK {
			t.Fatalf("the checkout of %v answers %d: %s", order, status, proof)
		}
		call(t, http.MethodPost, url+"/api/user/verify-gateway", token, proof)
		if owned := enrolled(t, url, token); !strings.Contains(owned, id) {
			t.Errorf("enrolled in %s, not in %s", owned, id)
		}
		return
	}
	t.Error("the demo has no course for sale")
}

func payAtCheckout(t *testing.T, url string) (status int, proof string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
		strings.NewReader("action=pay"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestExec_EmptyHasUsersAndNoCourses(t *testing.T) {
	t.Parallel()
	r := startExec(t, environment{"LEARNING_FRONTEND_ORIGIN": "http://localhost:4173"}, "--empty",
		"--", "sh", "-c",
		`echo $LEARNING_URL $LEARNING_STUDENT_TOKEN $LEARNING_FRONTEND_ORIGIN; read word`)
	r.started(t)
	if _, list := call(t, http.MethodGet, r.line[0]+"/api/course/all", "",
		""); len(list["courses"].([]any)) != 0 {
		t.Errorf("courses: %v", list)
	}
	if _, answer := call(t, http.MethodGet, r.line[0]+"/api/user/data", r.line[1],
		""); answer["success"] != true {
		t.Errorf("the student: %v", answer)
	}
	if got := r.line[2]; got != "http://localhost:4173" ||
		!allowsOrigin(t, r.line[0]+"/api/course/all", got) {
		t.Errorf("the origin is %s", got)
	}
	r.stdin.Close()
	if _, code := r.ended(t); code != 1 { // of read, at the end of its input
		t.Errorf("exit code %d", code)
	}
}

func TestExec_PassesSignalsOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		signal syscall.Signal
		code   int
	}{
		"handled":     {`trap 'exit 9' TERM; ` + waits, syscall.SIGTERM, 9},
		"not handled": {waits, syscall.SIGTERM, 128 + int(syscall.SIGTERM)},
		"interrupt":   {`trap 'exit 9' INT; ` + waits, syscall.SIGINT, 9},
		"user":        {`trap 'exit 9' USR1; ` + waits, syscall.SIGUSR1, 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startExec(t, nil, "--empty", "--", "sh", "-c", test.script)
			r.started(t)
			if err := r.cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			if _, code := r.ended(t); code != test.code {
				t.Errorf("exit code %d, want %d; stderr:\n%s", code, test.code, r.stderr)
			}
		})
	}
}

func TestExec_EndsWhatTheCommandLeaves(t *testing.T) {
	t.Parallel()
	r := startExec(t, nil, "--empty", "--", "sh", "-c", `sleep 100 & echo ready; kill -KILL $$`)
	r.started(t)
	if _, code := r.ended(t); code != 128+int(syscall.SIGKILL) {
		t.Errorf("exit code %d; stderr:\n%s", code, r.stderr)
	}
}

func TestExec_KilledLeavesNothing(t *testing.T) {
	t.Parallel()
	r := startExec(t, nil, "--empty", "--", "sh", "-c", `trap 'echo passed' USR1; `+waits+`; wait`)
	r.started(t)
	// exec passes a signal on after it has told the cleaner which processes to end.
	if err := r.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	r.started(t)
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.ended(t)
}

func TestExec_SignalDuringTheStart(t *testing.T) {
	t.Parallel()
	r := startExec(t, nil, "--", "sleep", "100")
	await(t, "the temporary folder", func() bool {
		entries, _ := os.ReadDir(r.dir)
		return len(entries) > 0
	})
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, code := r.ended(t); code != 128+int(syscall.SIGTERM) {
		t.Errorf("exit code %d, stderr:\n%s", code, r.stderr)
	}
}

func TestExec_WritesItsLog(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "server.log")
	r := startExec(t, nil, "--empty", "--log="+file, "--", "true")
	if _, code := r.ended(t); code != 0 || r.stderr.String() != "" {
		t.Fatalf("exit code %d, stderr %q", code, r.stderr)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "listening") {
		t.Errorf("the log is %q: %v", text, err)
	}
	r = startExec(t, nil, "--empty", "--log=-", "--", "true")
	if _, code := r.ended(t); code != 0 || !strings.Contains(r.stderr.String(), "listening") {
		t.Errorf("exit code %d, stderr %q", code, r.stderr)
	}
}

func TestExec_Explains(t *testing.T) {
	t.Parallel()
	text, unknown := write(t, t.TempDir(), "text", "no program"),
		write(t, t.TempDir(), "unknown", "\x00")
	if err := os.Chmod(unknown, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		env  environment
		args []string
		code exitCode
		says string
	}{
		"an unknown command": {nil, []string{"no-such-command"}, execNotFound,
			"no-such-command"},
		"an unknown path": {nil, []string{"./no-such-command"}, execNotFound,
			"no-such-command"},
		"a file that cannot run": {nil, []string{text}, execNotRun, "permission denied"},
		"an unknown format":      {nil, []string{unknown}, execNotRun, "start the command"},
		"production": {environment{"LEARNING_ENV": "production"}, []string{"true"},
			execFailed, "exec is for development"},
		"a database": {nil, []string{"--database=sqlite:x.db", "true"}, execFailed,
			"--database cannot be set"},
		"a sandbox": {nil, []string{"--sandbox-addr=127.0.0.1:1", "true"}, execFailed,
			"--sandbox-addr cannot be set"},
		"an invalid setting": {environment{"LEARNING_CURRENCY": "shells"}, []string{"true"},
			execFailed, "LEARNING_CURRENCY"},
		"an invalid front end": {environment{"LEARNING_FRONTEND_ORIGIN": "x"}, []string{"true"},
			execFailed, "LEARNING_FRONTEND_ORIGIN"},
		"a log in no folder": {nil, []string{"--log=" + filepath.Join(text, "log"), "true"},
			execFailed, "open the log"},
		"no folder for its files": {environment{"TMPDIR": text}, []string{"true"}, execFailed,
			"create a temporary folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needProcesses(t)
			cmd := exec.Command(os.Args[0], append([]string{"exec"}, test.args...)...)
			cmd.Env = test.env.process()
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != int(test.code) ||
				!strings.Contains(string(out), test.says) {
				t.Errorf("exit code %d, output %s", code, out)
			}
		})
	}
}
