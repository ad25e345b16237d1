package certificate

import (
	"fmt"
	"math"
	"strings"
)

// A4, lying, in points.
const pageWidth, pageHeight = 841.89, 595.28

// page is what is drawn of one certificate.
type page struct {
	canvas
	shaper   *shaper
	accent   rgb
	elements []element
	subsets  []*subset // in the order in which they are needed
	image    *logo
	missing  []rune // what no font has
}

func newPage(s *shaper, accent rgb) *page { return &page{shaper: s, accent: accent} }

// set draws text in the middle of a box.
func (p *page) set(role string, text []rune, k style, in box) {
	if len(text) == 0 {
		return
	}
	para := p.shaper.fit(text, k, in.width(), in.height())
	p.tagged(element{role: role, language: languageTag(text, k.region)}, func() { p.paragraph(para, k, in) })
}

// paragraph puts the letters of any script on the same level: what some of them
// have above and below others counts only where it would leave the box.
func (p *page) paragraph(para paragraph, k style, in box) {
	unit := para.size / em
	first, last := para.lines[0].top(), para.lines[len(para.lines)-1].bottom()
	down := para.extent() - first - last // from the first baseline to the last
	y := (in.top + in.bottom + (down+fall-rise)*unit) / 2
	y = min(max(y, in.bottom+(down+last)*unit), in.top-first*unit)
	for i, l := range para.lines {
		if i > 0 {
			y -= (para.lines[i-1].bottom() + gap + l.top()) * unit
		}
		p.line(l, in.centre()-l.width*unit/2, y, para.size, k.colour)
		p.missing = append(p.missing, l.missing...)
	}
}

// line draws a line of text whose baseline begins at x, y.
func (p *page) line(l line, x, y, size float64, colour rgb) {
	p.put("BT")
	p.fillColour(colour)
	p.put("Td", x, y)
	var in *subset
	pen, want := 0.0, 0.0 // where the glyphs so far have brought it, and where it should be
	for _, c := range l.clusters {
		if next := p.subset(c.face); next != in {
			p.endGlyphs(in)
			in = next
			p.content = fmt.Appendf(p.content, "/%s %s Tf [", in.name, reals(size))
		}
		if off := math.Round(want - pen); off != 0 {
			p.content = fmt.Appendf(p.content, "%v", -off)
			pen += off
		}
		for _, piece := range c.pieces() {
			glyph := in.place(p.shaper, piece)
			p.content = fmt.Appendf(p.content, "<%04X>", glyph)
			pen += float64(in.widths[glyph])
		}
		want += c.advance
	}
	p.endGlyphs(in)
	p.put("ET")
}

func (p *page) endGlyphs(of *subset) {
	if of != nil {
		p.put("] TJ")
	}
}

// subset is what the page uses of a font.
func (p *page) subset(f *typeface) *subset {
	for _, s := range p.subsets {
		if s.face == f {
			return s
		}
	}
	s := newSubset(f, fmt.Sprintf("F%d", len(p.subsets)+1))
	p.subsets = append(p.subsets, s)
	return s
}

// write is the page as a file.
func (p *page) write(a about) []byte {
	f := &file{}
	catalog, pages, self := f.reserve(), f.reserve(), f.reserve()
	var fonts strings.Builder
	for _, s := range p.subsets {
		fmt.Fprintf(&fonts, "/%s %v", s.name, s.write(f))
	}
	drawings := fmt.Sprintf("/Waves %v", writeWaves(f))
	if p.image != nil {
		drawings += fmt.Sprintf("/Logo %v", p.image.write(f))
	}
	structure, annotations := p.writeStructure(f, self)
	content := f.addStream("", p.content)
	f.set(self, fmt.Sprintf("<</Type/Page/Parent %v/MediaBox[0 0 %s]/Contents %v/Resources<</Font<<%s>>/XObject<<%s>>>>/StructParents 0/Tabs/S/Annots%v>>",
		pages, reals(pageWidth, pageHeight), content, fonts.String(), drawings, annotations))
	f.set(pages, fmt.Sprintf("<</Type/Pages/Kids[%v]/Count 1>>", self))
	f.set(catalog, fmt.Sprintf("<</Type/Catalog/Pages %v/Lang(en)/MarkInfo<</Marked true>>/StructTreeRoot %v/Metadata %v/ViewerPreferences<</DisplayDocTitle true>>>>",
		pages, structure, f.addRaw("/Type/Metadata/Subtype/XML", a.xmp())))
	return f.bytes(catalog, f.add(a.info()))
}
