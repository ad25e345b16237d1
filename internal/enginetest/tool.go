package enginetest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Need ends a test that cannot do without something else than an engine, such as a
// program or fonts, in the way of engines: missing says why it is not here, and is
// nil when it is. Where name is listed in LEARNING_TEST_REQUIRE the test fails, else
// it is skipped. It may be called without Main.
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

// required tells whether the environment lists something as required.
func required(name string) bool {
	return slices.Contains(strings.Split(os.Getenv(requireVariable), ","), name)
}
