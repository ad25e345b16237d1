package baseline

import (
	"os/exec"
	"testing"
)

// Busy starts n processes that only compute, until the test or benchmark ends.
func Busy(tb testing.TB, n int) {
	tb.Helper()
	for range n {
		c := exec.Command("sh", "-c", "while :; do :; done")
		if err := c.Start(); err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() {
			_ = c.Process.Kill()
			_ = c.Wait()
		})
	}
}
