package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestStorefront_TypesMatchTheAPI checks the modules of examples/storefront against types that are
// generated from the document of a running server.
func TestStorefront_TypesMatchTheAPI(t *testing.T) {
	t.Parallel()
	modules := typescriptModules(t)
	b := browser{t: t, api: serve(t, nil, dev(shop(t))...).url}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/storefront")); err != nil {
		t.Fatal(err)
	}
	replaceFolder(t, modules, filepath.Join(dir, "node_modules"))
	for _, script := range []string{"types", "check"} {
		b.npm(dir, script)
	}
}

// typescriptModules returns the folder of the npm packages that generate and compile TypeScript.
func typescriptModules(t *testing.T) string {
	t.Helper()
	modules, err := filepath.Abs("../../.cache/client-ts/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	_, missing := os.Stat(modules)
	_, noNode := exec.LookPath("npm")
	enginetest.Need(t, "typescript", errors.Join(missing, noNode))
	return modules
}
