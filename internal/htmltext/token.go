package htmltext

import (
	"html"
	"strings"
)

// tokenKind is the kind of a token.
type tokenKind int

const (
	endOfSource tokenKind = iota
	textToken
	startTag
	endTag
)

// token is a part of a source.
type token struct {
	kind  tokenKind
	name  string // of a tag, in lower case
	text  string // without character references
	attrs []attr // the known ones of a start tag; valid until the next token
	// isEmpty is whether a start tag ends with a slash.
	isEmpty bool
}

// attr is an attribute whose name is one of knownAttrs.
type attr struct{ name, value string }

// knownAttrs are the attributes that are read. All others are passed over, so that a tag with a
// million of them needs no memory for them.
var knownAttrs = map[string]string{}

func init() {
	for _, name := range []string{"href", "src", "data", "alt", "title", "start", "value", "class",
		"style", "hidden", "type", "colspan", "rowspan", "encoding", "display", "open", "close",
		"separators", "data-equation-content", "data-mathml", "xmlns", "charset", "content",
		"http-equiv", "srcdoc", "cite"} {
		knownAttrs[name] = name
	}
}

// maxName is the length of the longest name of a tag or attribute that is told from others.
const maxName = 32

// tokenizer splits a source into tokens. Each byte is looked at a fixed number of times.
type tokenizer struct {
	source string
	at     int
	attrs  []attr
	// isMissing has the names of elements whose end tag does not occur any more.
	isMissing map[string]bool
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// next returns the next token. Comments, declarations and instructions are passed over.
func (z *tokenizer) next() token {
	for z.at < len(z.source) {
		rest := z.source[z.at:]
		if n := textLength(rest); n > 0 {
			z.at += n
			return token{kind: textToken, text: unescape(rest[:n])}
		}
		switch {
		case strings.HasPrefix(rest, "<!--"):
			z.skipComment()
		case strings.HasPrefix(rest, "<![CDATA["):
			rest = rest[len("<![CDATA["):]
			text, _, found := strings.Cut(rest, "]]>")
			if z.at = len(z.source) - len(rest) + len(text); found {
				z.at += len("]]>")
			}
			if text != "" {
				return token{kind: textToken, text: text}
			}
		case rest[1] == '!' || rest[1] == '?', rest[1] == '/' && !isLetter(rest[2]):
			z.skipPast(">")
		case rest[1] == '/':
			z.at += len("</")
			t := token{kind: endTag, name: z.name()}
			z.readAttrs(&t)
			return t
		default:
			z.at += len("<")
			t := token{kind: startTag, name: z.name()}
			z.readAttrs(&t)
			return t
		}
	}
	return token{}
}

// textLength returns how many bytes there are before the next tag or declaration.
func textLength(s string) int {
	for i := 0; ; i++ {
		next := strings.IndexByte(s[i:], '<')
		if next < 0 {
			return len(s)
		}
		i += next
		switch rest := s[i+1:]; {
		case rest == "":
			return len(s)
		case isLetter(rest[0]), rest[0] == '!', rest[0] == '?':
			return i
		case rest[0] == '/' && len(rest) > 1:
			return i
		}
	}
}

// skipPast moves behind the next occurrence of a text, or to the end.
func (z *tokenizer) skipPast(text string) {
	if i := strings.Index(z.source[z.at:], text); i >= 0 {
		z.at += i + len(text)
	} else {
		z.at = len(z.source)
	}
}

// skipComment moves behind a comment. <!--> and <!---> are whole ones.
func (z *tokenizer) skipComment() {
	rest := z.source[z.at+len("<!--"):]
	for _, short := range []string{">", "->"} {
		if strings.HasPrefix(rest, short) {
			z.at += len("<!--") + len(short)
			return
		}
	}
	z.at += len("<!--")
	z.skipPast("-->")
}

// name reads the name of a tag.
func (z *tokenizer) name() string {
	start := z.at
	for z.at < len(z.source) && !isSpace(z.source[z.at]) && z.source[z.at] != '/' &&
		z.source[z.at] != '>' {
		z.at++
	}
	return lower(z.source[start:z.at])
}

// lower returns a name in lower case. All long names are the same.
func lower(name string) string {
	if len(name) > maxName {
		return "-"
	}
	return strings.ToLower(name)
}

// readAttrs reads the rest of a tag.
func (z *tokenizer) readAttrs(t *token) {
	z.attrs = z.attrs[:0]
	for z.at < len(z.source) {
		switch c := z.source[z.at]; {
		case isSpace(c):
			z.at++
		case c == '/':
			z.at++
			t.isEmpty = z.at < len(z.source) && z.source[z.at] == '>'
		case c == '>':
			z.at++
			t.attrs = z.attrs
			return
		default:
			z.readAttr()
		}
	}
	// A tag that the source does not end is none.
	t.kind = endOfSource
}

// readAttr reads an attribute. Of two with the same name the first one counts.
func (z *tokenizer) readAttr() {
	start := z.at
	for z.at++; z.at < len(z.source); z.at++ {
		if c := z.source[z.at]; isSpace(c) || c == '/' || c == '>' || c == '=' {
			break
		}
	}
	name, isKnown := knownAttrs[lower(z.source[start:z.at])]
	for z.at < len(z.source) && isSpace(z.source[z.at]) {
		z.at++
	}
	value := ""
	if z.at < len(z.source) && z.source[z.at] == '=' {
		z.at++
		value = z.readValue()
	}
	for _, a := range z.attrs { // there are at most as many as known ones
		isKnown = isKnown && a.name != name
	}
	if isKnown {
		z.attrs = append(z.attrs, attr{name: name, value: unescapeValue(value)})
	}
}

// readValue reads the value of an attribute.
func (z *tokenizer) readValue() string {
	for z.at < len(z.source) && isSpace(z.source[z.at]) {
		z.at++
	}
	if z.at == len(z.source) {
		return ""
	}
	start := z.at
	if quote := z.source[z.at]; quote == '"' || quote == '\'' {
		z.skipPast(z.source[z.at : z.at+1]) // the opening one
		z.skipPast(string(rune(quote)))
		return strings.TrimSuffix(z.source[start+1:z.at], string(rune(quote)))
	}
	for z.at < len(z.source) && !isSpace(z.source[z.at]) && z.source[z.at] != '>' {
		z.at++
	}
	return z.source[start:z.at]
}

// raw reads the text of an element in which tags do not count, up to its end tag, and passes over
// that. If the end tag is missing, found is false and nothing is read.
func (z *tokenizer) raw(name string) (text string, found bool) {
	if z.isMissing[name] {
		return "", false
	}
	rest := z.source[z.at:]
	for i := 0; ; i++ {
		next := strings.Index(rest[i:], "</")
		if next < 0 {
			break
		}
		i += next
		end := i + len("</") + len(name)
		if end < len(rest) && strings.EqualFold(rest[i+len("</"):end], name) &&
			(isSpace(rest[end]) || rest[end] == '>' || rest[end] == '/') {
			z.at += end
			z.skipPast(">")
			return rest[:i], true
		}
	}
	if z.isMissing == nil {
		z.isMissing = map[string]bool{}
	}
	z.isMissing[name] = true
	return "", false
}

// unescape replaces the character references of a text.
func unescape(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return html.UnescapeString(s)
}

// unescapeValue replaces the character references of the value of an attribute. Those without a
// semicolon stay, because addresses have parameters such as &copy=1.
func unescapeValue(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		n := referenceLength(s[i:])
		if n == 0 {
			n = 1
			b.WriteByte('&')
		} else {
			b.WriteString(html.UnescapeString(s[i : i+n]))
		}
		s = s[i+n:]
	}
	b.WriteString(s)
	return b.String()
}

// referenceLength returns the length of the character reference at the beginning of s, with its
// semicolon, or 0 if there is none.
func referenceLength(s string) int {
	for i := 1; i < len(s) && i <= maxName; i++ {
		switch c := s[i]; {
		case c == ';' && i > 1:
			return i + 1
		case isLetter(c), '0' <= c && c <= '9', c == '#' && i == 1:
		default:
			return 0
		}
	}
	return 0
}
