package web

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// renderAt sends a text to be rendered.
func renderAt(t *testing.T, url, text string) (*http.Response, string) {
	t.Helper()
	res, err := http.Post(url+markdownPath, "text/plain", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func TestMarkdown_IsRenderedWithoutWhatRuns(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	for text, want := range map[string]string{
		"# A\n\n- *b*":                           "<h1>A</h1>\n<ul>\n<li><em>b</em></li>\n</ul>\n",
		"|a|b|\n|-|-|\n|1|2|":                    "<table>",
		"a\n\n<script>alert(1)</script>\n\nb":    "<p>a</p>\n\n<p>b</p>\n",
		"[x](javascript:alert(1))":               "<p>x</p>\n",
		"[x](data:text/html,<b>)":                "<p>x</p>",
		`![y](https://example.org/" onerror="a)`: "![y]",
		"<img src=x onerror=alert(1)>":           "\n",
	} {
		res, got := renderAt(t, url, text)
		if res.StatusCode != http.StatusOK || !strings.Contains(got, want) ||
			strings.Contains(got, "<script") || strings.Contains(got, "onerror=\"") {
			t.Errorf("%q: status %d, %q, want %q", text, res.StatusCode, got, want)
		}
		// A form of another site can send a text here.
		if got := res.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
			t.Errorf("%q: the type is %s", text, got)
		}
	}
}

func TestMarkdown_RefusesLongTexts(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	for size, want := range map[int]int{maxMarkdown: http.StatusOK,
		maxMarkdown + 1: http.StatusRequestEntityTooLarge} {
		if res, _ := renderAt(t, url, strings.Repeat("ä", size)); res.StatusCode != want {
			t.Errorf("%d characters: status %d, want %d", size, res.StatusCode, want)
		}
	}
}
