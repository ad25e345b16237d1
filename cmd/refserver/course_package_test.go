package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A course that is exported from one database and imported into another has the same package there,
// which the server offers to its educator.
func TestPackageCommands_CopyACourse(t *testing.T) {
	onDatabases(t, func(t *testing.T, database string) {
		t.Helper()
		dir, folder := shop(t, database), t.TempDir()
		first, second := filepath.Join(folder, "first.zip"), filepath.Join(folder, "second.zip")
		run := func(args ...string) string {
			t.Helper()
			code, stdout, stderr := command(t, dev(dir, append([]string{database}, args...)...)...)
			if code != 0 || strings.Contains(stderr, "%") { // it is no terminal
				t.Fatalf("exit code %d, %s\n%s", code, stdout, stderr)
			}
			return stdout
		}
		if out := run("package", "export", "paid", first); !strings.HasPrefix(out, "wrote "+first) {
			t.Error(out)
		}
		out := run("package", "import", first, "--owner=user_teacher")
		id := regexp.MustCompile(`imported the draft (\S+): chapters: 1, lectures: 1, files: 0, ` +
			`quizzes: 0\n$`).FindStringSubmatch(out)
		if id == nil {
			t.Fatal(out)
		}
		run("package", "export", id[1], second)
		a, err := os.ReadFile(first)
		b, errB := os.ReadFile(second)
		if err != nil || errB != nil || !bytes.Equal(a, b) || !bytes.Contains(a, []byte("thumbnail.")) {
			t.Errorf("the packages of %d and %d bytes differ, or have no thumbnail: %v, %v", len(a),
				len(b), err, errB)
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
			t.Errorf("%v, %v", files, err)
		}
	})
}

func TestPackageCommands_ExplainErrors(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	broken := write(t, dir, "broken.zip", "PK")
	for want, args := range map[string][]string{
		`no course "none"`:      {"export", "none", filepath.Join(dir, "a.zip")},
		"folder that can be":    {"export", "paid", filepath.Join(dir, "none", "a.zip")},
		"no such file":          {"import", filepath.Join(dir, "none.zip"), "--owner=user_teacher"},
		"the name of the zip":   {"import", dir, "--owner=user_teacher"},
		`no user "nobody"`:      {"import", broken, "--owner=nobody"},
		"upload the whole file": {"import", broken, "--owner=user_teacher"},
		"missing flags":         {"import", broken},
	} {
		code, stdout, stderr := command(t, dev(dir, append([]string{"package"}, args...)...)...)
		if code == 0 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, %q and %q, which lacks %q", args, code, stdout, stderr, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "a.zip")); !os.IsNotExist(err) {
		t.Errorf("an export that failed has left a file: %v", err)
	}
}

func TestProgress_ShowsEachPercentageOnce(t *testing.T) {
	var out bytes.Buffer
	line := &progress{out: &out, action: "exporting", total: 200, percent: -1}
	for range 3 {
		line.add(1)
	}
	line.add(500) // more than there are
	line.end()
	line.end()
	const want = "\rexporting:   0 %\rexporting:   1 %\rexporting: 100 %\r\033[K"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
