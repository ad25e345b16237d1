package web

import (
	"net/http"
	"strings"
	"testing"
)

// Without the bounds each of these texts takes from 10 seconds to minutes.
func TestMarkdown_BoundsWhatTakesLong(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	for name, c := range map[string]struct {
		text, element string
		most          int
	}{
		"quotations": {strings.Repeat(">", maxMarkdown), "<blockquote>", maxNesting},
		"lists":      {strings.Repeat("- ", maxMarkdown/2-1) + "a", "<ul>", maxNesting},
		"links":      {strings.Repeat("[a](b ", maxMarkdown/6), "<a ", 0},
		"emphasis":   {strings.Repeat("*a_ ", maxMarkdown/4), "<em>", 0},
		"bold":       {strings.Repeat("**a** ", maxMarkdown/6), "<strong>", maxMarks / 2},
		"a table": {strings.Repeat("|a", 300) + "\n" + strings.Repeat("|-", 300) + "\n" +
			strings.Repeat("|\n", maxMarkdown/2-602), "<td>", 0},
	} {
		res, got := renderAt(t, url, c.text)
		if count := strings.Count(got, c.element); res.StatusCode != http.StatusOK ||
			count > c.most || c.most > 0 && count < c.most/2 {
			t.Errorf("%s: status %d, %d of %s, want %d to %d", name, res.StatusCode, count,
				c.element, c.most/2, c.most)
		}
	}
}

// TestMarkdown_KeepsLongTexts renders what an author writes: none of it is above a bound.
func TestMarkdown_KeepsLongTexts(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	table := "|a|b|c|\n|-|-|-|\n" + strings.Repeat("|1|2|3|\n", 1000)
	nested := ""
	for depth := range 15 {
		nested += strings.Repeat("  ", depth) + "- a\n"
	}
	for text, want := range map[string]int{
		table:                                    3000,
		nested:                                   15,
		strings.Repeat("[a](https://b.c) ", 900): 900,
	} {
		_, got := renderAt(t, url, text)
		if n := strings.Count(got, "<td>") + strings.Count(got, "<ul>") +
			strings.Count(got, "<a "); n != want {
			t.Errorf("%.20q: %d elements, want %d", text, n, want)
		}
	}
}
