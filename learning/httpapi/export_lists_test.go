package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// The lists that are declared and those of the contract case are the same, in the same order.
func TestExportLists_AreThoseOfTheCase(t *testing.T) {
	t.Parallel()
	var declared []string
	for _, list := range learning.ExportLists() {
		declared = append(declared, list.Name)
	}
	success := successCases(t)["user.export"]
	if success == nil {
		return // TestContractCases_CoverTheTable fails
	}
	d := json.NewDecoder(strings.NewReader(success.Body()))
	_, err := d.Token()
	check(t, err)
	var answered []string
	for d.More() {
		name, err := d.Token()
		check(t, err)
		var value json.RawMessage
		check(t, d.Decode(&value))
		if value[0] == '[' {
			answered = append(answered, name.(string))
		}
	}
	if !slices.Equal(answered, declared) {
		t.Errorf("the case success of testdata/contract/user.export.http has the lists\n%q\nThe "+
			"rooms declare\n%q\nDeclare a list in export.go of its room, and run go test "+
			"./learning/httpapi -run '^TestContract$/SQLite/user.export' -update for the case.",
			answered, declared)
	}
}
