package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// unknownField is a field of a generated record without a type.
var unknownField = regexp.MustCompile(
	`(?m)^\s+\w+\??: (unknown|any|Record<string, never>)(\[\])?;$`)

// TestClient_TypeScriptWalksThroughTheAPI generates the client of examples/client-ts from the
// document of a running server, compiles it and runs it against the server.
func TestClient_TypeScriptWalksThroughTheAPI(t *testing.T) {
	t.Parallel()
	modules := typescriptModules(t)
	b := startForBrowsers(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/client-ts")); err != nil {
		t.Fatal(err)
	}
	replaceFolder(t, modules, filepath.Join(dir, "node_modules"))
	for _, script := range []string{"generate", "build", "start"} {
		b.npm(dir, script)
	}
	types, err := os.ReadFile(filepath.Join(dir, "api.ts"))
	if err != nil {
		t.Fatal(err)
	}
	// The provider of a host decides what its events have.
	untyped := []string{"        Empty: Record<string, never>;",
		"        ProviderEvent: Record<string, never>;"}
	for _, field := range unknownField.FindAllString(string(types), -1) {
		if !slices.Contains(untyped, field) {
			t.Errorf("the document gives no type: %s", field)
		}
	}
}

// replaceFolder makes path a link to a folder. path may exist, because a reader of the example has
// installed its packages there.
func replaceFolder(t *testing.T, folder, path string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(path), os.Symlink(folder, path)); err != nil {
		t.Fatal(err)
	}
}

// npm runs a script of the package in dir, with the addresses of the server.
func (b browser) npm(dir, script string) {
	b.t.Helper()
	command := exec.CommandContext(b.t.Context(), "npm", "run", script)
	command.Dir = dir
	command.Env = append(os.Environ(), "API="+b.api, "SANDBOX="+b.sandbox,
		"npm_config_cache="+b.t.TempDir(), "npm_config_update_notifier=false")
	if out, err := command.CombinedOutput(); err != nil {
		b.t.Fatalf("npm run %s: %v\n%s", script, err, out)
	}
}
