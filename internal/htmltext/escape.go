package htmltext

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// words writes a text of the segment with an index, so that Markdown does not take any of its signs
// for its own. It escapes only those that would be.
func (e *encoder) words(text []byte, i int) {
	if e.isLineStart {
		text = e.lineBegin(text, i)
	}
	isLast := i+1 == len(e.segments) || e.segments[i+1].kind == lineEnd && e.at != inCell
	isTag := false // after a sign that would begin a tag, its end is escaped too, for readers
	read := 0      // where what was read for an address has ended, which is not read again
	for at := 0; at < len(text); {
		if e.openLink == 0 && at >= read {
			n, end := addressAt(text, at)
			if read = end; n > 0 {
				e.verbatim([]byte(bareAddress(string(text[at : at+n]))))
				at += n
				continue
			}
		}
		c, size := utf8.DecodeRune(text[at:])
		switch c {
		case '*', '_', '~':
			size = e.delimiters(text, at, isLast)
		case '\\', '`', '<', '>', '&', '[', ']', '!', '|':
			switch isEscaped := e.isEscaped(text, at, i, isLast) || c == '>' && isTag; {
			case isEscaped && c == '<':
				e.out, isTag = append(e.out, "&lt;"...), true
			case isEscaped && c == '>':
				e.out, isTag = append(e.out, "&gt;"...), false
			case isEscaped:
				e.out = append(e.out, '\\', byte(c))
			default:
				e.out = append(e.out, byte(c))
			}
		default:
			e.out = append(e.out, text[at:at+size]...)
		}
		at += size
	}
}

// isEscaped reports whether a sign has a meaning where it stands.
func (e *encoder) isEscaped(text []byte, at, i int, isLast bool) bool {
	isEnd := at+1 == len(text)
	var next byte
	if !isEnd {
		next = text[at+1]
	}
	switch text[at] {
	case '\\':
		return isEnd || isASCIIPunct(next) || addressLength(text, at+1) > 0
	case '`':
		return true
	case '>':
		return false
	case '<':
		return isEnd && !isLast || isLetter(next) || next == '/' || next == '!' || next == '?'
	case '&':
		return referenceLength(string(text[at:min(len(text), at+maxName+2)])) > 0
	case '[':
		return e.openLink != 0
	case ']':
		return e.openLink != 0 || isEnd && !isLast || next == '(' || next == '[' || next == ':'
	case '!': // before a link it would make that a picture
		return isEnd && !isLast && e.segments[i+1].link != e.openLink && e.startsApart(i+1)
	}
	return e.at == inCell // a line between cells
}

// startsApart reports whether the segment with an index begins without a space.
func (e *encoder) startsApart(i int) bool { return e.buffer[e.segments[i].start] != ' ' }

func isASCIIPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

// delimiters writes a run of equal signs that can mark a text, and returns its length. It escapes
// them if they could begin a mark, or end one that is open.
func (e *encoder) delimiters(text []byte, at int, isLast bool) int {
	c, end := text[at], at
	for end < len(text) && text[end] == c {
		end++
	}
	before, _ := utf8.DecodeLastRune(e.out)
	if len(e.out) == 0 || e.isLineStart && at == 0 {
		before = ' '
	}
	after := ' '
	if end < len(text) {
		after, _ = utf8.DecodeRune(text[end:])
	} else if !isLast {
		after = '*' // perhaps a mark
	}
	beginsLeft := !isBlankRune(after) && (!isPunct(after) || isBlankRune(before) || isPunct(before))
	endsRight := !isBlankRune(before) && (!isPunct(before) || isBlankRune(after) || isPunct(after))
	isEscaped := beginsLeft || endsRight
	switch c {
	case '_': // which marks nothing within a word, and is never written as a mark
		isEscaped = beginsLeft && (!endsRight || isPunct(before))
	case '~':
		isEscaped = endsRight || beginsLeft && (end-at > 1 || e.hasStruck)
	}
	for range end - at {
		if isEscaped {
			e.out = append(e.out, '\\')
		}
		e.out = append(e.out, c)
	}
	return end - at
}

// lineBegin writes the signs at the beginning of a line that have a meaning only there, and returns
// the rest of the text.
func (e *encoder) lineBegin(text []byte, i int) []byte {
	end := func(n int) bool { // a space or the end of the line is after n bytes
		if n < len(text) {
			return text[n] == ' '
		}
		return i+1 == len(e.segments) || e.segments[i+1].kind == lineEnd ||
			e.buffer[e.segments[i+1].start] == ' '
	}
	isEscaped := false
	switch c := text[0]; {
	case c == '#':
		signs := len(text) - len(strings.TrimLeft(string(text[:min(len(text), 7)]), "#"))
		signs = min(len(text), 7) - (len(text) - signs)
		isEscaped = signs <= 6 && end(signs)
	case c == '>', c == '|', c == '=' && e.isLaterLine:
		isEscaped = true
	case c == '+':
		isEscaped = end(1)
	case c == '[': // a definition, whose end may be in code
		isEscaped = e.defines
	case c == '-', c == ':':
		isEscaped = c == '-' && end(1) || len(text) > 1 && text[1] == '-'
	case c == '*', c == '_', c == '~':
		isEscaped = end(1) || len(text) > 1 && (text[1] == c || text[1] == ' ')
	case c >= '0' && c <= '9':
		digits := 1
		for digits < len(text) && digits < 10 && text[digits] >= '0' && text[digits] <= '9' {
			digits++
		}
		if digits < len(text) && (text[digits] == '.' || text[digits] == ')') && end(digits+1) {
			e.out = append(append(e.out, text[:digits]...), '\\', text[digits])
			e.isLineStart = false
			return text[digits+1:]
		}
	}
	if isEscaped {
		e.out = append(e.out, '\\', text[0])
		e.isLineStart = false
		return text[1:]
	}
	return text
}

// addressLength returns the length of the web address that begins at a place of a text, or 0.
func addressLength(text []byte, at int) int {
	length, _ := addressAt(text, at)
	return length
}

// addressAt is addressLength, and returns the end of what was read for it too.
func addressAt(text []byte, at int) (length, read int) {
	if text[at] != 'h' || at > 0 && (isLetter(text[at-1]) || text[at-1] >= '0' && text[at-1] <= '9') {
		return 0, at
	}
	rest := string(text[at:min(len(text), at+len("https://"))])
	if !strings.HasPrefix(rest, "http://") && !strings.HasPrefix(rest, "https://") {
		return 0, at
	}
	end := at
	for end < len(text) && text[end] > ' ' && strings.IndexByte("<>\"`\\|^{}", text[end]) < 0 {
		if text[end] >= utf8.RuneSelf {
			if c, _ := utf8.DecodeRune(text[end:]); isBlankRune(c) {
				break
			}
		}
		end++
	}
	read = end
	// Punctuation at the end is that of the text, and so is a bracket that is not opened.
	opened, closed := 0, 0
	for _, c := range text[at:end] {
		switch c {
		case '(':
			opened++
		case ')':
			closed++
		}
	}
	for end > at {
		c := text[end-1]
		if c == ')' && closed > opened {
			closed--
		} else if !strings.ContainsRune(".,;:!?'*_~]}", rune(c)) {
			break
		}
		end--
	}
	if end-at <= len("https://") || hasReference(text[at:min(len(text), end+1)]) {
		return 0, read
	}
	return end - at, read
}

// hasReference reports whether a text has a character reference.
func hasReference(text []byte) bool {
	return bytes.IndexByte(text, ';') >= 0 && escapeReferences(string(text)) != string(text)
}

// encodedAddress returns an address without the characters that end one.
func encodedAddress(address string) string {
	isOther := func(c rune) bool {
		return c <= ' ' || c == 0x7f || c == '<' || c == '>' || c == '"' || c == '\\' || c == '`' ||
			c == '\u00a0' || c == utf8.RuneError
	}
	if !strings.ContainsFunc(address, isOther) {
		return address
	}
	var b strings.Builder
	for _, c := range address {
		if !isOther(c) {
			b.WriteRune(c)
			continue
		}
		for _, octet := range []byte(string(c)) {
			fmt.Fprintf(&b, "%%%02X", octet)
		}
	}
	return b.String()
}

// destination returns an address as that of a link.
func destination(address string) string {
	address = encodedAddress(address)
	depth := 0
	for _, c := range []byte(address) {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			break
		}
	}
	address = escapeReferences(address)
	if depth != 0 || address == "" {
		return "<" + address + ">"
	}
	return address
}

// escapeReferences escapes the ampersands of an address that would begin a character reference.
func escapeReferences(s string) string {
	if !strings.Contains(s, ";") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '&' && referenceLength(s[i:min(len(s), i+maxName+2)]) > 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// bareAddress returns an address as it stands in a text: as it is if no program would change it, or
// else between angle brackets, which keep each sign.
func bareAddress(address string) string {
	address = encodedAddress(address)
	isPlain := strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
	for i, c := range []byte(address) {
		isEdge := i == 0 || i+1 == len(address)
		switch {
		case isLetter(c), c >= '0' && c <= '9', c == '/' && i > 0, c == '-', c == '=':
		case strings.IndexByte(".:?&%#+,@", c) >= 0 && !isEdge:
		case c == '_' && !isEdge && isWordByte(address[i-1]) && isWordByte(address[i+1]):
		default:
			isPlain = false
		}
	}
	if hasReference([]byte(address)) {
		address = strings.ReplaceAll(address, ";", "%3B")
	}
	if isPlain {
		return address
	}
	return "<" + address + ">"
}

func isWordByte(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '_' }
