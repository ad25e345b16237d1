package htmltext_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/htmltext"
)

// hostile returns pages of about size bytes, by what is dear in them.
func hostile(size int) map[string]string {
	fill := func(head, part, tail string) string {
		return head + strings.Repeat(part, max(0, size-len(head)-len(tail))/len(part)) + tail
	}
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	// half repeats an element without an end to half of the deepest nesting.
	half := func(tag string) string { return strings.Repeat(tag, htmltext.MaxNesting/2) }
	return map[string]string{
		"formatting that is opened anew in each paragraph": fill(numberedTags(450), "<p>x", ""),
		"formatting that a paragraph closes":               fill("<p>"+numberedTags(450), "<p>x", ""),
		"many formats":                                     fill(half("<b><i>"), "<p>x</p>", ""),
		"ends without a beginning":                         fill(half("<b><i>"), "</u>", ""),
		"misnested formats":                                fill("", "<b>a<i>b<s>c</b>d</i>e</s>f ", ""),
		"deep formats":                                     fill("", half("<b><i>")+"x"+half("</i></b>"), ""),
		"deep quotes":                                      fill(half("<blockquote>"), "<p>x", ""),
		"deep lists":                                       fill(half("<ul><li>")[:1600], "<li>x", ""),
		"quotes and lists":                                 fill("", half("<blockquote>")+"x"+half("</blockquote>"), ""),
		"breaks in quotes":                                 fill(half("<blockquote>"), "x<br>", ""),
		"code in quotes":                                   fill(half("<blockquote>")+"<pre>", "x\n", ""),
		"wide table":                                       fill("<table><tr>", "<td>x", ""),
		"long table":                                       fill("<table>", "<tr><td>x<td>y", ""),
		"table and a long cell":                            fill("<table>", "<tr><td>x<td>y", "<tr><td>"+strings.Repeat("z", size/2)),
		"spans of columns":                                 fill("<table><tr><td>a<td>b", "<tr><td colspan=99>x", ""),
		"spans of rows":                                    fill("<table>"+strings.Repeat("<td rowspan=99>x", 99), "<tr><td>x", ""),
		"deep tables":                                      fill("", strings.Repeat("<table><tr><td>x<td>", 100)+strings.Repeat("</table>", 100), ""),
		"foster parents":                                   fill("<table>", "x<b>y<tr>", ""),
		"cells of codes":                                   fill("<table><tr>", "<td><code>a<b>b</b></code>", ""),
		"links around blocks":                              fill("", "<a href=x><p>x<p>y</a>", ""),
		"links in tables":                                  fill("", strings.Repeat("<a href=https://a.b/><table><td>", 100)+"x"+strings.Repeat("</table>", 100), ""),
		"long links":                                       fill("", "<a href=https://a.b/>x", ""),
		"attributes":                                       fill("<a ", "b=1 ", ">x</a>"),
		"other attributes":                                 "<a " + numbered("a%d=1 ") + ">x</a>",
		"attributes, then tags":                            fill("<a "+numbered("a%d=1 ")[:size/2]+">", "<b a>x</b>", ""),
		"an open attribute":                                fill("<a b='", "x<a b=", ""),
		"quotes of attributes":                             fill("<a ", `""'' `, ""),
		"open tags":                                        fill("", "<a<a", ""),
		"tag signs":                                        fill("", "<", ""),
		"ends":                                             fill("", "</", ""),
		"comments":                                         fill("", "<!--", ""),
		"declarations":                                     fill("", "<!x", ""),
		"instructions":                                     fill("", "<?", ""),
		"CDATA":                                            fill("", "<![CDATA[", ""),
		"scripts":                                          fill("", "<script><!--<script>", ""),
		"frames":                                           fill("", "<iframe>", ""),
		"titles":                                           fill("", "<title>", ""),
		"texts of forms":                                   fill("", "<textarea></textare", ""),
		"entities":                                         fill("", "&amp;", ""),
		"long entities":                                    fill("&", "a", "&#"+strings.Repeat("1", size/2)),
		"ampersands":                                       fill("", "&", ""),
		"ampersands in addresses":                          fill("<a href='https://a.b/?", "&a;", "'>x</a>"),
		"spaces":                                           fill("a", " ", ""),
		"hard spaces":                                      fill("", "&nbsp;", ""),
		"spaces and texts":                                 fill("", "a <b> </b>\n", ""),
		"a long word":                                      fill("", "a", ""),
		"brackets":                                         fill("", "[", ""),
		"brackets and signs":                               fill("", "](", ""),
		"stars":                                            fill("", "*", ""),
		"stars and words":                                  fill("", "*a_b~", ""),
		"backticks":                                        fill("<pre>", "`", "</pre>"),
		"backticks in code":                                fill("", "<code>`</code>", ""),
		"addresses":                                        fill("", "https://a.b/( ", ""),
		"a long address":                                   fill("https://", "a)", ""),
		"beginnings of addresses":                          fill("", "h", ""),
		"formulas":                                         fill("", `\(x\) `, ""),
		"open formulas":                                    fill("", `\(\[`, ""),
		"open formulas and ends":                           fill("", `\(x`, `$$ \]`),
		"empty formulas":                                   fill("", `\( \)`, ""),
		"dollars":                                          fill("", `$`, ""),
		"MathML":                                           fill("<math>", "<msup><mi>x</mi><mn>2</mn></msup>", ""),
		"deep MathML":                                      fill("", "<math>"+strings.Repeat("<mrow>", 400)+"x</math>", ""),
		"fractions":                                        fill("", "<math>"+strings.Repeat("<mfrac>", 400)+"x</math>", ""),
		"MathML of an attribute":                           fill("<img data-mathml='", "«msup»«mi»x«/mi»", "'>"),
		"MathML of many":                                   fill("", "<img data-mathml='«mi»x«/mi»'>", ""),
		"exponents":                                        fill("", "x<sup>2</sup>", ""),
		"deep exponents":                                   fill("", half("<sup>a")+half("</sup>"), ""),
		"exponents of parts":                               fill("", strings.Repeat("<sup>a<b>b</b>", 200)+strings.Repeat("</sup>", 200), ""),
		"drawings":                                         fill("", "<svg><g>", ""),
		"deep drawings":                                    fill("<svg>", "<svg>", ""),
		"templates":                                        fill("", "<template>", ""),
		"lists of options":                                 fill("", "<select><option>x", ""),
		"drawings and paragraphs":                          fill("", "<svg><p>", ""),
		"objects":                                          fill("", strings.Repeat("<object>", 200)+strings.Repeat("</object>", 200), ""),
		"films":                                            fill("<video>", "<source>", ""),
		"breaks":                                           fill("", "<br>", ""),
		"paragraphs":                                       fill("", "<p>", ""),
		"ends of paragraphs":                               fill("", "</p>", ""),
		"blocks":                                           fill("", "<div></div>", ""),
		"items":                                            fill("<ol>", "<li>", ""),
		"headings":                                         fill("", "<h6>x", ""),
		"terms":                                            fill("<dl>", "<dt><dd>x", ""),
		"styles":                                           fill("<p style='", "a:b;", "'>x"),
		"classes":                                          fill("<p class='", "a ", "'>x"),
		"many styles":                                      fill("", "<p style=display:none>x", ""),
		"signs at beginnings":                              fill("", "<p>- x", ""),
		"pictures":                                         fill("", "<img src=https://a.b/ alt='[]'>", ""),
		"plain text":                                       fill("<plaintext>", "<b>", ""),
		"no scripts":                                       fill("", "<noscript>", ""),
		"bytes that are no text":                           fill("", "\xff\x00\r", ""),
		"lines of a long link": "<a href='http://x/" + strings.Repeat("A", size/2) + "'>" +
			strings.Repeat("a<br>", size/10) + "</a>",
		"addresses with a reference":             fill("", "http://a/", "&amp;lt;x"),
		"addresses in a link":                    fill("<a href='http://b/'>", "http://a/", "</a>"),
		"beginnings of definitions":              fill("<p>", "[<br>", "</p>") + fill("<p>", "] ", "</p>"),
		"rows below a large cell":                fill("<table><tr><td rowspan=100 colspan=100>x", "<tr><td>", "</table>"),
		"lines of code in a heading":             fill("<h1><pre>", "a\n", "</pre></h1>"),
		"a long name of a picture in many links": strings.Repeat("<a href=x><button>", 100) + "<img alt='" + fill("", "a ", "") + "'>",
		"ordinary":                               fill("", "<p>The <b>quick</b> brown fox<sup>2</sup> jumps.</p><ul><li>a</li></ul>\n", ""),
	}
}

// numberedTags returns open elements that differ in an attribute.
func numberedTags(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<b id=%d>", i)
	}
	return b.String()
}

// cost is what a conversion has taken.
type cost struct {
	steps, allocated int
	out              int
	err              error
}

// left returns how much can still be taken.
func left(take func(int) error) (n int) {
	for size := 1 << 32; size > 0; size /= 2 {
		for take(size) == nil {
			n += size
		}
	}
	return n
}

// costOf converts a page, and returns what that has taken.
func costOf(t testing.TB, source string, isPlain bool) (c cost) {
	before := left(budgetFor(t, source).Steps)
	b := budgetFor(t, source)

	var was, is runtime.MemStats
	runtime.ReadMemStats(&was)
	if isPlain {
		var text string
		text, _, c.err = htmltext.Plain(b, source)
		c.out = len(text)
	} else {
		var p htmltext.Page
		p, c.err = htmltext.Markdown(b, source, htmltext.Options{MaxBytes: 400_000})
		c.out = len(p.Text)
	}
	runtime.ReadMemStats(&is)
	c.allocated = int(is.TotalAlloc - was.TotalAlloc)
	steps := left(b.Steps)
	if c.steps = before - steps; c.steps < 0 {
		t.Errorf("%.40q: more steps are left than there were", source)
	}
	return c
}

// What a conversion takes grows with the length of the page, whatever it has in it, and not with
// its square. A page is refused before it takes more.
func TestMarkdown_CostGrowsWithTheSize(t *testing.T) {
	const small = 1 << 15
	large := hostile(4 * small)
	for name, source := range hostile(small) {
		for _, isPlain := range []bool{false, true} {
			one, four := costOf(t, source, isPlain), costOf(t, large[name], isPlain)
			for _, c := range []cost{one, four} {
				isRefused := errors.Is(c.err, htmltext.ErrNesting) || errors.Is(c.err, htmltext.ErrTooLong) ||
					errors.Is(c.err, budget.ErrSpent)
				if c.err != nil && !isRefused {
					t.Errorf("%s: %v", name, c.err)
				}
			}
			// What every page takes is more than a small one may grow by.
			if four.steps > 5*one.steps+100_000 {
				t.Errorf("%s (plain %t): %d and %d steps", name, isPlain, one.steps, four.steps)
			}
			if four.allocated > 5*one.allocated+2<<20 {
				t.Errorf("%s (plain %t): %d and %d bytes are allocated", name, isPlain, one.allocated,
					four.allocated)
			}
			if most := 100*len(source) + 32<<20; one.allocated > most {
				t.Errorf("%s (plain %t): %d bytes are allocated for %d", name, isPlain, one.allocated,
					len(source))
			}
		}
	}
}

// A page may take as much as one, and the work on it ends with its caller.
func TestMarkdown_HostilePagesEndWithTheContext(t *testing.T) {
	for name, source := range hostile(1 << 18) {
		ctx, cancel := context.WithCancel(t.Context())
		b := budget.New(ctx, int64(len(source)))
		if err := b.Text(int64(len(source))); err != nil {
			t.Fatal(err)
		}
		cancel()
		began := time.Now()
		_, err := htmltext.Markdown(b, source, htmltext.Options{MaxBytes: 400_000})
		// Only what is looked at in one go comes before the context is asked.
		took := time.Since(began)
		isEnded := errors.Is(err, context.Canceled) || errors.Is(err, htmltext.ErrNesting)
		if !isEnded || took > 2*time.Second {
			t.Errorf("%s: %v after %v", name, err, took)
		}
	}
}

// BenchmarkMarkdown converts pages of 1 MiB, and reports what one costs and the memory that is in
// use at most.
func BenchmarkMarkdown(b *testing.B) {
	pages := hostile(1 << 20)
	for name, source := range pages {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = htmltext.Markdown(budgetFor(b, source), source,
					htmltext.Options{MaxBytes: 400_000})
			}
		})
	}
}
