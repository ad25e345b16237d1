package htmltext_test

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/htmltext"
)

// renderer renders Markdown as a front end does.
var renderer = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough,
	extension.Linkify))

// rendered returns the HTML of Markdown.
func rendered(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := renderer.Convert([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// randomHTML returns random HTML of about a number of elements.
type randomHTML struct {
	*rand.Rand
	left int
}

func (r *randomHTML) words() string {
	signs := []string{"a", "b c", "word", " ", ". ", "_", "*", "~", "`", "[", "]", "(", ")", "<", ">", "#", "-",
		"+", "1.", "!", "\\", "&", "&amp;", "|", "=", "é", "“", "x_y", "2*3", ":", "--", "https://a.b/c_d?e=_f_", "\n",
		"10", "$", "'", "\"", "~~", "**", "http://", "1)", "***", "___", "```", "~~~", "===", "[x](y)", "![", "]:"}
	var b strings.Builder
	for range 1 + r.IntN(4) {
		b.WriteString(html.EscapeString(signs[r.IntN(len(signs))]))
	}
	return b.String()
}

func (r *randomHTML) inline(depth int) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		r.left--
		if depth > 4 || r.left < 0 {
			return b.String() + r.words()
		}
		switch r.IntN(12) {
		case 0:
			fmt.Fprintf(&b, "<b>%s</b>", r.inline(depth+1))
		case 1:
			fmt.Fprintf(&b, "<i>%s</i>", r.inline(depth+1))
		case 2:
			fmt.Fprintf(&b, "<s>%s</s>", r.inline(depth+1))
		case 3:
			fmt.Fprintf(&b, "<code>%s</code>", r.words())
		case 4:
			fmt.Fprintf(&b, "<a href='https://x.y/%d_(a)'>%s</a>", r.IntN(3), r.words())
		case 5:
			fmt.Fprintf(&b, "<sup>%s</sup>", r.words())
		case 6:
			b.WriteString("<br>")
		default:
			b.WriteString(r.words())
		}
	}
	return b.String()
}

func (r *randomHTML) blocks(depth int) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		r.left--
		if depth > 3 || r.left < 0 {
			return b.String() + "<p>" + r.words() + "</p>"
		}
		switch r.IntN(11) {
		case 0:
			fmt.Fprintf(&b, "<ul><li>%s<li>%s</ul>", r.blocks(depth+1), r.inline(0))
		case 1:
			fmt.Fprintf(&b, "<ol start=%d><li>%s<li>%s</ol>", r.IntN(12), r.inline(0), r.blocks(depth+1))
		case 2:
			fmt.Fprintf(&b, "<blockquote>%s</blockquote>", r.blocks(depth+1))
		case 3:
			fmt.Fprintf(&b, "<h%d>%s</h%[1]d>", 1+r.IntN(6), r.inline(0))
			if r.IntN(3) == 0 { // code is in a line there
				fmt.Fprintf(&b, "<h2>%s<pre> %s\n  %s</pre></h2>", r.words(), r.words(), r.words())
			}
		case 4:
			fmt.Fprintf(&b, "<pre>%s\n  %s</pre>", r.words(), r.words())
		case 5:
			fmt.Fprintf(&b, "<table><tr><th>%s<th>%s<tr><td>%s<td>%s</table>", r.words(), r.words(),
				r.inline(2), r.words())
		case 6:
			b.WriteString(r.inline(0))
		default:
			fmt.Fprintf(&b, "<p>%s</p>", r.inline(0))
		}
	}
	return b.String()
}

// anchor is the tag of a link.
var anchor = regexp.MustCompile(`</?a\b[^>]*>`)

// shown returns the plain text of HTML without white space, which may differ, and the signs
// for ends of lines in cells.
func shown(t testing.TB, source string) string {
	t.Helper()
	source = anchor.ReplaceAllString(source, "")
	text, _, err := htmltext.Plain(budgetFor(t, source), source)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(strings.NewReplacer(";", "").Replace(text)), "")
}

// What a reader sees of the Markdown is what the page shows: no sign of it becomes Markdown, and no
// mark is seen.
func TestMarkdown_ShowsWhatThePageShows(t *testing.T) {
	failed := 0
	for seed := range uint64(1_500) {
		r := &randomHTML{Rand: rand.New(rand.NewPCG(seed, 1)), left: 12}
		source := r.blocks(0)
		text := markdown(t, source).Text
		if got, want := shown(t, rendered(t, text)), shown(t, source); got != want {
			t.Errorf("seed %d\nHTML     %q\nMarkdown %q\n got %q\nwant %q", seed, source, text, got, want)
			if failed++; failed > 5 {
				return
			}
		}
	}
}

// FuzzMarkdown converts anything. The result is text whose length is bounded by that of the page.
func FuzzMarkdown(f *testing.F) {
	for _, source := range hostile(500) {
		f.Add(source)
	}
	r := &randomHTML{Rand: rand.New(rand.NewPCG(1, 1)), left: 50}
	f.Add(r.blocks(0))
	f.Fuzz(func(t *testing.T, source string) {
		for _, isPlain := range []bool{false, true} {
			b := budgetFor(t, source)
			var text string
			var err error
			if isPlain {
				text, _, err = htmltext.Plain(b, source)
			} else {
				var p htmltext.Page
				p, err = htmltext.Markdown(b, source, htmltext.Options{MaxBytes: 1 << 20})
				text = p.Text
			}
			isRefused := errors.Is(err, htmltext.ErrNesting) || errors.Is(err, htmltext.ErrTooLong) ||
				errors.Is(err, budget.ErrSpent)
			if err != nil && !isRefused || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				t.Errorf("%q, %v", text, err)
			}
			if strings.TrimSpace(text) == "" && text != "" {
				t.Errorf("%q is blank", text)
			}
		}
	})
}
