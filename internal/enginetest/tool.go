package enginetest

import (
	"testing"

	"github.com/openlectern/openlectern/internal/testrun"
)

// Need is [testrun.Need], for packages whose tests use an engine anyway. It works without Main.
func Need(tb testing.TB, name string, missing error) {
	tb.Helper()
	testrun.Need(tb, name, missing)
}

// Samples is [testrun.Samples].
func Samples(tb testing.TB) bool {
	tb.Helper()
	return testrun.Samples(tb)
}
