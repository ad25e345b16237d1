package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestAPIPage_ItsLinesBuyACourse executes the lines of docs/api.md with the addresses of a server.
func TestAPIPage_ItsLinesBuyACourse(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		_, err := exec.LookPath(tool)
		enginetest.Need(t, "curl", err)
	}
	dir := t.TempDir()
	s := serve(t, nil, dev(dir)...)
	lines := linesOfAPIPage(t)
	for old, replacement := range map[string]string{
		"http://localhost:3000": s.url, "http://127.0.0.1:3001": "http://" + s.sandbox(t),
		"go run ./cmd/refserver": os.Args[0] + " " +
			strings.Join(dev(dir, "--sandbox-addr="+s.sandbox(t)), " "),
	} {
		if !strings.Contains(lines, old) {
			t.Fatalf("%s is not in:\n%s", old, lines)
		}
		lines = strings.ReplaceAll(lines, old, replacement)
	}
	shell := exec.CommandContext(t.Context(), "bash", "-s")
	shell.Dir = "../.." // as the page says
	shell.Env = append(environment{}.process(), "no_proxy=*", "NO_PROXY=*")
	shell.Stdin = strings.NewReader("set -eu\n" + lines)
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	for _, want := range []string{`"courseTitle":`, "order_",
		"Payment verified and enrollment complete", `,"go-first-steps"]`,
		"Application submitted successfully.", `"userId":"` + demoStudent + `"`,
		`"pendingApplications":4`, "Course Added Successfully"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not in:\n%s", want, out)
		}
	}
}

var shellLines = regexp.MustCompile("(?s)## With curl\n.*?```sh\n(.*?)```")

func linesOfAPIPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	found := shellLines.FindSubmatch(text)
	if found == nil {
		t.Fatal("docs/api.md has no lines for a shell")
	}
	return string(found[1])
}
