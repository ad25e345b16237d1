package certificate

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func newShaper(tb testing.TB) *shaper {
	tb.Helper()
	r, err := New()
	if err != nil {
		tb.Fatal(err)
	}
	return r.shapers.get(r.fonts)
}

func TestFit_AnyTextFitsItsBox(t *testing.T) {
	s := newShaper(t)
	k := style{face: regular(), size: 46}
	const width, height = 657, 65
	for name, text := range map[string]string{
		"short": "Ada", "long": strings.Repeat("Lovelace ", 40), "a word": strings.Repeat("W", 200),
		"code points": strings.Repeat("漢", 120),
		"marks":       "e" + strings.Repeat("\u0301", 100), "one mark": "\u0301",
		"a space":            "\u00a0",
		"from right to left": strings.Repeat("שלום ", 60),
	} {
		p := s.fit(clean(text), k, width, height)
		unit := p.size / em
		if p.size <= 0 || p.size > k.size || math.IsNaN(p.size) {
			t.Errorf("%s: size %v", name, p.size)
		}
		if high := p.extent() * unit; high > height+0.01 {
			t.Errorf("%s: %v points high, want at most %v", name, high, height)
		}
		for _, l := range p.lines {
			if wide := max(l.width, l.ink.Right) * unit; wide > width+0.01 {
				t.Errorf("%s: a line is %v points wide, want at most %v", name, wide, width)
			}
		}
	}
}

func TestFit_LongTextIsBrokenIntoLines(t *testing.T) {
	s := newShaper(t)
	k := style{face: regular(), size: 27}
	for text, lines := range map[string]int{
		"Distributed Systems in Go": 1,
		"A Title That Is Somewhat Too Long for a Single Line of the Page, and for Many Others": 2,
		strings.Repeat("Donaudampfschifffahrt", 8):                                             3,
	} {
		p := s.fit([]rune(text), k, 617, 60)
		if len(p.lines) != lines || p.size < 15 {
			t.Errorf("%q: %d lines of size %.1f, want %d of at least 15", text, len(p.lines),
				p.size, lines)
		}
	}
}

// Words are cut only if that makes the text much larger, so that titles of ordinary words
// are never cut.
func TestFit_OrdinaryWordsAreNotCut(t *testing.T) {
	s := newShaper(t)
	for _, text := range []string{
		strings.Repeat("Practice of Observability ", 7),
		"Wolfgang Amadeus von und zu Hohenzollern-Sigmaringen",
		"Internationalization and Accessibility",
		strings.Repeat("Grundstücksverkehrsgenehmigung ", 4), strings.Repeat("Электрификация ", 9),
	} {
		for _, width := range []float64{220, 617} {
			var words []string
			for _, l := range s.fit(clean(text), style{face: regular(), size: 27}, width,
				60).lines {
				line := ""
				for _, c := range l.clusters {
					line += c.text
				}
				words = append(words, strings.Fields(strings.ReplaceAll(line, "-", "- "))...)
			}
			if want := strings.Fields(strings.ReplaceAll(text, "-", "- ")); !slices.Equal(words,
				want) {
				t.Errorf("%q in a width of %v points becomes %q", text, width, words)
			}
		}
	}
}

// PDF.js sees a space after a glyph that is wider than 0.102 em and whose text has a mark.
// Only a cluster that is too narrow to be divided keeps its mark.
func TestPieces_MarksAreInNarrowGlyphs(t *testing.T) {
	s := newShaper(t)
	taken := 0
	for _, c := range s.shape([]rune("Q\u0308W\u0303m\u0323M\u0308i\u0323"),
		style{face: regular()}).clusters {
		pieces := c.pieces()
		if c.width < 221 {
			continue
		}
		taken++
		total := 0.0
		for _, p := range pieces {
			total += p.width
			if strings.ContainsFunc(p.text, isMark) && p.width > 102 {
				t.Errorf("%q: the glyph for %q is %v wide", c.text, p.text, p.width)
			}
		}
		if math.Abs(total-c.width) > 0.01 {
			t.Errorf("%q is %v wide, its glyphs together %v", c.text, c.width, total)
		}
	}
	if taken < 3 {
		t.Errorf("only %d clusters with marks were checked", taken)
	}
}

// A character without a font is drawn as the letters and digits of its code point, in
// reading order.
func TestShape_CharacterWithoutAFontBecomesItsCodePoint(t *testing.T) {
	s := newShaper(t)
	k := style{face: regular(), size: 10}
	var want []part
	for _, c := range s.shape([]rune("U+0915"), k).clusters {
		want = append(want, c.parts...)
	}
	for _, c := range s.shape([]rune("क"), k).clusters {
		if len(c.parts) != len(want) || c.text != "क" {
			t.Fatalf("%d glyphs for %q, want %d", len(c.parts), c.text, len(want))
		}
		for i, p := range c.parts {
			if p.glyph != want[i].glyph || i > 0 && p.x <= c.parts[i-1].x {
				t.Errorf("glyph %d is %d at %v, want %d", i, p.glyph, p.x, want[i].glyph)
			}
		}
	}
	// drawn from left to right, with texts from right to left
	arabic := s.shape([]rune("\u0645\u062d"), k).clusters
	if first := arabic[0]; first.text != "\u062d" ||
		first.drawing() != s.codePoint('\u0645', 0).drawing() {
		t.Errorf("the first code point has the text %q", first.text)
	}
}

func TestLegible_ContrastOnWhite(t *testing.T) {
	for _, c := range []rgb{legible(white), legible(rgb{R: 1, G: 1}), legible(rgb{}),
		legible(rgb{G: 0.2, B: 0.9})} {
		if contrast := 1.05 / (c.luminance() + 0.05); contrast < 4.5 {
			t.Errorf("%v has a contrast of %.1f", c, contrast)
		}
	}
	if got := legible(navy); math.Abs(got.R-navy.R) > 0.01 || math.Abs(got.B-navy.B) > 0.01 {
		t.Errorf("a dark accent was changed to %v", got)
	}
}
