package certificate

import (
	"slices"
	"strings"

	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
)

// em is the size at which everything is shaped: lengths are then thousandths of
// the size at which it is drawn, which is the unit of fonts in PDF.
const em = 1000

// part is a glyph of a font, at its place in a cluster.
type part struct {
	face  *typeface
	glyph shaping.Glyph
	x, y  float64
	scale float64
}

// cluster is the least that is drawn and selected as one: a letter with its marks,
// a ligature, a syllable of an Indic script, or a character in fallback form. Each
// becomes one glyph of the PDF, which knows its text: whoever copies from the page
// gets the letters in the order in which they were typed, whatever order they are
// drawn in.
type cluster struct {
	text    string
	parts   []part
	at, n   int     // which runes of the line it is
	width   float64 // without kerning
	advance float64
	ink     box
}

// line is text in the order in which it is drawn, from left to right.
type line struct {
	clusters []cluster
	width    float64
	ink      box // from the left end of the baseline
	missing  []rune
}

// shape sets text on one line. Everything is resolved within it: what a text says
// of directions ends with it.
func (s *shaper) shape(text []rune, k style) line {
	var l line
	for _, r := range s.visualOrder(s.split(text, k)) {
		if r.face == nil {
			l.missing = append(l.missing, text[r.start:r.end]...)
		}
		for _, c := range s.clusters(text, r, k) {
			l.ink = l.ink.around(c.ink.shift(l.width, 0))
			l.width += c.advance
			l.clusters = append(l.clusters, c)
		}
	}
	return l
}

// clusters shapes a run.
func (s *shaper) clusters(text []rune, r run, k style) []cluster {
	if r.face == nil {
		return s.fallback(text, r, k)
	}
	out := s.harfbuzz.Shape(shaping.Input{
		Text: text, RunStart: r.start, RunEnd: r.end,
		Direction: r.direction(), Face: s.face(r.face), Size: fixed.I(em),
		Script: r.script, Language: r.language,
	})
	var list []cluster
	for glyphs := out.Glyphs; len(glyphs) > 0; {
		n := max(1, glyphs[0].GlyphsCount())
		list = append(list, s.cluster(text, r.face, glyphs[:n], k))
		glyphs = glyphs[n:]
	}
	return list
}

// cluster puts the glyphs of one cluster together.
func (s *shaper) cluster(text []rune, f *typeface, glyphs []shaping.Glyph, k style) cluster {
	at, n := glyphs[0].TextIndex(), glyphs[0].RunesCount()
	c := cluster{at: at, n: n, text: string(text[at : at+n])}
	for _, g := range glyphs {
		x, y := c.advance+thousandths(g.XOffset), thousandths(g.YOffset)
		c.parts = append(c.parts, part{face: f, glyph: g, x: x, y: y, scale: 1})
		c.ink = c.ink.around(inkOf(g).shift(x, y))
		c.advance += thousandths(g.Advance)
	}
	c.width = c.advance
	if len(glyphs) == 1 && glyphs[0].XOffset == 0 {
		c.width = float64(s.face(f).HorizontalAdvance(glyphs[0].GlyphID)) * f.scale
	}
	c.width += k.tracking
	c.advance += k.tracking
	return c
}

func inkOf(g shaping.Glyph) box {
	left, top := thousandths(g.XBearing), thousandths(g.YBearing)
	return box{left, top + thousandths(g.Height), left + thousandths(g.Width), top}
}

func thousandths(v fixed.Int26_6) float64 { return float64(v) / 64 }

// text is what the line says, in the order in which it is read.
func (l line) text() string {
	byPlace := slices.Clone(l.clusters)
	slices.SortStableFunc(byPlace, func(a, b cluster) int { return a.at - b.at })
	var b strings.Builder
	for _, c := range byPlace {
		b.WriteString(c.text)
	}
	return b.String()
}
