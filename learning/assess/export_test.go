package assess_test

import (
	"testing"

	"github.com/openlectern/openlectern/learning/assess"
)

// Which questions were right, together with the answers, tells a student the solutions of a quiz
// that does not show them. So do the questions of an attempt, which are stored with their
// solutions.
func TestExportLists_TellNoSolutions(t *testing.T) {
	found := 0
	for _, list := range new(assess.Service).ForRooms().ExportLists() {
		if list.From != "{quiz_results}" && list.From != "{quiz_attempts}" {
			continue
		}
		found++
		for _, field := range list.Fields {
			if field.Column == "questions" {
				t.Errorf("%s exports the column questions", list.Name)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d lists of results and attempts", found)
	}
}
