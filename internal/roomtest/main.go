package roomtest

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// Main runs the tests of a room. It checks that each transaction locks before it reads.
func Main(m *testing.M) {
	enginetest.Main(m, enginetest.LockFirst(map[string]string{
		"SELECT id FROM learning_commits": "markers that are old are deleted, whoever " +
			"reads them",
		"SELECT ? AS is_role, name AS text,": "a user without a record has no row to lock: the " +
			"INSERT of the record decides who is first",
	}))
}
