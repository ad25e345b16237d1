package htmltext

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// style is how a text is marked.
type style uint8

const (
	bold style = 1 << iota
	italic
	struck
	code
)

// marks are the styles that are marked by characters around a text, with these.
var marks = [...]struct {
	style style
	text  string
}{{bold, "**"}, {italic, "*"}, {struck, "~~"}}

// struckMark is the index of the mark of struck text.
const struckMark = 2

// segmentKind is the kind of a segment.
type segmentKind uint8

const (
	words    segmentKind = iota
	verbatim             // that is not escaped, such as a formula or a picture
	lineEnd
)

// segment is a part of a line. It may begin with one space, and does not end with one.
type segment struct {
	kind       segmentKind
	style      style
	link       int // number of its link, or 0
	start, end int // in the buffer
	// until has, for each mark, the segment after the last one in a row that is marked.
	until [len(marks)]int
}

// run is a line that is being read, with its styles. Styles belong to its segments, so that text is
// never marked twice and never without an end.
type run struct {
	segments []segment
	buffer   []byte
	links    []string // the addresses of the links, by their number less 1
	style    style    // of the next text
	link     int      // of the next text
	hasSpace bool     // a space is before the next text
	// isApart is whether the next text begins a segment of its own.
	isApart bool
}

// isBlank reports whether a line shows nothing.
func (r *run) isBlank() bool {
	for _, s := range r.segments {
		if s.kind == verbatim {
			return false
		}
	}
	return len(bytes.TrimSpace(r.buffer)) == 0 // also of spaces that do not break
}

// reset begins a new line.
func (r *run) reset() {
	r.segments, r.buffer, r.hasSpace, r.isApart = r.segments[:0], r.buffer[:0], false, false
	if cap(r.buffer) > 1<<16 { // after a long line
		r.segments, r.buffer = nil, nil
	}
}

// newLink returns the number of a link to an address.
func (r *run) newLink(address string) int {
	r.links = append(r.links, address)
	return len(r.links)
}

// addSegment begins a segment, with the space that is due before it.
func (r *run) addSegment(kind segmentKind) {
	start := len(r.buffer)
	if r.hasSpace {
		r.buffer = append(r.buffer, ' ')
	}
	s := segment{kind: kind, style: r.style, link: r.link, start: start, end: len(r.buffer)}
	r.segments, r.hasSpace, r.isApart = append(r.segments, s), false, false
}

// addText adds a text. White space becomes single spaces, or, in a text that is laid out, line ends
// count and other white space stays, except at the end of a line.
func (r *run) addText(s string, isLaidOut bool) {
	blanks := 0 // since the last character of a line that is laid out
	for len(s) > 0 {
		c, size := utf8.DecodeRuneInString(s)
		switch {
		case isLaidOut && c == '\n':
			r.addLineEnd()
			blanks = 0
		case isLaidOut && (c == ' ' || c == '\t' || c == '\u00a0'):
			blanks++
		case c < utf8.RuneSelf && isSpace(byte(c)):
			r.hasSpace = r.hasSpace || len(r.segments) > 0 && r.last().kind != lineEnd
		case unicode.IsControl(c):
		default:
			r.addBytes(strings.Repeat(" ", blanks) + s[:size])
			blanks = 0
		}
		s = s[size:]
	}
}

func (r *run) last() *segment { return &r.segments[len(r.segments)-1] }

// addBytes adds characters, the last of which is not a space, to the last segment, or to a new one
// if that has another style.
func (r *run) addBytes(c string) {
	n := len(r.segments)
	if n == 0 || r.isApart || r.last().kind != words || r.last().style != r.style ||
		r.last().link != r.link {
		r.addSegment(words)
	} else if r.hasSpace {
		r.buffer, r.hasSpace = append(r.buffer, ' '), false
	}
	r.buffer = append(r.buffer, c...)
	r.last().end = len(r.buffer)
}

// addVerbatim adds a text that is not escaped.
func (r *run) addVerbatim(s string) {
	if s == "" {
		return
	}
	r.addSegment(verbatim)
	r.buffer = append(r.buffer, s...)
	r.last().end = len(r.buffer)
}

// addLineEnd ends a line within a paragraph. Two ends in a row are an empty line, which a paragraph
// does not have.
func (r *run) addLineEnd() {
	r.hasSpace = false
	if len(r.segments) > 0 && r.last().kind != lineEnd {
		r.segments = append(r.segments, segment{kind: lineEnd, start: len(r.buffer), end: len(r.buffer)})
	}
}

// place says how a run is written.
type place int

const (
	inParagraph place = iota
	inHeading
	inCell
)

// writeRun writes the open line, and begins a new one.
func (w *writer) writeRun(at place) {
	defer w.reset()
	if n := len(w.segments); n > 0 && w.last().kind == lineEnd {
		w.segments = w.segments[:n-1]
	}
	if !w.step(len(w.buffer) + 8*len(w.segments)) {
		return
	}
	if w.isPlain {
		w.writePlain(at)
		return
	}
	w.findEnds()
	e := encoder{writer: w, at: at, isLineStart: at == inParagraph,
		defines: bytes.Contains(w.buffer, []byte("]:"))}
	for i := range w.segments {
		e.hasStruck = e.hasStruck || w.segments[i].style&struck != 0
	}
	for i := range w.segments {
		if e.segment(i); !w.step(0) {
			return
		}
	}
	e.closeAll()
	if at == inHeading { // signs at its end would be taken for an end of the heading
		w.out = escapeHeadingEnd(w.out)
	}
}

// findEnds finds for each segment where its styles end. Styles end with a line and with a link.
func (w *writer) findEnds() {
	for i := len(w.segments) - 1; i >= 0; i-- {
		s := &w.segments[i]
		for m := range marks {
			s.until[m] = i + 1
			if i+1 < len(w.segments) {
				next := &w.segments[i+1]
				isSame := next.kind != lineEnd && next.link == s.link
				if isSame && next.style&marks[m].style != 0 {
					s.until[m] = next.until[m]
				}
			}
		}
	}
}

// writePlain writes the open line as plain text.
func (w *writer) writePlain(at place) {
	link, start := 0, len(w.out)
	closeLink := func(next int) {
		if link != 0 && link != next && w.step(len(w.links[link-1])) {
			w.out = append(append(append(w.out, " ("...), encodedAddress(w.links[link-1])...), ')')
		}
		link = next
	}
	for _, s := range w.segments {
		if w.err != nil {
			return
		}
		if s.kind == lineEnd {
			closeLink(0)
			if at == inParagraph {
				w.out = append(w.out, '\n')
				w.startLine()
			} else {
				w.out = append(w.out, ' ')
			}
			continue
		}
		closeLink(s.link)
		w.out = append(w.out, w.buffer[s.start:s.end]...)
	}
	closeLink(0)
	w.out = append(w.out[:start], plainSpaces(w.out[start:])...)
}

// plainSpaces returns lines with plain spaces in place of those that do not break. Several of these
// at the beginning of a line indent it, and else they are one.
func plainSpaces(lines []byte) []byte {
	if !bytes.Contains(lines, []byte("\u00a0")) {
		return lines
	}
	var out []byte
	for i, line := range strings.Split(string(lines), "\n") {
		if i > 0 {
			out = append(out, '\n')
		}
		text := strings.TrimLeft(line, " \u00a0")
		if indent := utf8.RuneCountInString(line[:len(line)-len(text)]); indent > 1 {
			out = append(out, strings.Repeat(" ", indent)...)
		}
		out = append(out, oneLine(text)...)
	}
	return out
}

// escapeHeadingEnd escapes the last sign of a heading that ends with signs after a space.
func escapeHeadingEnd(line []byte) []byte {
	end := len(line)
	for end > 0 && line[end-1] == '#' {
		end--
	}
	if end < len(line) && end > 0 && line[end-1] == ' ' {
		line = append(line[:len(line)-1], `\#`...)
	}
	return line
}

// openMark is a mark that was opened, and the index of the segment before which it ends.
type openMark struct{ mark, until int }

// encoder writes the segments of a line as Markdown.
type encoder struct {
	*writer
	at          place
	open        []openMark // the innermost last
	isRefused   [len(marks)]bool
	openedAt    int // where a mark was opened last
	codeAt      int // where a code has ended last
	openLink    int
	closedAt    int  // where a mark was closed last
	defines     bool // whether the line has what would end the label of a definition
	isLineStart bool // only at the beginning of a line, other signs have a meaning
	isLaterLine bool
	hasStruck   bool // a part of the line is struck
}

// closeMarks closes the marks that end before the segment with an index.
func (e *encoder) closeMarks(i int) {
	for n := len(e.open); n > 0 && e.open[n-1].until <= i; n-- {
		e.out = append(e.out, marks[e.open[n-1].mark].text...)
		e.closedAt = len(e.out)
		e.open = e.open[:n-1]
	}
}

// closeAll closes all marks and the link.
func (e *encoder) closeAll() {
	e.closeMarks(len(e.segments))
	if e.openLink != 0 {
		e.out = append(append(append(e.out, "]("...), destination(e.links[e.openLink-1])...), ')')
		e.openLink = 0
	}
}

// segment writes the segment with an index.
func (e *encoder) segment(i int) {
	s := e.segments[i]
	if s.kind == lineEnd {
		e.lineEnd()
		return
	}
	if s.link != e.openLink {
		e.closeAll()
	}
	e.closeMarks(i)
	text := e.buffer[s.start:s.end]
	if len(text) > 0 && text[0] == ' ' && !e.isLineStart {
		e.out, text = append(e.out, ' '), text[1:]
	} else if len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	if s.link != e.openLink {
		e.out = append(e.out, '[')
		e.openLink, e.isLineStart = s.link, false
	}
	e.openMarks(i, text)
	switch {
	case s.kind == verbatim:
		e.verbatim(text)
	case s.style&code != 0:
		e.code(text)
	default:
		e.words(text, i)
	}
	e.isLineStart = false
}

func (e *encoder) isOpen(m int) bool {
	for _, o := range e.open {
		if o.mark == m {
			return true
		}
	}
	return false
}

// lineEnd ends a line.
func (e *encoder) lineEnd() {
	e.closeAll()
	switch e.at {
	case inParagraph:
		e.out = append(e.out, "  \n"...)
		e.startLine()
		e.isLineStart, e.isLaterLine = true, true
	case inHeading:
		e.out = append(e.out, ' ')
	case inCell: // which has one line
		if last, _ := utf8.DecodeLastRune(e.out); !strings.ContainsRune(".,;:!?…", last) {
			e.out = append(e.out, ';')
		}
		e.out = append(e.out, ' ')
	}
}

// openMarks opens the marks of the segment with an index, before its text. The mark that ends last
// is the outermost.
func (e *encoder) openMarks(i int, text []byte) {
	s := &e.segments[i]
	for {
		m := -1
		for other := range marks {
			isNew := s.style&marks[other].style != 0 && !e.isOpen(other) && !e.isRefused[other]
			if isNew && (m < 0 || s.until[other] > s.until[m]) {
				m = other
			}
		}
		if m < 0 {
			break
		}
		until := s.until[m]
		for _, o := range e.open {
			until = min(until, o.until)
		}
		if e.isRefused[m] = !e.canMark(m, i, until, text); e.isRefused[m] {
			continue
		}
		e.out, e.isLineStart = append(e.out, marks[m].text...), false
		e.openedAt = len(e.out)
		e.open = append(e.open, openMark{mark: m, until: until})
	}
	e.isRefused = [len(marks)]bool{}
}

// canMark reports whether a mark may begin before a text, and end before the segment with the index
// until. At other places it would be shown as it is, or be taken for the end of another.
func (e *encoder) canMark(m, i, until int, text []byte) bool {
	sign, isStar := rune(marks[m].text[0]), marks[m].style != struck
	first, last := e.segments[i], e.segments[until-1]
	before, _ := utf8.DecodeLastRune(e.out)
	if e.isLineStart {
		before = ' '
	}
	after, _ := utf8.DecodeRune(text)
	switch {
	case first.kind == words && first.style&code != 0:
		after = '`'
	case first.kind == words && addressLength(text, 0) > 0:
		after = '<' // perhaps
	case isStar && first.style&struck != 0 && !e.isOpen(struckMark),
		!isStar && first.style&(bold|italic) != 0:
		after = '"' // perhaps the mark of another style
	}
	isInner := isStar && len(e.open) > 0 && e.open[len(e.open)-1].mark != struckMark
	isRun := isInner && before == '*' && e.openedAt == len(e.out)
	switch {
	case e.closedAt == len(e.out) && e.closedAt > 0, before == sign && !isRun, after == sign,
		isBlankRune(after), isPunct(after) && !isBlankRune(before) && !isPunct(before):
		return false
	case isStar && !isRun && e.isStarOpen() && !isBlankRune(before) &&
		(!isPunct(before) || isPunct(after)):
		return false // it could end the other mark
	}

	// The end.
	end, _ := utf8.DecodeLastRune(e.buffer[last.start:last.end])
	if end == sign {
		return false
	} else if last.kind == words && last.style&code != 0 {
		end = '`'
	} else if bytes.Contains(e.buffer[max(last.start, last.end-maxShifted):last.end], []byte("://")) {
		end = '>' // perhaps that of an address
	}
	if isBlankRune(end) {
		return false
	}
	if isStar && last.style&struck != 0 || !isStar && last.style&(bold|italic) != 0 {
		end = '~' // perhaps the mark of another style
	}
	if !isPunct(end) || until == len(e.segments) {
		return true
	}
	next := e.segments[until]
	if next.kind == lineEnd || next.link != last.link {
		return true
	}
	follows, _ := utf8.DecodeRune(e.buffer[next.start:next.end])
	return isBlankRune(follows) || isPunct(follows)
}

// isStarOpen reports whether a mark of stars is open.
func (e *encoder) isStarOpen() bool { return e.isOpen(0) || e.isOpen(1) }

// isBlankRune reports whether a character counts as white space beside a mark.
func isBlankRune(c rune) bool { return unicode.IsSpace(c) || unicode.Is(unicode.Zs, c) }

// isPunct reports whether a character counts as punctuation beside a mark.
func isPunct(c rune) bool { return unicode.IsPunct(c) || unicode.IsSymbol(c) }

// verbatim writes a text as it is, but for what would end a cell of a table.
func (e *encoder) verbatim(text []byte) {
	for _, c := range text {
		if c == '|' && e.at == inCell {
			e.out = append(e.out, '\\')
		}
		e.out = append(e.out, c)
	}
}

// code writes a text within a line as code.
func (e *encoder) code(text []byte) {
	fence := strings.Repeat("`", longestRun(string(text), '`')+1)
	pad := ""
	if text[0] == '`' || text[len(text)-1] == '`' {
		pad = " "
	}
	if e.codeAt > 0 && e.codeAt == len(e.out) { // two codes would be one
		e.out = append(e.out, ' ')
	}
	e.out = append(append(e.out, fence...), pad...)
	e.verbatim(text)
	e.out = append(append(e.out, pad...), fence...)
	e.codeAt = len(e.out)
}
