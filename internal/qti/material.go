package qti

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/openlectern/openlectern/internal/safexml"
)

// markup matches a text that was written as HTML, although its type is not said.
var markup = regexp.MustCompile(`(?i)^\s*<(p|div|span|table|ul|ol|h[1-6]|pre|font|br|img|b|i|em|` +
	`strong|code|sub|sup)\b[^<>]*>|</(p|div|span|table|ul|ol|pre|font|em|strong|code|sub|sup|b|i)>|` +
	`<br\s*/?>`)

// texts are the texts of materials, and whether there are media beside them.
type texts struct {
	parts    []string
	hasMedia bool
}

func (t *texts) add(text string) {
	if text != "" {
		t.parts = append(t.parts, text)
	}
}

// String returns the texts, each on a line of its own.
func (t *texts) String() string { return strings.Join(t.parts, "\n") }

// addMaterial adds what a material shows, and what is in it.
func (in *reading) addMaterial(e *safexml.Element, to *texts) {
	for _, c := range e.Children() {
		switch c.Name {
		case "mattext", "matemtext", "mat_formattedtext":
			text, hasMedia := in.mattext(c)
			to.add(text)
			to.hasMedia = to.hasMedia || hasMedia
		case "matimage", "mataudio", "matvideo", "matapplet", "matapplication":
			to.hasMedia = true
		case "altmaterial", "render_extension", "response_extension":
		default:
			in.addMaterial(c, to)
		}
	}
}

// blockText returns what a block of materials shows.
func (in *reading) blockText(e *safexml.Element) string {
	var t texts
	in.addMaterial(e, &t)
	return t.String()
}

// mattext returns the plain text of a material. A text without a type may be HTML. Sakai says of
// HTML that it is plain, in an encoding that does not exist.
func (in *reading) mattext(e *safexml.Element) (text string, hasMedia bool) {
	if e.HasElements() { // XHTML that is not escaped
		return in.html(e.Markup())
	}
	text = e.Text()
	kind := strings.ToLower(e.Attr("texttype") + e.Attr("type"))
	isPlain := strings.Contains(kind, "plain") && !strings.EqualFold(e.Attr("charset"), "ascii-us")
	if strings.Contains(kind, "html") || !isPlain && markup.MatchString(text) {
		return in.html(text)
	}
	if kind == "" {
		text = withoutIndent(text)
	}
	return text, false
}

// withoutIndent returns a text on one line if all its lines but the first are indented, as programs
// write long texts in XML. Lines of code are not all indented.
func withoutIndent(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) == 1 {
		return text
	}
	for _, l := range lines[1:] {
		if strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "\t") && !strings.HasPrefix(l, "   ") {
			return text
		}
	}
	return line(text)
}

// html returns the plain text of HTML.
func (in *reading) html(source string) (text string, hasMedia bool) {
	text, hasMedia, why, err := plain(in.b, source)
	in.unread = cmp.Or(in.unread, why)
	if in.err == nil {
		in.err = err
	}
	return text, hasMedia
}
