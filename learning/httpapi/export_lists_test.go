package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/exportlist"
)

// The lists that are declared and those of the contract case are the same, in the same order.
func TestExportLists_AreThoseOfTheCase(t *testing.T) {
	t.Parallel()
	var declared []string
	for _, list := range exportlist.Lists {
		declared = append(declared, list.Name)
	}
	d := json.NewDecoder(strings.NewReader(successCases(t)["user.export"].Body()))
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
		t.Errorf("the case user.export/success has the lists\n%q\nexportlist.Lists are\n%q",
			answered, declared)
	}
}
