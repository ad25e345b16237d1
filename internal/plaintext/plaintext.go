// Package plaintext turns Markdown, or JSON that holds it, into lines of plain text, for
// clients that print a text as it is. It is made for the answers of language models,
// which use Markdown even when they are told not to. It is no Markdown parser: it
// removes only what cannot be meant literally, so that 2 * 3, snake_case and List<T>
// stay.
package plaintext

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Lines returns the lines of a text without Markdown: without the markers of lists,
// headings, quotes, tables and code, without emphasis, link targets and backslash
// escapes. Blanks are collapsed, and blank lines left out. An indented line continues
// the line before it. A text that is a JSON array or object stands for the strings in
// it. Headings are left out if other lines remain, and so is a first line that ends with a
// colon, unless it is an item of a list.
func Lines(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	// The strings of JSON are Markdown too, and may have several lines each.
	if values, ok := jsonStrings(text); ok {
		text = strings.Join(values, "\n")
	}
	lines := join(parse(text))
	// Leave out headings, and then an introduction such as "Here are the topics:", if lines remain.
	if rest := slices.DeleteFunc(slices.Clone(lines),
		func(l line) bool { return l.heading }); len(rest) > 0 {
		lines = rest
	}
	if len(lines) > 1 && !lines[0].item && endsWithColon(lines[0].text) {
		lines = lines[1:]
	}
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.text
	}
	return texts
}

// endsWithColon reports whether s ends with a colon, also with the wide one of Chinese texts.
func endsWithColon(s string) bool { return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") }

// line is a line of Markdown without its markers.
type line struct {
	text    string
	heading bool
	item    bool // of a list
	indent  bool // it began with blanks, and is neither a heading nor an item
}

var (
	// a line of -, * or _, a line of = under a heading, or the line under the head of a table
	rule = regexp.MustCompile(
		`^\s*(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|=+|[\s|:-]*\|[\s|:-]*)$`)
	codeFence   = regexp.MustCompile("^\\s*(?:`{3,}[^`]*|~{3,}.*)$")
	headingMark = regexp.MustCompile(`^\s*#{1,6}\s+`)
	quoteMark   = regexp.MustCompile(`^\s*>\s?`)
	// a number has at most three digits, so that a year at the beginning of a line stays
	itemMark = regexp.MustCompile(
		`^\s*(?:[-*+•·‣▪●○–—]\s+|[•‣▪●]|\(?\d{1,3}[.)]\s+|\[[ xX]\]\s+)`)
	closedHash = regexp.MustCompile(`\s+#+\s*$`) // of a heading that is marked at its end too
)

// parse returns the lines of a text of Markdown without their markers. It leaves out rules, the
// fences around code, of which the code itself stays, and lines that are blank without markers.
func parse(text string) (lines []line) {
	for raw := range strings.SplitSeq(text, "\n") {
		if rule.MatchString(raw) || codeFence.MatchString(raw) {
			continue
		}
		if l := parseLine(raw); l.text != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// parseLine returns a line without its markers and without the Markdown inside it. It removes one
// marker after another from the beginning, because a quote may have a heading or an item inside.
// The text of the result may be "".
func parseLine(raw string) (l line) {
	l.indent = strings.HasPrefix(raw, " ") || strings.HasPrefix(raw, "\t")
	for {
		var rest string
		switch {
		case quoteMark.MatchString(raw):
			rest = quoteMark.ReplaceAllString(raw, "")
		case headingMark.MatchString(raw):
			l.heading = true
			rest = headingMark.ReplaceAllString(raw, "")
			rest = closedHash.ReplaceAllString(rest, "")
		case itemMark.MatchString(raw):
			l.item = true
			rest = itemMark.ReplaceAllString(raw, "")
		default: // no marker is left
			l.text = strings.Join(strings.Fields(inline(cells(raw))), " ")
			l.indent = l.indent && !l.item && !l.heading
			return l
		}
		raw = rest
	}
}

// cells separates the cells of a table's row by commas, without empty ones. It returns a line that
// is no such row unchanged.
func cells(s string) string {
	row := strings.TrimSpace(s)
	if len(row) < 2 || row[0] != '|' || row[len(row)-1] != '|' {
		return s
	}
	parts := strings.Split(row[1:len(row)-1], "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// join appends each indented line to the line before it, unless that is a heading, which Lines
// leaves out.
func join(lines []line) (joined []line) {
	for _, l := range lines {
		if n := len(joined); l.indent && n > 0 && !joined[n-1].heading {
			joined[n-1].text += " " + l.text
		} else {
			joined = append(joined, l)
		}
	}
	return joined
}

// inlineRule replaces Markdown inside a line. Emphasis has no blank inside of its markers;
// emphasis with _ has no letter or digit outside of them either.
type inlineRule struct {
	find    *regexp.Regexp
	replace string
}

var inlineRules = []inlineRule{
	// Tags of HTML. Others stay, because List<T> is no HTML.
	{regexp.MustCompile(`(?i)<br\s*/?>`), " "},
	{regexp.MustCompile(`(?i)</?(?:b|i|em|strong|u|p|code|li|ul|ol|span|div|h[1-6])>`), ""},
	// An image, then a link: the text in brackets stays. Images are first, because without its
	// exclamation mark an image is a link.
	{regexp.MustCompile(`!\[([^\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)`), "$1"},
	{regexp.MustCompile(`\[([^\]]+)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)`), "$1"},
	// A URL between < and >.
	{regexp.MustCompile(`<(https?://[^\s<>]+)>`), "$1"},
	// Emphasis with * and with _, which may be part of a name such as snake_case.
	{regexp.MustCompile(`\*{1,3}([^\s*](?:[^*]*[^\s*])?)\*{1,3}`), "$1"},
	{regexp.MustCompile(`(^|[^\pL\pN_])_{1,3}([^\s_](?:[^_]*[^\s_])?)_{1,3}($|[^\pL\pN_])`),
		"$1$2$3"},
	// Deleted text.
	{regexp.MustCompile(`~~([^~]+)~~`), "$1"},
}

// code finds a span of code, whose text is literal, or an escaped character.
var code = regexp.MustCompile("`+([^`]+)`+|\\\\([!-/:-@\\[-`{-~])")

// inline removes the Markdown inside a line. Spans of code and escaped characters are
// taken out before the other rules, because their text is literal.
func inline(s string) string {
	var literal []string
	s = strings.ReplaceAll(s, "\x00", "") // which is about to mark where a literal text was
	s = code.ReplaceAllStringFunc(s, func(found string) string {
		groups := code.FindStringSubmatch(found)
		literal = append(literal, groups[1]+groups[2]) // one of them is empty
		return "\x00"
	})
	for _, r := range inlineRules {
		s = r.find.ReplaceAllString(s, r.replace)
	}
	for _, text := range literal { // each in its place, which U+0000 holds
		s = strings.Replace(s, "\x00", text, 1)
	}
	return s
}

// jsonStrings returns the strings of a JSON array or object, with or without a code
// fence around it. The strings of one object inside an array belong together, and are
// one of the values. ok is false if text is anything else.
func jsonStrings(text string) (values []string, ok bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "```") {
		_, text, _ = strings.Cut(text, "\n") // without the fence and the name of a language
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
	}
	var tree any
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") ||
		json.Unmarshal([]byte(text), &tree) != nil {
		return nil, false
	}
	const inArray = false // the whole is not an element of an array
	values = leaves(json.NewDecoder(strings.NewReader(text)), nil, inArray)
	return values, true
}

// leaves reads one valid JSON value, and returns all with the strings in it appended, in their
// order and without the names of fields. inArray says that the value is an element of an array: the
// strings of an object there become one string.
func leaves(dec *json.Decoder, all []string, inArray bool) []string {
	token, err := dec.Token()
	if err != nil {
		return all
	}
	if s, ok := token.(string); ok {
		return append(all, s)
	}
	isObject := token == json.Delim('{')
	if !isObject && token != json.Delim('[') { // a number, a bool or null
		return all
	}
	var inside []string
	for dec.More() {
		if isObject {
			_, _ = dec.Token() // the name of a field
		}
		inside = leaves(dec, inside, !isObject)
	}
	_, _ = dec.Token() // the end
	if isObject && inArray && len(inside) > 1 {
		inside = []string{strings.Join(inside, ": ")}
	}
	return append(all, inside...)
}
