package certificate

import (
	"math"
	"strconv"

	"github.com/go-text/typesetting/font"

	"github.com/openlectern/openlectern/internal/pdf"
	"github.com/openlectern/openlectern/learning/certify"
)

// A4 in landscape, in points.
const pageWidth, pageHeight = 841.89, 595.28

const producer = "Open Lectern"

// page is the page of one certificate or paper.
type page struct {
	*pdf.Page
	shaper  *shaper
	accent  rgb
	fonts   map[*typeface]*pdf.Font
	missing []rune // characters that no font has, as often as they occur
}

// newPage returns an empty page of a certificate.
func newPage(s *shaper, accent rgb) *page {
	p := newPageOf(pageWidth, pageHeight, s, accent)
	p.AddObject("Waves", writeWaves) // which the ornament draws by this name, several times
	return p
}

// newPageOf returns an empty page of a size.
func newPageOf(width, height float64, s *shaper, accent rgb) *page {
	return &page{Page: pdf.NewPage(width, height), shaper: s, accent: accent,
		fonts: map[*typeface]*pdf.Font{}}
}

// pen and fillColour take a colour of this package for the methods of [pdf.Canvas].
func (p *page) pen(width float64, colour rgb) { p.Pen(width, pdf.Colour(colour)) }
func (p *page) fillColour(colour rgb)         { p.FillColour(pdf.Colour(colour)) }

// info describes the file. Its only time is that of issue, so that the page of a
// certificate has the same bytes whenever it is drawn.
func info(c certify.Certificate) pdf.Info {
	return pdf.Info{
		Title:     heading + ": " + string(clean(c.StudentName)),
		Author:    string(clean(c.IssuerName)),
		Subject:   string(clean(c.CourseTitle)),
		Producer:  producer,
		CreatedAt: c.IssuedAt,
	}
}

// set draws text in a box, in the middle of its height, as an element of the structure tree with a
// role such as P. It draws nothing if text is empty.
func (p *page) set(role string, text []rune, look style, in pdf.Box) {
	if len(text) == 0 {
		return
	}
	para := p.shaper.fit(text, look, in.Width(), in.Height())
	if look.align == atStart && rightToLeft(text) {
		look.align = atEnd
	}
	p.Tagged(pdf.Element{Role: role, Language: languageTag(text, look.region)},
		func() { p.paragraph(para, look, in) })
}

// paragraph draws a paragraph in a box, at its sides as look says. The measures of a paragraph
// (rise, fall, gap, and those of its lines) are positive and in parts of em; its extent is the
// height of all lines with the gaps. The baseline depends on the usual height of letters only, so
// that text of every script stands at the same height; taller glyphs move it only if they would
// leave the box. paragraph appends to p.missing the characters that no font has.
func (p *page) paragraph(para paragraph, look style, in pdf.Box) {
	unit := para.size / em
	first, last := para.lines[0].top(), para.lines[len(para.lines)-1].bottom()
	down := para.extent() - first - last // from the first baseline to the last
	// The first baseline: what is from rise above it to fall below the last one is in the middle of
	// the box. It moves up or down if the glyphs would leave the box.
	y := (in.Top + in.Bottom + (down+fall-rise)*unit) / 2
	y = min(max(y, in.Bottom+(down+last)*unit), in.Top-first*unit)
	for i, l := range para.lines {
		if i > 0 {
			y -= (para.lines[i-1].bottom() + gap + l.top()) * unit
		}
		x := in.Centre() - l.width*unit/2
		switch look.align {
		case atStart:
			x = in.Left
		case atEnd:
			x = in.Right - l.width*unit
		}
		p.line(l, x, y, para.size, look.colour)
		p.missing = append(p.missing, l.missing...)
	}
}

// line draws a line of text whose baseline begins at x, y.
//
// In PDF, BT and ET enclose text, Td moves to its beginning, and Tf selects a font. TJ draws a list
// of glyphs. A number n between them moves the next glyph to the left by n thousandths of the size.
func (p *page) line(l line, x, y, size float64, colour rgb) {
	p.Op("BT")
	p.fillColour(colour)
	p.Op("Td", x, y)
	// The font of the glyphs that are being written; nil before the first.
	var in *pdf.Font
	// The position after the glyphs written so far, and where it should be, in thousandths of the
	// size.
	pen, want := 0.0, 0.0
	for _, c := range l.clusters {
		// Another face ends the list of glyphs, and begins one in its font.
		if next := p.font(c.face); next != in {
			p.endGlyphs(in)
			in = next
			p.Printf("/%s %s Tf [", in.Resource(), pdf.Reals(size))
		}
		// Move the pen where rounded widths have led away from the exact position.
		if off := math.Round(want - pen); off != 0 {
			p.Printf("%v", -off)
			pen += off
		}
		for _, piece := range c.pieces() {
			key := piece.key()
			glyph := in.Glyph(key, piece.ink, func(to *pdf.Charstring) { p.shaper.draw(piece, to) })
			p.Printf("<%04X>", glyph)
			pen += float64(key.Width)
		}
		want += c.advance
	}
	p.endGlyphs(in)
	p.Op("ET")
}

// endGlyphs ends the list of glyphs of a font; nil for none.
func (p *page) endGlyphs(of *pdf.Font) {
	if of != nil {
		p.Op("] TJ")
	}
}

// font returns the part of a font that the page uses.
func (p *page) font(t *typeface) *pdf.Font {
	f := p.fonts[t]
	if f == nil {
		f = p.AddFont(t.name)
		p.fonts[t] = f
	}
	return f
}

// key identifies the glyph of a cluster. Clusters with equal keys are one glyph of the embedded
// font. The width is rounded, because the file has whole numbers.
func (c cluster) key() pdf.GlyphKey {
	return pdf.GlyphKey{Drawing: c.drawing(), Text: c.text, Width: int(math.Round(c.width))}
}

// drawing is equal for clusters that look alike.
func (c cluster) drawing() string {
	var b []byte
	for _, p := range c.parts {
		b = append(strconv.AppendUint(b, uint64(p.glyph), 10), ' ')
		b = append(append(b, pdf.Reals(p.x, p.y, p.scale)...), ',')
	}
	return string(b)
}

// draw draws the parts of a cluster as one glyph.
func (s *shaper) draw(c cluster, to *pdf.Charstring) {
	for _, p := range c.parts {
		outline, _ := s.face(c.face).GlyphDataOutline(p.glyph) // empty for a space
		// From the units of the font to thousandths of an em.
		scale := c.face.scale * p.scale
		to.Outline(outline, func(v font.SegmentPoint) (x, y float64) {
			return p.x + float64(v.X)*scale, p.y + float64(v.Y)*scale
		})
	}
}
