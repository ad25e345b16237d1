package certificate

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/harfbuzz"
	"golang.org/x/text/unicode/norm"
)

// clean returns text as it may be set on a page: composed (NFC), on one line, and without
// control characters, bidirectional ones included, because these could change the order of
// the letters in later text. It cuts a text after maxRunes characters, and adds an ellipsis then.
// The result is empty if nothing is left.
func clean(s string) []rune { return cleanTo(s, maxRunes) }

// cleanTo is clean that cuts a text after most characters.
func cleanTo(s string, most int) []rune {
	s = norm.NFC.String(strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
	s = strings.Map(func(r rune) rune {
		switch {
		case slices.Contains([]rune("\t\n\v\f\r\u0085\u2028\u2029"), r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r),
			unicode.Is(unicode.Noncharacter_Code_Point, r):
			return -1
		}
		return r
	}, s)
	text := []rune(strings.TrimSpace(s))
	text = slices.CompactFunc(text, func(a, b rune) bool { return a == ' ' && b == ' ' })
	if len(text) > most {
		text = append(text[:most], '…')
	}
	return text
}

// maxRunes is how many characters of a text are set. It is twice the maximum of a course's title.
const maxRunes = 400

// fallback writes characters that no font has as code points. Each is one cluster that
// keeps the text of its character, so that copying and searching give the original name.
func (s *shaper) fallback(text []rune, r run) (list []cluster) {
	for i := r.start; i < r.end; i++ {
		// An invisible character is not written as a code point: its text is added to that of the
		// character before it. Only at the beginning of a run, with none before it, it is written.
		if harfbuzz.IsDefaultIgnorable(text[i]) && len(list) > 0 {
			last := &list[len(list)-1]
			last.text += string(text[i])
			last.n++
			continue
		}
		list = append(list, s.codePoint(text[i], i))
	}
	if r.leftward() {
		readLeftward(list)
	}
	return list
}

// readLeftward reverses the order of the clusters' texts, and leaves the drawing. Code
// points are drawn from left to right in every script, but programs that copy text from the
// page reverse letters that are written from right to left.
func readLeftward(list []cluster) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i].text, list[j].text = list[j].text, list[i].text
	}
}

// codePoint returns a cluster that is drawn as U+0915 or the like, smaller than the text around it,
// and that has the text of the character. at is the index of the character in the line.
func (s *shaper) codePoint(char rune, at int) cluster {
	const scale = 0.6 // of the size of the text around it
	const space = 70  // on each side, in thousandths of an em
	c := cluster{at: at, n: 1, text: string(char), face: regular(), advance: space}
	// Shape the text U+ and the number, then scale its glyphs into one cluster with space around.
	// The embedded font has these characters, so that shape does not call codePoint again.
	name := s.shape([]rune(fmt.Sprintf("U+%04X", char)), style{face: regular()})
	for _, letter := range name.clusters {
		for _, p := range letter.parts {
			c.parts = append(c.parts,
				part{glyph: p.glyph, x: c.advance + scale*p.x, y: scale * p.y, scale: scale})
		}
		c.advance += scale * letter.advance
	}
	c.ink = box(scale*name.ink.Left+space, scale*name.ink.Bottom, scale*name.ink.Right+space,
		scale*name.ink.Top)
	c.advance += space
	c.width = c.advance
	return c
}

// report logs which characters of a page no font has; it does nothing if there are none. what is a
// certificate or a paper. It logs
// scripts and code points, because these tell which fonts to install. They are sorted, so that they
// do not reveal the student's name. report sorts missing in place; a character may be in it
// repeatedly.
func (r *Renderer) report(what, id string, missing []rune) {
	if len(missing) == 0 {
		return
	}
	slices.Sort(missing)
	var scripts, points []string
	for _, char := range slices.Compact(missing) {
		points = append(points, fmt.Sprintf("U+%04X", char))
		if name := scriptName(char); !slices.Contains(scripts, name) {
			scripts = append(scripts, name)
		}
	}
	r.log.Warn("no font has these characters: their code points are shown",
		what, id, "scripts", scripts, "characters", points)
}
