//go:build linux

package load

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// profileFolder is where benchmarks write a CPU profile of the built server while wrk measures
// it once more; empty for no profiles.
var profileFolder = os.Getenv("BENCH_PROFILES")

// withMetrics makes a server that is to be profiled serve its profiles, at the address returned.
func withMetrics(b *testing.B, env environment) (address string) {
	b.Helper()
	if profileFolder == "" {
		return ""
	}
	env["LEARNING_METRICS_ADDR"] = enginetest.FreeAddress(b)
	return env["LEARNING_METRICS_ADDR"]
}

// profile writes the CPU profile of a server under load to a file with the name of the benchmark.
func (s target) profile(b *testing.B) {
	b.Helper()
	if profileFolder == "" || s.metrics == "" {
		return
	}
	saved := make(chan error, 1)
	go func() { saved <- s.saveProfile(b) }()
	s.load(b)
	if err := <-saved; err != nil {
		b.Fatal(err)
	}
}

func (s target) saveProfile(b *testing.B) error {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet,
		"http://"+s.metrics+"/debug/pprof/profile?seconds="+strconv.Itoa(wrkSeconds(b)), nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := os.MkdirAll(profileFolder, 0o755); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(profileFolder,
		strings.ReplaceAll(b.Name(), "/", "-")+".pprof"))
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(file, res.Body)
	return err
}
