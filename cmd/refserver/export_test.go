package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var exportTime = regexp.MustCompile(`"exportedAt":"[^"]*"`)

func TestExportCommand_WritesWhatTheRouteAnswers(t *testing.T) {
	onDatabases(t, testExportCommand)
}

func testExportCommand(t *testing.T, database string) {
	t.Helper()
	dir := shop(t, database)
	s := serve(t, nil, dev(dir, database)...)
	token := s.token(t, demoStudent)
	if status, answer := call(t, http.MethodPost, s.url+"/api/user/purchase", token,
		`{"courseId":"free"}`); status != http.StatusOK {
		t.Fatal(answer)
	}
	status, answer := rawCall(t, http.MethodGet, s.url+"/api/user/export", token, "")
	want := exportTime.ReplaceAllString(string(answer), "")
	if status != http.StatusOK || !strings.Contains(want, `"courseId":"free"`) ||
		strings.Count(want, "exportedAt") != 0 {
		t.Fatalf("status %d: %s", status, answer)
	}
	code, stdout, stderr := command(t, dev(dir, database, "export", demoStudent)...)
	if code != 0 || exportTime.ReplaceAllString(stdout, "") != want {
		t.Errorf("exit code %d, %s\n%s\nwant %s", code, stderr, stdout, want)
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "student.json")
	for range 2 { // the second run replaces the file
		if code, stdout, stderr := command(t,
			dev(dir, database, "export", demoStudent, "--output="+file)...); code != 0 || stdout != "" {
			t.Errorf("to a file: exit code %d, %q, %q", code, stdout, stderr)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil || exportTime.ReplaceAllString(string(content), "") != want {
		t.Errorf("the file has %s (%v)", content, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v (%v)", info, err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("%v (%v)", files, err)
	}
}

func TestExportCommand_ExplainsErrors(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	s := serve(t, nil, dev(dir)...)
	s.token(t, demoStudent)
	at := []string{"--addr=" + strings.TrimPrefix(s.url, "http://"),
		"--database=sqlite:" + filepath.Join(dir, "learning.db")}
	folder := t.TempDir()
	refused := func(exit int, want string, args ...string) {
		t.Helper()
		code, stdout, stderr := command(t, append(at, append([]string{"export"}, args...)...)...)
		if code != exit || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %q and %q, which lacks %q", args, code, stdout, stderr,
				want)
		}
	}
	refused(2, "<user-id>")
	refused(1, `there is no user "nobody" in this database: give the id at the identity provider`,
		"nobody")
	refused(1, "in a folder that can be written to", demoStudent, "-o",
		filepath.Join(folder, "none", "a.json"))
	refused(1, "rename", demoStudent, "-o", folder)
	if code, _, stderr := command(t,
		append(at, "trigger", "user.deleted", "--user", demoStudent)...); code != 0 {
		t.Fatal(stderr)
	}
	refused(1, "of a user who was deleted there is nothing to export", demoStudent, "-o",
		filepath.Join(folder, "a.json"))
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("files are left: %v (%v)", files, err)
	}
}
