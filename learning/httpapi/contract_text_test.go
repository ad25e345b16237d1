package httpapi_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestContractCases_HaveVisibleCharactersOnly fails for a case with characters that an editor does
// not show, and for one with a mark in place of a time of the fixed clock.
func TestContractCases_HaveVisibleCharactersOnly(t *testing.T) {
	for _, c := range loadCases(t) {
		data, err := os.ReadFile(c.file)
		check(t, err)
		text := string(data)
		if i := strings.IndexFunc(text, isHidden); i >= 0 || !utf8.ValidString(text) {
			t.Errorf("%s has bytes that an editor does not show: write {{text \"\\x00\"}} in the request and <U+0000> in the answer (testdata/contract/README.md)", c.file)
		}
		if strings.Contains(c.answer+c.changes, "<time>") {
			t.Errorf("%s: write the time of the clock of the cases in the place of <time>", c.file)
		}
	}
}

func TestShowHidden(t *testing.T) {
	for text, want := range map[string]string{
		"a\x00b\r\n\t": "a<U+0000>b<U+000D>\n\t", "\u2028\u202e\ufeff": "<U+2028><U+202E><U+FEFF>", "é 🎓 👩🏽\u200d🚀 العربية": "é 🎓 👩🏽\u200d🚀 العربية",
	} {
		if got := showHidden(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
