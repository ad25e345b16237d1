package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// leaves returns all commands that an operator can run.
func leaves(t *testing.T) []*kong.Node {
	t.Helper()
	var line commandLine
	parser, err := newParser(&line, nil)
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Leaves(true)
}

func TestHelp_OfACommand_ShowsThatCommand(t *testing.T) {
	t.Parallel()
	for _, node := range leaves(t) {
		words := strings.Fields(node.Path())
		for _, args := range [][]string{append(words, "--help"),
			append([]string{"help"}, words...)} {
			code, stdout, stderr := command(t, args...)
			first, _, _ := strings.Cut(stdout, "\n")
			if code != 0 || !strings.Contains(first, " "+node.Path()) ||
				!strings.Contains(strings.Join(strings.Fields(stdout), " "), node.Help) {
				t.Errorf("%v: exit code %d, %s%s", args, code, stdout, stderr)
			}
			const screen = 30 // lines
			if lines := strings.Count(stdout, "\n"); !isServe(node) &&
				(lines > screen || !strings.Contains(stdout, "--database")) {
				t.Errorf("%v shows %d lines, or does not name the settings:\n%s", args, lines,
					stdout)
			}
		}
	}
}

func TestCommandLine_ErrorsNameTheHelpOfTheCommand(t *testing.T) {
	t.Parallel()
	program := programName(os.Args[0])
	for want, args := range map[string][]string{
		program + " import --help":      {"import"},
		program + " events show --help": {"events", "show"},
		program + " revoke --help":      {"revoke", "id"},
		program + " --help":             {"nonsense"},
	} {
		if code, _, stderr := command(t, args...); code != 2 ||
			!strings.Contains(stderr, "see "+want+"\n") {
			t.Errorf("%v: exit code %d and %q without %q", args, code, stderr, want)
		}
	}
}

func TestProgramName_CanBePasted(t *testing.T) {
	dir := t.TempDir()
	program := write(t, dir, "lectern", "#!/bin/sh\n")
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for started, want := range map[string]string{
		program:                         "lectern",
		"lectern":                       "lectern",
		"./refserver":                   "./refserver",
		"/srv/refserver":                "/srv/refserver",
		filepath.Join("other/lectern"):  "other/lectern",
		"/tmp/go-build17/b001/exe/main": goRun,
		"/root/.cache/go-build/ab/" + strings.Repeat("ab", 32) + "-d/refserver": goRun,
	} {
		if got := programName(started); got != want {
			t.Errorf("%s is called as %q, want %q", started, got, want)
		}
	}
}
