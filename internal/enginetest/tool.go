package enginetest

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// These environment variables hold lists of names that are separated by commas: of engines
// ("mariadb", "mysql"), and of whatever else tests need.
const (
	requireVariable = "LEARNING_TEST_REQUIRE" // without these the tests fail
	// tests with these are skipped, even if they are required
	leaveOutVariable = "LEARNING_TEST_LEAVE_OUT"
)

// Need ends a test that requires something other than an engine, such as a program or
// fonts. missing says why it is not available, and is nil if it is. The test fails if
// LEARNING_TEST_REQUIRE lists name, and is skipped otherwise. It is also skipped if
// LEARNING_TEST_LEAVE_OUT lists name. Need works without Main.
func Need(tb testing.TB, name string, missing error) {
	tb.Helper()
	need(tb, "with", name, missing)
}

// need is Need for engines ("on") and for other things ("with"): how stands before name in the
// texts. It returns only if the test is to run.
func need(tb testing.TB, how, name string, missing error) {
	tb.Helper()
	switch {
	case isListed(leaveOutVariable, name):
		tb.Skipf("left out: this test %s %s, because %s lists it", how, name, leaveOutVariable)
	case missing == nil:
	case isListed(requireVariable, name):
		tb.Fatalf("%s is required (%s): %v", name, requireVariable, missing)
	default:
		tb.Skipf("left out: this test %s %s, which is not here (%v); `make test` brings it", how,
			name, missing)
	}
}

// isListed reports whether an environment variable lists a name.
func isListed(variable, name string) bool {
	return slices.Contains(strings.Split(os.Getenv(variable), ","), name)
}

// NeedRequired skips a test that takes long, unless LEARNING_TEST_REQUIRE lists its name.
func NeedRequired(tb testing.TB, name string) {
	tb.Helper()
	var missing error
	if !isListed(requireVariable, name) {
		missing = errors.New("`make verify` runs it")
	}
	Need(tb, name, missing)
}
