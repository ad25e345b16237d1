package plaintext_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/plaintext"
)

func TestLines(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want string // lines
	}{
		"plain text":               {"Read on.\nTry again.", "Read on.\nTry again."},
		"nothing":                  {" \n\t\n", ""},
		"bullets":                  {"• One.\n• Two.", "One.\nTwo."},
		"a bullet without a blank": {"•One.", "One."},
		"lists": {"- One.\n* Two.\n+ Three.\n– Four.",
			"One.\nTwo.\nThree.\nFour."},
		"nested lists":           {"- One.\n  - Two.\n\t* Three.", "One.\nTwo.\nThree."},
		"a bullet inside a list": {"- • One.", "One."},
		"numbers":                {"1. One.\n2) Two.\n(3) Three.", "One.\nTwo.\nThree."},
		"a year is no number of a list": {"2026 is a year.\n3.5 is a number.",
			"2026 is a year.\n3.5 is a number."},
		"check boxes": {"- [ ] One.\n- [x] Two.", "One.\nTwo."},
		"emphasis": {
			"**One** and *two* and __three__ and _four_ and ***five***, ~~six~~.",
			"One and two and three and four and five, six."},
		"emphasis in words": {"**Over**view, snake_case_name, 2 * 3 * 4 and a_b.",
			"Overview, snake_case_name, 2 * 3 * 4 and a_b."},
		"code": {"Use `x*y*z`, `__init__` and ``a_b``.",
			"Use x*y*z, __init__ and a_b."},
		"links": {
			"See [the book](https://example.org/a_(b) \"Title\") and ![a picture](x.png) at " +
				"<https://example.org>.", "See the book and a picture at https://example.org."},
		"brackets that are no link": {"Use a[i] and f(x).", "Use a[i] and f(x)."},
		"escapes": {`\*not emphasis\* and \# and 50\% and C:\dir.`,
			`*not emphasis* and # and 50% and C:\dir.`},
		"HTML": {"<b>One</b><br/>two, List<String> and a < b.",
			"One two, List<String> and a < b."},
		"quotes":                         {"> One.\n> > Two.", "One.\nTwo."},
		"headings":                       {"# Advice\n\nOne.\n\n## More ##\n- Two.", "One.\nTwo."},
		"only a heading":                 {"## Read the chapter ##", "Read the chapter"},
		"an underlined heading and rule": {"One\n===\n\nTwo\n---\n***\nThree", "One\nTwo\nThree"},
		"an introduction":                {"**Here is what helps:**\n\n1. One.", "One."},
		"a heading and an introduction":  {"# Advice\nThis helps:\n- One.", "One."},
		"only an introduction":           {"Read this:", "Read this:"},
		"an item that ends with a colon": {"- Loops:\n- Maps.", "Loops:\nMaps."},
		"a continued line":               {"- One\n  goes on.\n- Two.", "One goes on.\nTwo."},
		"a code block":                   {"One:\n```go\nx := 1\n```\nTwo.", "x := 1\nTwo."},
		"a table": {"| Topic | Page |\n|---|:-:|\n| Loops | 3 |",
			"Topic, Page\nLoops, 3"},
		"Windows line ends": {"One.\r\nTwo.\rThree.", "One.\nTwo.\nThree."},
		"a JSON array":      {`["One.", "**Two.**", 3, null]`, "One.\nTwo."},
		"a JSON object":     {`{"recommendations":["- One.","Two."]}`, "One.\nTwo."},
		"JSON in a fence":   {"```json\n[\"One.\"]\n```", "One."},
		"JSON objects in an array": {
			`[{"title":"Loops","reason":"Three were wrong."},{"title":"Maps"}]`,
			"Loops: Three were wrong.\nMaps"},
		"no JSON":             {"[One] is [two].", "[One] is [two]."},
		"JSON without a text": {`{"a":[]}`, ""},
		"another script": {"1. **Читайте** главу.\n2. 再読する。",
			"Читайте главу.\n再読する。"},
		"a zero byte": {"a\x00b `c`", "ab c"},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.Split(test.want, "\n")
			if test.want == "" {
				want = nil
			}
			if got := plaintext.Lines(test.text); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	f.Add("**a** [b](c) `d` \\* \n- e\n{\"a\":[\"b\"]}")
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range plaintext.Lines(text) {
			if line == "" || strings.ContainsAny(line, "\n\r\x00") ||
				line != strings.TrimSpace(line) {
				t.Errorf("line %q of %q", line, text)
			}
		}
	})
}
