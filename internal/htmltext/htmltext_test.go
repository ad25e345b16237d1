package htmltext_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/budget"
	"github.com/openlectern/openlectern/internal/htmltext"
)

// budgetFor returns a budget for a source.
func budgetFor(t testing.TB, source string) *budget.Budget {
	t.Helper()
	b := budget.New(t.Context(), int64(len(source)))
	if err := b.Text(int64(len(source))); err != nil {
		t.Fatal(err)
	}
	return b
}

// markdown returns a page as Markdown with the addresses of the web only.
func markdown(t testing.TB, source string) htmltext.Page {
	t.Helper()
	p, err := htmltext.Markdown(budgetFor(t, source), source, htmltext.Options{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatalf("%.80q: %v", source, err)
	}
	return p
}

// What HTML means is in its Markdown, and in its plain text if that is another.
func TestMarkdown_KeepsTheMeaning(t *testing.T) {
	for source, want := range map[string][2]string{ // Markdown and plain text
		// Exponents and indices.
		"10<sup>3</sup> is not 10<sub>3</sub>":            {"10³ is not 10₃", ""},
		"x<sup>n+1</sup>, x<sup>-1</sup>":                 {"xⁿ⁺¹, x⁻¹", ""},
		"e<sup>i π</sup>, T<sup>Ψ</sup>":                  {"e^(i π), T^Ψ", ""},
		"a<sub>ij</sub>, a<sub>Q</sub>, a<sub>max</sub>":  {"aᵢⱼ, a_Q, aₘₐₓ", ""},
		"1<sup>st</sup> of May, X<sup>TM</sup>":           {"1st of May, XTM", ""},
		"2<sup>a<sup>2</sup></sup>":                       {"2^(a²)", ""},
		"<b>H<sub>2</sub>O</b>":                           {"**H₂O**", "H₂O"},
		"10 <sup><i>3</i></sup>":                          {"10 *³*", "10 ³"},
		`m<span style="vertical-align: super">2</span>`:   {"m²", ""},
		`<code>x<sup>2</sup></code>`:                      {"`x²`", "x²"},
		`<pre>x<sup>2</sup> = 4</pre>`:                    {"```\nx² = 4\n```", "x² = 4"},
		`a<sup><img src="https://a.b/x.png"></sup>`:       {"a^(![](https://a.b/x.png))", "a"},
		`<sup>1</sup>&frasl;<sub>2</sub>`:                 {"¹⁄₂", ""},
		`x<sup></sup>y`:                                   {"xy", ""},
		`10<sup>th </sup>century, mc<sup>2 </sup>is`:      {"10th century, mc² is", ""},
		`x<sup><b>a</b> b </sup>end`:                      {"x^(**a** b) end", "x^(a b) end"},
		`a<sup>see note</sup>, x<sup>n + 1</sup>`:         {"a^(see note), xⁿ⁺¹", ""},
		`note<sup><a href="https://a.b/">1</a></sup> end`: {"note[¹](https://a.b/) end", "note¹ (https://a.b/) end"},

		// Formulas keep their parts together, and words in them are no commands.
		`<math><msup><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow><mn>3</mn></msup></math>`: {
			"${x^2}^3$", `\({x^2}^3\)`},
		`<math><mtext>5 % of {a} &amp; $b_1</mtext></math>`: {
			"$`\\text{5 \\% of \\{a\\} \\& \\$b\\_1}`$", `\(\text{5 \% of \{a\} \& \$b\_1}\)`},
		`<math><mtext>a\b</mtext></math>`: {
			`$\text{a}\backslash\text{b}$`, `\(\text{a}\backslash\text{b}\)`},

		`a<sup><sup>2</sup><b>n</b></sup>`:   {"a²**ⁿ**", "a²ⁿ"},
		`<ol start=100000000><li>a<p>b</ol>`: {"100000000. a\n\n           b", "100000000. a\nb"},

		// Code.
		"<h1>a<pre> \n y\t\n</pre>b</h1>": {"# a  `y` b", "a  y b"},
		"<pre>a = 1\nif a:\n    print(a * 2, '_x_')\n</pre>": {
			"```\na = 1\nif a:\n    print(a * 2, '_x_')\n```", "a = 1\nif a:\n    print(a * 2, '_x_')"},
		"What?<pre><code class=\"language-c++\">\n\tint *a;\n\n\treturn;</code></pre>!": {
			"What?\n\n```c++\n\tint *a;\n\n\treturn;\n```\n\n!", "What?\n\tint *a;\n\n\treturn;\n!"},
		"<pre>a<br>  b<div>c</div>&lt;d&gt;&nbsp;e</pre>": {"```\na\n  b\nc\n<d> e\n```", "a\n  b\nc\n<d> e"},
		"<pre>```\nx</pre>":                            {"````\n```\nx\n````", "```\nx"},
		"use <code>a*b_c_`d</code> or <tt>[x](y)</tt>": {"use ``a*b_c_`d`` or `[x](y)`", "use a*b_c_`d or [x](y)"},
		"<code>if a:<br>&nbsp;&nbsp;b()</code>":        {"```\nif a:\n  b()\n```", "if a:\n  b()"},
		"if a:<br>&nbsp;&nbsp;b()":                     {"if a:  \n\u00a0\u00a0b()", "if a:\n  b()"},
		"<xmp><b>x</b></xmp>":                          {"```\n<b>x</b>\n```", "<b>x</b>"},
		"<ul><li>x<pre>a\n  b</pre></ul>":              {"- x\n\n  ```\n  a\n    b\n  ```", "- x\na\n  b"},

		// Formulas.
		`<img class="equation_image" title="a" alt="LaTeX: \frac{a}{b}" data-equation-content="\frac{a}{b}">`: {
			`$\frac{a}{b}$`, `\(\frac{a}{b}\)`},
		`<img class="equation_image" alt="LaTeX: x_1^2" src="/equation_images/x">`: {"$x_1^2$", `\(x_1^2\)`},
		`<img class="equation_image" src="/equation_images/%255Cfrac%257Ba%257D%257Bb%257D?scale=1">`: {
			`$\frac{a}{b}$`, `\(\frac{a}{b}\)`},
		`<img src="https://a.b/filter/tex/pix.php/1.gif" alt="$$x^2$$">`: {"$x^2$", `\(x^2\)`},
		`so \( a_1 * b_1 \) and \[\sum_{i} x\] and $$y$$`:                {"so $`a_1 * b_1`$ and $$\\sum_{i} x$$ and $$y$$", `so \( a_1 * b_1 \) and \[\sum_{i} x\] and $$y$$`},
		`<math><mi>x</mi><annotation encoding="application/x-tex">x^{2}</annotation></math>`: {
			"$x^{2}$", `\(x^{2}\)`},
		`<math><mfrac><mn>1</mn><msqrt><msup><mi>x</mi><mn>2</mn></msup><mo>&#x2212;</mo><mi>y</mi></msqrt></mfrac></math>`: {
			`$\frac{1}{\sqrt{x^2-y}}$`, `\(\frac{1}{\sqrt{x^2-y}}\)`},
		`<m:math><m:munderover><m:mo>&sum;</m:mo><m:mrow><m:mi>i</m:mi><m:mo>=</m:mo><m:mn>1</m:mn></m:mrow><m:mi>n</m:mi></m:munderover><m:mi>sin</m:mi><m:mi>&alpha;</m:mi></m:math>`: {
			`$\sum_{i=1}^n\sin\alpha$`, `\(\sum_{i=1}^n\sin\alpha\)`},
		`<img class="Wirisformula" data-mathml="«math»«msup»«mi»x«/mi»«mn»2«/mn»«/msup»«/math»" alt="x squared" src="data:x">`: {
			"$x^2$", `\(x^2\)`},
		`<span class="MathJax_Preview">x</span><span class="MathJax">x2</span><script type="math/tex; mode=display">x^2</script>`: {
			"$$x^2$$", "$$x^2$$"},
		`<span class="katex"><span class="katex-mathml"><math><mi>x</mi><annotation encoding="application/x-tex">x</annotation></math></span><span class="katex-html">x</span></span>`: {
			"$x$", `\(x\)`},

		// Addresses.
		"see https://a.b/x_y_z_(1)_?q=_r_#s. End":                                    {"see <https://a.b/x_y_z_(1)_?q=_r_#s>. End", "see https://a.b/x_y_z_(1)_?q=_r_#s. End"},
		"see https://a.b/x_y?a=1&amp;copy=2.":                                        {"see https://a.b/x_y?a=1&copy=2.", ""},
		`<a href="https://a.b/x_y(1">l_i_n [k]</a>`:                                  {`[l_i_n \[k\]](<https://a.b/x_y(1>)`, "l_i_n [k] (https://a.b/x_y(1)"},
		`<a href="https://a.b/x y?a=1&copy=2&amp;lt;">x</a>`:                         {`[x](https://a.b/x%20y?a=1&copy=2\&lt;)`, "x (https://a.b/x%20y?a=1&copy=2&lt;)"},
		`<a href="https://a.b/c_d">https://a.b/c_d</a>`:                              {"https://a.b/c_d", ""},
		`<a href="mailto:a_b@c.d">a_b@c.d</a>`:                                       {"<a_b@c.d>", "a_b@c.d"},
		`<a href="#x">here</a> <a href="javascript:x">there</a> <a name="y">now</a>`: {"here there now", ""},
		`<iframe src="https://www.youtube.com/embed/a_b-c_d_e_f?rel=0"></iframe>`: {
			"https://www.youtube.com/embed/a_b-c_d_e_f?rel=0", "-"},
		`<video controls><source src="https://a.b/_c_.mp4">no player</video>`:       {"<https://a.b/_c_.mp4>", "-"},
		`<object data="https://a.b/c.swf"><embed src="https://a.b/c.swf"></object>`: {"https://a.b/c.swf", "-"},
		`<img src="https://a.b/c_d (1).png" alt="a [b] *c*">`:                       {`![a \[b\] \*c\*](https://a.b/c_d%20(1).png)`, "-"},
		`<a href="https://a.b/"><p>one</p><p>two</p></a>`:                           {"[one](https://a.b/)\n\ntwo", "one (https://a.b/)\ntwo"},
		`wow!<a href="https://a.b/">x</a>`:                                          {`wow\![x](https://a.b/)`, "wow!x (https://a.b/)"},

		// Lines, paragraphs, headings.
		"<p>a\n b</p>\n<p>c<br>d<br></p><p>&nbsp;</p>":                         {"a b\n\nc  \nd", "a b\nc\nd"},
		"<h2>One<br>two <b>three</b> #</h2>x":                                  {"## One two **three** \\#\n\nx", "One two three #\nx"},
		"a<hr>b":                                                               {"a\n\n---\n\nb", "a\nb"},
		"<details><summary>More</summary>x</details>":                          {"**More**\n\nx", "More\nx"},
		"<dl><dt>a<dd>b<dd>c<dt>d</dl>":                                        {"**a**\n- b\n- c\n\n**d**", "a\n- b\n- c\nd"},
		"<figure><img src='https://a.b/c'><figcaption>d</figcaption></figure>": {"![](https://a.b/c)\n\nd", "d"},
		"<div>a<div>b</div>c</div>":                                            {"a\n\nb\n\nc", "a\nb\nc"},
		"<q>a</q> <ruby>b<rt>c</ruby>":                                         {"“a” b(c)", ""},
		"a<!-- b --><![CDATA[<c>]]>&gt;":                                       {"a&lt;c&gt;>", "a<c>>"},
		"a<wbr>b<o:p></o:p>&shy;c":                                             {"ab\u00adc", ""},

		// Marks.
		"<b>a <i>b</i></b> <s>c</s> <u>d</u>":   {"**a *b*** ~~c~~ d", "a b c d"},
		"<b> a </b>b<b></b> <strong>c</strong>": {"**a** b **c**", "a b c"},
		"<b>a</b><b>b</b>":                      {"**ab**", "ab"},
		"un<b>believ</b>able":                   {"un**believ**able", "unbelievable"},
		"a<b>(b)</b>c":                          {"a(b)c", "a(b)c"},
		"<b>a<p>b</b>c":                         {"**a**\n\n**bc**", "a\nbc"},
		"<i>a<ul><li>b</ul></i>c":               {"*a*\n\n- *b*\n\nc", "a\n- b\nc"},

		// Lists and quotes.
		"<ul><li>a<ul><li>b</ul><li>c<p>d</ul>":           {"- a\n  - b\n- c\n\n  d", "- a\n- b\n- c\nd"},
		"<ol start=3><li>a<li>b<ol><li>c</ol></ol>":       {"3. a\n4. b\n\n   1. c", "3. a\n4. b\n1. c"},
		"<ul><li>a</ul><ul><li>b</ul>":                    {"- a\n\n* b", "- a\n- b"},
		"<ul><li>a<ul><li>b</ul></li><ul><li>c</ul></ul>": {"- a\n  - b\n  - c", "- a\n- b\n- c"},
		"<ol><li><li>b</ol>":                              {"2. b", ""},
		"<ul><li></li></ul>x":                             {"x", ""},
		"<blockquote>a<blockquote>b</blockquote><p>c</blockquote>d": {
			"> a\n>\n> > b\n>\n> c\n\nd", "a\nb\nc\nd"},
		"<ul><li><blockquote>a<br>b</blockquote></ul>": {"- > a  \n  > b", "- a\nb"},

		// Tables.
		"<table><caption>T</caption><tr><th>a<th>b|c<tr><td>1<td>2</table>": {
			"T\n\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 |", "T\na | b|c\n1 | 2"},
		"<table><tr><td>a<td>b<tr><td colspan=2>c<tr><td rowspan=2>d<td>e<br>f<tr><td>g</table>": {
			"| | |\n| --- | --- |\n| a | b |\n| c | |\n| d | e; f |\n| | g |", "a | b\nc\nd | e f\ng"},
		"<table><tr><td><ul><li>a</ul><td>b</table>": {"- a\n\nb", "- a\nb"},
		"<table><tr><td>only</table>":                {"only", ""},
		"<table>x<tr><td>a<td><p>b</p></table>y":     {"x\n\n| | |\n| --- | --- |\n| a | b |\n\ny", "x\na | b\ny"},
		"<table><thead><tr><th>a<th>b</thead><tbody><tr><td><code>x|y</code><td>$$|z|$$</table>": {
			"| a | b |\n| --- | --- |\n| `x\\|y` | $$`\\|z\\|`$$ |", "a | b\nx|y | $$|z|$$"},

		// Signs that are no Markdown.
		`# a`: {`\# a`, "# a"}, `#a`: {"#a", ""}, `1. a`: {`1\. a`, "1. a"}, `1.5 a`: {"1.5 a", ""},
		`- a`: {`\- a`, "- a"}, `-a`: {"-a", ""}, `+ a`: {`\+ a`, "+ a"}, `&gt; a`: {`\> a`, "> a"},
		`---`: {`\---`, "---"}, `***`: {`\*\*\*`, "***"}, `* a`: {`\* a`, "* a"}, "a<br>===": {"a  \n\\===", "a\n==="},
		`2 * 3 * 4, 2*3*4`:           {`2 * 3 * 4, 2\*3\*4`, "2 * 3 * 4, 2*3*4"},
		`snake_case_name, _x_, ____`: {`snake_case_name, \_x_, ____`, "snake_case_name, _x_, ____"},
		`a[0], [x](y), [z]: u`:       {`a[0], [x\](y), [z\]: u`, "a[0], [x](y), [z]: u"},
		`C:\dir \* &lt;b> 1 &lt; 2`:  {`C:\dir \\\* &lt;b&gt; 1 < 2`, `C:\dir \* <b> 1 < 2`},
		`&amp;amp; &amp; AT&amp;T`:   {`\&amp; & AT&T`, "&amp; & AT&T"},
		"`a` ~b~ ~5":                 {"\\`a\\` ~b\\~ ~5", "`a` ~b~ ~5"},
		"| a | b":                    {`\| a | b`, "| a | b"},
		"5 $ and 6 $":                {"5 $ and 6 $", ""},

		// What is not shown.
		"<title>T</title><style>x</style><script>y</script><template>z</template>a": {"a", ""},
		`<p hidden>x</p><p style="color:red; display : none !important">y</p>a`:     {"a", ""},
		`<noscript>a</noscript>`:                     {"a", ""},
		"<svg><title>x</title><text>y</text></svg>a": {"a", "-"},
		"<form>a <input> <select><option>b</select> <textarea>c</textarea> <button>d</button></form>": {"a d", "-"},
		`<img src="data:image/png;base64,AAAA" alt="e">`:                                              {"e", "-"},

		// Tags that are not nested as they should be.
		"<b><i>a</b>b</i>c":         {"***a***bc", "abc"},
		"<p>a<div>b</p>c</div>d":    {"a\n\nb\n\nc\n\nd", "a\nb\nc\nd"},
		"<ul><li>a<div><li>b</ul>c": {"- a\n- b\n\nc", "- a\n- b\nc"},
		"</p></b></td></li>a</br>b": {"a  \nb", "a\nb"},
		"<td>a</td><tr><li>b":       {"a\n\nb", "a\nb"},
		"<a href='https://a.b/'>a<a href='https://c.d/'>b</a>": {
			"[a](https://a.b/)[b](https://c.d/)", "a (https://a.b/)b (https://c.d/)"},
		"<table><tr><td>a<table><tr><td>b</table>c<td>d</table>e": {"a\n\nb\n\nc\n\nd\n\ne", "a\nb\nc\nd\ne"},
		"<svg><p>a":    {"a", ""},
		"<iframe>a":    {"a", "-"},
		"<title>a":     {"a", ""},
		"a<script>b":   {"a", ""},
		"a<!-- b":      {"a", ""},
		`a<b title="x`: {"a", ""},
		"a < b <3 <> </ > &#0; &#x110000; &nosuch; &amp": {"a < b <3 <> \ufffd \ufffd \\&nosuch; &", "a < b <3 <> \ufffd \ufffd &nosuch; &"},
		"a<plaintext><b>c": {"a\n\n```\n<b>c\n```", "a\n<b>c"},
		"<?xml version='1.0'?><html xmlns='x'><head><title/></head><body><p/>a<script src='x'/>b<div/>c<br/>d<a id='x'/>e": {
			"ab\n\nc  \nde", "ab\nc\nde"},
	} {
		if got := markdown(t, source).Text; got != want[0] {
			t.Errorf("%s\n got %q\nwant %q", source, got, want[0])
		}
		if want[1] == "" {
			want[1] = want[0]
		}
		got, hasMedia, err := htmltext.Plain(budgetFor(t, source), source)
		if want[1] == "-" && hasMedia || strings.Contains(source, "<img src=\"https") && hasMedia {
			continue
		}
		if got != want[1] || err != nil {
			t.Errorf("plain %s\n got %q, %v\nwant %q", source, got, err, want[1])
		}
	}
}

// What a text cannot have is named, and the title is that of the page.
func TestMarkdown_NamesWhatIsLost(t *testing.T) {
	for source, want := range map[string][]string{
		"<p>a<svg></svg><input type=hidden>":           nil,
		"<svg><path/></svg><canvas></canvas>":          {"drawings"},
		"<input><select></select><svg><g></g></svg>":   {"forms", "drawings"},
		`<img src="data:x"><video></video><img alt=x>`: {"pictures that are not files", "films, sounds and frames without an address"},
	} {
		if got := markdown(t, source).Lost; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
	if got := markdown(t, "<title> A &amp;\n B</title><title>C</title>").Title; got != "A & B" {
		t.Errorf("title: %q", got)
	}
}

// The caller decides on each address once, and is told what a link is called.
func TestMarkdown_Resolve(t *testing.T) {
	var seen []htmltext.Reference
	source := `<a href=" a.txt ">the <b>file</b></a> <img src="b.png" alt="b"> <a href="c">c</a>` +
		`<video src="d.mp4" title="D"></video>`
	p, err := htmltext.Markdown(budgetFor(t, source), source, htmltext.Options{MaxBytes: 1_000,
		Resolve: func(r htmltext.Reference) htmltext.Target {
			seen = append(seen, r)
			if r.Address == "c" {
				return htmltext.Target{Address: "https://x.y/c"}
			}
			return htmltext.Target{Text: r.Title}
		}})
	want := []htmltext.Reference{{htmltext.Link, "a.txt", "the file"}, {htmltext.Picture, "b.png", "b"},
		{htmltext.Link, "c", "c"}, {htmltext.Player, "d.mp4", "D"}}
	if err != nil || !slices.Equal(seen, want) || p.Text != "the **file** b [c](https://x.y/c)\n\nD" {
		t.Errorf("%+v\n%q, %v", seen, p.Text, err)
	}
}

func TestDecode_Encodings(t *testing.T) {
	for source, want := range map[string]string{
		"\xef\xbb\xbfä": "ä", "ä": "ä", "\xff\xfea\x00\xe4\x00": "aä", "\xfe\xff\x00a\x00\xe4": "aä",
		"<meta charset=iso-8859-1>\xe4": "ä",
		`<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">` + "\xe4": "д",
		`<?xml version="1.0" encoding='windows-1252'?>` + "\x80":                              "€",
		"<meta charset=windows-1252>ä":                                                        "ä", // saved anew
		"<title><meta charset=x></title><meta charset=shift_jis>\x83\x65":                     "テ",
		"\xe4": "!", "<meta charset=utf-8>\xe4": "!", "<meta charset=no>\xe4": "!", "\xff\xfea": "!",
	} {
		got, err := htmltext.Decode([]byte(source))
		if want == "!" && err != nil {
			continue
		}
		if err != nil || !strings.HasSuffix(got, want) || want == "!" {
			t.Errorf("%q: %q, %v, want %q", source, got, err, want)
		}
	}
}

// A page that costs too much is refused with an error that says so.
func TestMarkdown_Refuses(t *testing.T) {
	for source, want := range map[string]error{
		strings.Repeat("<div>", 1_000):    htmltext.ErrNesting,
		strings.Repeat("<b id=1>", 1_000): htmltext.ErrNesting,
		strings.Repeat("<ul><li>", 1_000): htmltext.ErrNesting,
		strings.Repeat("a ", 1_000):       htmltext.ErrTooLong,
		strings.Repeat("<br>", 300_000):   budget.ErrSpent,
	} {
		_, err := htmltext.Markdown(budgetFor(t, source), source, htmltext.Options{MaxBytes: 1_000})
		if !errors.Is(err, want) {
			t.Errorf("%.20s: %v, want %v", source, err, want)
		}
		if _, _, err := htmltext.Plain(budgetFor(t, source), source); !errors.Is(err, want) &&
			want != htmltext.ErrTooLong {
			t.Errorf("plain %.20s: %v, want %v", source, err, want)
		}
	}
}

// The work ends with the context of its caller.
func TestMarkdown_EndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	source := strings.Repeat(`<p>a <a href="x">b</a>`, 20_000)
	b := budget.New(ctx, int64(len(source)))
	if err := b.Text(int64(len(source))); err != nil {
		t.Fatal(err)
	}
	after := 0
	_, err := htmltext.Markdown(b, source, htmltext.Options{MaxBytes: 1 << 20,
		Resolve: func(htmltext.Reference) (none htmltext.Target) {
			after++
			cancel()
			return none
		}})
	if !errors.Is(err, context.Canceled) || after > 5_000 {
		t.Errorf("%v after %d links", err, after)
	}
}
