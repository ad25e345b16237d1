package certificate_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/certificate"
)

func TestRender_CharactersWithoutAFontAreLogged(t *testing.T) {
	var log bytes.Buffer
	r := newRenderer(t, certificate.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	render(t, r, ordinary)
	if log.Len() > 0 {
		t.Errorf("log for an ordinary name: %s", &log)
	}
	lines := linesOf(t, render(t, r, of("कमल Rao", "משה ممم", "Ann")))
	for _, want := range []string{ordinary.ID, "Arabic Devanagari", "U+0645 U+0915 U+092E U+0932"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, &log)
		}
	}
	if strings.Contains(log.String(), "Rao") || strings.Contains(log.String(), "कमल") {
		t.Errorf("the log has the student's name: %s", &log)
	}
	if !slices.Contains(lines, "कमल Rao") {
		t.Errorf("a search for the name does not find it in %q", lines)
	}
	if !slices.ContainsFunc(lines,
		func(l string) bool { return strings.Contains(l, "written as U+") }) {
		t.Errorf("the page does not explain its code points: %q", lines)
	}
}
