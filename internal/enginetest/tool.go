package enginetest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Need ends a test that requires something other than an engine, such as a program or
// fonts. missing says why it is not available, and is nil if it is. The test fails if
// LEARNING_TEST_REQUIRE lists name, and is skipped otherwise. Need works without Main.
func Need(tb testing.TB, name string, missing error) {
	tb.Helper()
	switch {
	case missing == nil:
	case required(name):
		tb.Fatalf("%s is required (%s): %v", name, requireVariable, missing)
	default:
		tb.Skipf("left out: this test with %s, which is not here (%v); `make test` brings it", name, missing)
	}
}

// required reports whether the environment lists something as required.
func required(name string) bool {
	return slices.Contains(strings.Split(os.Getenv(requireVariable), ","), name)
}
