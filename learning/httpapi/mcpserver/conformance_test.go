package mcpserver_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/httpapi"
)

// TestServer_PassesTheConformanceSuite runs those scenarios of the suite of the protocol that need
// no tools of the suite's own.
func TestServer_PassesTheConformanceSuite(t *testing.T) {
	suite, err := filepath.Abs("../../../.cache/mcp/node_modules/.bin/conformance")
	if err == nil {
		_, err = exec.LookPath(suite)
	}
	enginetest.Need(t, "mcp", err)
	s := newSchool(t, httpapi.OrdinaryTools)
	for _, scenario := range []string{"server-initialize", "ping", "tools-list",
		"dns-rebinding-protection"} {
		run := exec.CommandContext(t.Context(), suite, "server", "--url", s.url+"/mcp",
			"--scenario", scenario)
		run.Dir = t.TempDir() // it writes its results there
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", scenario, err, out)
		}
	}
}
