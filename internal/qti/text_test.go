package qti_test

import (
	"context"
	"errors"
	"html"
	"runtime"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/qti"
)

// questionOf returns a document of one question whose text and options are HTML.
func questionOf(text string, options ...string) []byte {
	material := func(s string) string {
		return `<material><mattext texttype="text/html">` + html.EscapeString(s) + `</mattext></material>`
	}
	labels := ""
	for i, o := range options {
		labels += `<response_label ident="` + string(rune('a'+i)) + `">` + material(o) + `</response_label>`
	}
	return quizOf(`<item ident="i"><presentation>` + material(text) + `<response_lid ident="r" ` +
		`rcardinality="Single"><render_choice>` + labels + `</render_choice></response_lid>` +
		`</presentation>` + rightIf(is("a")) + `</item>`)
}

// The texts of questions mean the same as their HTML: exponents and indices differ, lines of code
// stay lines, and formulas are TeX.
func TestRead_TextsMeanTheSame(t *testing.T) {
	for source, want := range map[string]string{
		"10<sup>3</sup> or 10<sub>3</sub>?":                                "10³ or 10₃?",
		"What?<pre><code>a = 1\nif a:\n    print(a)</code></pre>":          "What?\na = 1\nif a:\n    print(a)",
		"<p>if a:<br>&nbsp;&nbsp;&nbsp;&nbsp;b()<br>c()</p>":               "if a:\n    b()\nc()",
		`<img class="equation_image" data-equation-content="\frac{a}{b}">`: `\(\frac{a}{b}\)`,
		"<math><msup><mi>x</mi><mn>2</mn></msup></math> = ?":               `\(x^2\) = ?`,
		`see <a href="https://a.b/c_d">this</a>`:                           "see this (https://a.b/c_d)",
		"<ol><li>a<li>b</ol>":                                              "1. a\n2. b",
	} {
		a, err := read(t, questionOf(source, "yes", "no"))
		if err != nil || len(a.Quiz.Questions) != 1 || len(a.Skipped) > 0 {
			t.Errorf("%s: %+v, %v", source, a, err)
		} else if got := a.Quiz.Questions[0].Question; got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
	a, err := read(t, questionOf("A thousand?", "10<sup>3</sup>", "10<sub>3</sub>"))
	if err != nil || len(a.Quiz.Questions) != 1 ||
		strings.Join(a.Quiz.Questions[0].Options, " ") != "10³ 10₃" {
		t.Errorf("options: %+v, %v", a, err)
	}
}

// A question whose text costs too much is skipped and named, and the others are read.
func TestRead_HostileTextsAreSkipped(t *testing.T) {
	formats := "<p>"
	for i := range 490 {
		formats += "<b id=" + strings.Repeat("1", 1+i%9) + string(rune('a'+i%26)) + ">"
	}
	for name, source := range map[string]string{
		"open formats": formats + strings.Repeat("<p>x", 1<<17),
		"quotes":       strings.Repeat("<blockquote>", 1_000),
		"breaks":       strings.Repeat("<br>", 1<<19),
	} {
		document := questionOf(source, "yes", "no")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a, err := read(t, document)
		runtime.ReadMemStats(&after)
		if err != nil || len(a.Quiz.Questions) > 1 || len(a.Quiz.Questions)+len(a.Skipped) == 0 {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		if took := int(after.TotalAlloc-before.TotalAlloc) / len(document); took > 60 && len(document) > 1<<16 {
			t.Errorf("%s: %d bytes are allocated for each of %d", name, took, len(document))
		}
	}
}

// The work on the texts ends with the context of the caller.
func TestRead_TextsEndWithTheContext(t *testing.T) {
	document := questionOf(strings.Repeat("<p>x ", 100_000), "yes", "no")
	ctx, cancel := context.WithCancel(t.Context())
	b := budget.New(ctx, 16<<20)
	if err := b.Text(int64(len(document))); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := qti.Read(b, document); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
