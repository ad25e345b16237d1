package metrics

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/internal/testrun"
)

// promtool returns the path of promtool, in the folder where .ci/install-promtool unpacks it or on
// PATH.
func promtool(t *testing.T) string {
	t.Helper()
	folder := cmp.Or(os.Getenv("LEARNING_TEST_PROMTOOL_ROOT"), root+".cache/promtool")
	path, err := exec.LookPath(filepath.Join(folder, "usr/bin/promtool"))
	if err != nil {
		path, err = exec.LookPath("promtool")
	}
	testrun.Need(t, "promtool", err)
	return path
}

// Prometheus computes the alerts from what the metrics show in a failure.
func TestAlerts_FireInTheirFailures(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), promtool(t), "test", "rules",
		root+"examples/deploy/prometheus/lectern.tests.yaml").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
