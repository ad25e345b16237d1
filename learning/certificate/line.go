package certificate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"

	"github.com/openlectern/openlectern/internal/pdf"
)

// em is the size at which text is shaped. Lengths are therefore thousandths of the size at
// which the text is drawn, which is the unit of fonts in PDF.
const em = 1000

// part is a glyph, at its place in a cluster.
type part struct {
	glyph font.GID
	x, y  float64 // from the beginning of the cluster's baseline
	scale float64 // 1, or less in a code point that is drawn instead of its character
}

// cluster is the smallest unit that is drawn and selected: a letter with its marks, a
// ligature, a syllable of an Indic script, or a character in fallback form. Each becomes one
// glyph of the PDF together with its text, so that text copied from the page has its letters
// in the order in which they were typed, not in the order in which they are drawn.
type cluster struct {
	text     string
	face     *typeface
	parts    []part
	at, n    int     // its first rune in the line, and the number of runes
	leftward bool    // read from right to left
	width    float64 // of its glyph in the PDF, without kerning
	advance  float64 // to the beginning of the next cluster
	ink      pdf.Box // what it draws, from the beginning of its baseline
}

// line is text in the order in which it is drawn, from left to right.
type line struct {
	clusters []cluster
	width    float64
	ink      pdf.Box // from the left end of the baseline
	missing  []rune  // the characters that no font has
}

// shape sets text on one line. Its letters are ordered as a text of its own: those of other texts
// of the page do not affect their direction.
func (s *shaper) shape(text []rune, look style) line {
	var l line
	for _, r := range s.visualOrder(s.split(text, look)) {
		if r.face == nil {
			l.missing = append(l.missing, text[r.start:r.end]...)
		}
		for _, c := range s.clusters(text, r, look) {
			l.ink = l.ink.Union(c.ink.Shift(l.width, 0))
			l.width += c.advance
			l.clusters = append(l.clusters, c)
		}
	}
	return l
}

// clusters shapes a run, and puts the glyphs of each cluster together. It returns the clusters from
// left to right. A run without a font is written as code points.
func (s *shaper) clusters(text []rune, r run, look style) []cluster {
	if r.face == nil {
		return s.fallback(text, r)
	}
	out := s.harfbuzz.Shape(shaping.Input{
		Text: text, RunStart: r.start, RunEnd: r.end,
		Direction: r.direction(), Face: s.face(r.face), Size: fixed.I(em),
		Script: r.script, Language: r.language,
	})
	var list []cluster
	for glyphs := out.Glyphs; len(glyphs) > 0; {
		// Each glyph knows how many there are in its cluster. At least one, so that the loop ends.
		n := max(1, glyphs[0].GlyphsCount())
		list = append(list, s.cluster(text, r, glyphs[:n], look))
		glyphs = glyphs[n:]
	}
	return list
}

// cluster puts the glyphs of one cluster of a run together.
func (s *shaper) cluster(text []rune, r run, glyphs []shaping.Glyph, look style) cluster {
	at, n := glyphs[0].TextIndex(), glyphs[0].RunesCount()
	c := cluster{at: at, n: n, text: string(text[at : at+n]), face: r.face, leftward: r.leftward()}
	for _, g := range glyphs {
		x, y := c.advance+thousandths(g.XOffset), thousandths(g.YOffset)
		c.parts = append(c.parts, part{glyph: g.GlyphID, x: x, y: y, scale: 1})
		c.ink = c.ink.Union(inkOf(g).Shift(x, y))
		c.advance += thousandths(g.Advance)
	}
	c.width = c.advance
	// A single glyph has the width that its font gives it, so that it is one glyph of the PDF at
	// all its uses. Kerning remains in the advance, unless it is wider than widestKern.
	if len(glyphs) == 1 && glyphs[0].XOffset == 0 {
		c.width = float64(s.face(r.face).HorizontalAdvance(glyphs[0].GlyphID)) * r.face.scale
		if c.advance > c.width+widestKern {
			c.width = c.advance
		}
	}
	c.width += look.tracking
	c.advance += look.tracking
	return c
}

// widestKern is the largest space that kerning adds outside a glyph. A larger space becomes
// part of the glyph's width, because programs that copy the text would see a space character.
const widestKern = 50

// inkOf returns the box of what a glyph draws, from its place on the baseline. The height that
// HarfBuzz gives is negative, because it counts from the top down.
func inkOf(g shaping.Glyph) pdf.Box {
	left, top := thousandths(g.XBearing), thousandths(g.YBearing)
	return box(left, top+thousandths(g.Height), left+thousandths(g.Width), top)
}

// thousandths returns a length that HarfBuzz gives, which has a fraction of six bits, as a number.
// It is in thousandths of an em because the text was shaped at the size em.
func thousandths(v fixed.Int26_6) float64 { return float64(v) / 64 }

// pieces returns the glyphs of the PDF that a cluster becomes: one, or several if programs
// that copy the text need that. The first of several has the whole drawing.
//
// These programs reverse text from right to left glyph by glyph, so that each of its letters
// must be a glyph. They also mirror brackets, so that a bracket's text is what it looks like.
//
// A letter with marks becomes two glyphs: the letter, and a narrow one for the marks. PDF.js treats
// a glyph whose text has a mark as a mark without width, and sees a space after it if it is wider
// than 0.102 em. Poppler treats a glyph less than 0.1 em after the last letter as the same letter,
// printed twice to look bold. The width of the glyph of the marks lies between these two, and the
// letter keeps more than 0.1 em.
func (c cluster) pieces() []cluster {
	const narrow = 101 // the width of the glyph of the marks
	const least = 120  // the smallest width that must be left for the letter
	letters := []rune(c.text)
	mark := slices.IndexFunc(letters, isMark)
	switch {
	case c.leftward && len(letters) > 0: // turned needs a letter; a cluster always has one
		return c.turned(letters)
	case mark < 1 || c.width < narrow+least: // there is no mark after a letter, or no room
		return c.chunks(letters)
	}
	// The letter has the drawing, and the rest of the width.
	head, tail := c, cluster{face: c.face, width: narrow}
	head.width -= narrow
	return append(head.chunks(letters[:mark]), tail.chunks(letters[mark:])...)
}

// chunks gives a cluster the text letters, and splits it into glyphs whose texts have at most
// eight units of UTF-16, because every program can read texts of that length. The first glyph has
// the drawing and the width; the others are empty and have no width.
func (c cluster) chunks(letters []rune) (list []cluster) {
	c.text = string(letters)
	if len(utf16.Encode(letters)) <= 8 {
		return []cluster{c}
	}
	for piece := range slices.Chunk(letters, 4) { // a letter is at most two units
		list = append(list, cluster{text: string(piece), face: c.face})
	}
	list[0].parts = c.parts
	list[0].ink = c.ink
	list[0].width = c.width
	return list
}

// turned returns a glyph for each letter of a cluster that is read from right to left, in the order
// from left to right. The first has the whole drawing; each has an equal part of the width.
func (c cluster) turned(letters []rune) []cluster {
	list := make([]cluster, len(letters))
	for i, r := range letters {
		list[len(list)-1-i] = cluster{text: string(mirrored(r)), face: c.face,
			width: c.width / float64(len(letters))}
	}
	list[0].parts, list[0].ink = c.parts, c.ink
	return list
}

// isMark reports whether a character takes no room of its own on the line: a mark without width, a
// mark around a letter, or an invisible character.
func isMark(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) }

// mirrored returns the bracket that r looks like in text from right to left, or r itself if it is
// not a bracket.
func mirrored(r rune) rune {
	const pairs = "()[]{}<>«»‹›"
	before, _, found := strings.Cut(pairs, string(r))
	if !found {
		return r
	}
	list := []rune(pairs)
	return list[utf8.RuneCountInString(before)^1] // the other one of its pair
}
