package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// chromium is the browser, and the npm packages that drive it.
type chromium struct {
	modules string // folder of the npm packages
	program string // path of the program
	scripts string // folder of the scripts that use a page
}

// needChromium returns the browser, or skips the test if it is not installed.
func needChromium(t *testing.T) chromium {
	t.Helper()
	here, err := os.Getwd() // which a test may change
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(here, "../../.cache/browser")
	_, err = os.Stat(filepath.Join(modules, "node_modules"))
	_, nodeErr := exec.LookPath("node")
	program, shellErr := exec.LookPath("chromium-headless-shell")
	if shellErr != nil {
		program, shellErr = exec.LookPath("chromium")
	}
	enginetest.Need(t, "browser", errors.Join(err, nodeErr, shellErr))
	return chromium{
		modules: modules,
		program: program,
		scripts: filepath.Join(here, "testdata/browser"),
	}
}

// run runs one of the scripts with the arguments, and decodes the JSON that it prints into result.
func (c chromium) run(t *testing.T, script string, result any, arguments ...string) {
	t.Helper()
	script = filepath.Join(c.scripts, script)
	command := exec.Command("node", append([]string{script, c.modules, c.program}, arguments...)...)
	// Chromium's library for sound, where this is not set, makes a temporary folder and leaves it.
	command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	var stderr transcript
	command.Stderr = &stderr
	out, err := command.Output()
	if err := cmp.Or(err, json.Unmarshal(out, result)); err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
}
