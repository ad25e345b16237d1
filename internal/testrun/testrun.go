// Package testrun says which tests a run takes: what LEARNING_TEST_REQUIRE lists, and samples in a
// plain go test. It imports no driver, so that the tests of a small package link fast.
package testrun

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

// These environment variables hold lists of names that are separated by commas: of engines
// ("mariadb", "mysql"), and of whatever else tests need.
const (
	requireVariable = "LEARNING_TEST_REQUIRE" // tests with these run
	// tests with these are skipped, even if they are required
	leaveOutVariable = "LEARNING_TEST_LEAVE_OUT"
)

// contractVariable says which contract cases run. `make test` and `make verify` set it, and a plain
// go test does not.
const contractVariable = "LEARNING_TEST_CONTRACT"

// TakesSamples reports whether a plain go test runs. Tests that do the same for each route, each
// step or each value then take samples, because their worth is in their number and they take long.
// With the flag -run, and in `make test` and `make verify`, they do all of it.
func TakesSamples() bool {
	run := flag.Lookup("test.run")
	return os.Getenv(contractVariable) == "" && (run == nil || run.Value.String() == "")
}

// Samples is TakesSamples for a test. If it does, the log of the test says so.
func Samples(tb testing.TB) bool {
	tb.Helper()
	if TakesSamples() {
		tb.Log("left out: all but samples; `make test` or `make verify` runs all, or -run with the " +
			"name of the test")
		return true
	}
	return false
}

// Need ends a test that needs something other than SQLite, such as a program or fonts, or that
// takes long, unless LEARNING_TEST_REQUIRE lists name. So a plain go test is the same on every
// machine, whatever is installed. missing says why what is required is not available, and is nil if
// it is: then the test fails. The test is also skipped if LEARNING_TEST_LEAVE_OUT lists name.
func Need(tb testing.TB, name string, missing error) {
	tb.Helper()
	need(tb, "with", name, missing)
}

// NeedEngine is Need for the engine with a name.
func NeedEngine(tb testing.TB, name string, missing error) {
	tb.Helper()
	need(tb, "on", name, missing)
}

// LeaveOut ends a test if LEARNING_TEST_LEAVE_OUT lists name.
func LeaveOut(tb testing.TB, name string) {
	tb.Helper()
	if isListed(leaveOutVariable, name) {
		tb.Skipf("left out: this test with %s, because %s lists it", name, leaveOutVariable)
	}
}

// need is NeedEngine ("on") and Need ("with"): how stands before name in the texts. It returns only
// if the test is to run.
func need(tb testing.TB, how, name string, missing error) {
	tb.Helper()
	switch {
	case isListed(leaveOutVariable, name):
		tb.Skipf("left out: this test %s %s, because %s lists it", how, name, leaveOutVariable)
	case !isListed(requireVariable, name):
		tb.Skipf("left out: this test %s %s; `make test` or `make verify` runs it, or %s=%s", how,
			name, requireVariable, name)
	case missing != nil:
		tb.Fatalf("%s is required (%s): %v; .ci/install brings it", name, requireVariable, missing)
	}
}

// isListed reports whether an environment variable lists a name.
func isListed(variable, name string) bool {
	return slices.Contains(strings.Split(os.Getenv(variable), ","), name)
}
