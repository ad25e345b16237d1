package httpapi_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/contracttest"
)

// TestContractCases_HaveVisibleCharactersOnly fails for a case with characters that an editor does
// not show, and for one with a mark in place of a time of the fixed clock.
func TestContractCases_HaveVisibleCharactersOnly(t *testing.T) {
	for _, c := range contracttest.LoadAllCases(t) {
		text := c.Request + c.Answer + c.Changes
		if i := strings.IndexFunc(text, contracttest.IsHidden); i >= 0 || !utf8.ValidString(text) {
			t.Errorf(
				"%s has bytes that an editor does not show: write {{text \"\\x00\"}} in the "+
					"request and <U+0000> in the answer (testdata/contract/README.md)", c.File)
		}
		if strings.Contains(c.Answer+c.Changes, "<time>") {
			t.Errorf("%s: write the time of the clock of the cases in the place of <time>", c.File)
		}
	}
}

// TestContractCases_SayOnceWhatRepeats fails for a file that repeats what the format says once.
func TestContractCases_SayOnceWhatRepeats(t *testing.T) { contracttest.CheckForm(t, *update) }

func TestShowHidden(t *testing.T) {
	for text, want := range map[string]string{
		"a\x00b\r\n\t": "a<U+0000>b<U+000D>\n\t", "\u2028\u202e\ufeff": "<U+2028><U+202E><U+FEFF>",
		"é 🎓 👩🏽\u200d🚀 العربية": "é 🎓 👩🏽\u200d🚀 العربية",
	} {
		if got := contracttest.ShowHidden(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// A case must fail if an event of its stream is changed, missing or added.
func TestContractCase_ShowsEveryEventOfAStream(t *testing.T) {
	const want = "HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\nevent: delta\ndata: " +
		"{\"content\":\"a\"}\n\nevent: done\ndata: {\"success\":true}\n\n\n"
	for name, got := range map[string]string{
		"another text":  strings.Replace(want, `"a"`, `"b"`, 1),
		"another event": strings.Replace(want, "event: delta", "event: error", 1),
		"an event less": strings.Replace(want, "event: delta\ndata: {\"content\":\"a\"}\n\n", "",
			1),
		"an event more": want + "event: done\ndata: {}\n\n",
		"a line more":   strings.Replace(want, "\n\nevent: done", "\n\n\nevent: done", 1),
	} {
		if contracttest.Matches(contracttest.Compacted(got), contracttest.Compacted(want)) {
			t.Errorf("a stream with %s matches", name)
		}
	}
	if !contracttest.Matches(contracttest.Compacted(contracttest.Indented(want)),
		contracttest.Compacted(want)) {
		t.Error("the same stream does not match")
	}
}
