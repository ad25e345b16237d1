package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/alecthomas/kong"
)

// goRun is how the README starts the program from a clone.
const goRun = "go run ./cmd/refserver"

// builtByGoRun matches the path of a program that "go run" has built, in a temporary folder or in
// the build cache.
var builtByGoRun = regexp.MustCompile(`/go-build[^/]*/|/[0-9a-f]{64}-d/`)

// programName returns how the running program is called in a shell, so that the commands in hints
// can be pasted. The argument is the name that the program was started with.
func programName(started string) string {
	if builtByGoRun.MatchString(filepath.ToSlash(started)) {
		return goRun
	}
	// A program of PATH is called by its base name, wherever it is.
	base := filepath.Base(started)
	if found, err := exec.LookPath(base); err == nil && isSameFile(found, started) {
		return base
	}
	return started
}

// isSameFile reports whether two paths lead to one file. It returns false if there is no file.
func isSameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// withHelp replaces "help COMMAND" by "COMMAND --help", which the parser knows.
func withHelp(args []string) []string {
	if len(args) > 0 && args[0] == "help" {
		return append(slices.Clip(args[1:]), "--help") // Clip, so that args stays as it is
	}
	return args
}

// commandOf returns the program and the command that a command line names, as far as the parser
// has understood it before err.
func commandOf(err error, program string) string {
	failed, ok := errors.AsType[*kong.ParseError](err)
	if !ok || failed.Context == nil {
		return program
	}
	node := failed.Context.Selected()
	if node == nil || isServe(node) {
		return program
	}
	return node.FullPath()
}

// isServe reports whether a command is the default one, which has all settings.
func isServe(node *kong.Node) bool { return node.Parent != nil && node.Parent.DefaultCmd == node }

// printHelp prints the help of a command without the settings, which would push the command itself
// off the screen. The help of the program, and of the command that serves, has them. It hides the
// flags for good, because the program exits afterwards.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	node := ctx.Selected()
	if node == nil || isServe(node) {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	for _, flag := range ctx.Model.Flags {
		if flag.Group != nil && flag.Group.Key == settingsGroup {
			flag.Hidden = true
		}
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintf(ctx.Stdout,
		"\nThe settings, such as --database or %s, apply too: see %s --help\n",
		variable("database"), ctx.Model.Name)
	return err
}
