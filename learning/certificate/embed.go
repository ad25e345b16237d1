package certificate

import (
	"crypto/sha256"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-text/typesetting/font"
)

// subset is what a page uses of a font, to be embedded in its file.
type subset struct {
	face   *typeface
	name   string // of the resource
	places map[glyphKey]int
	glyphs [][]byte // charstrings; the first is for what is missing
	widths []int
	texts  []string
	bounds box
}

// glyphKey tells apart what must be different glyphs of the PDF: drawings, and
// also what they stand for, since a glyph has one text.
type glyphKey struct {
	drawing string
	text    string
	width   int
}

func newSubset(f *typeface, name string) *subset {
	s := &subset{face: f, name: name, places: map[glyphKey]int{}}
	s.append(newCharstring(em/2).end(), em/2, "")
	return s
}

func (s *subset) append(glyph []byte, width int, text string) int {
	s.glyphs, s.widths, s.texts = append(s.glyphs, glyph), append(s.widths, width), append(s.texts, text)
	return len(s.glyphs) - 1
}

// place is the number of a cluster among the glyphs, which it joins if need be.
func (s *subset) place(sh *shaper, c cluster) int {
	width := int(math.Round(c.width))
	key := glyphKey{drawing: c.drawing(), text: c.text, width: width}
	n, known := s.places[key]
	if !known {
		n = s.append(sh.draw(c, width), width, c.text)
		s.places[key] = n
		s.bounds = s.bounds.around(c.ink)
	}
	return n
}

// drawing tells apart what is drawn.
func (c cluster) drawing() string {
	var b []byte
	for _, p := range c.parts {
		b = append(strconv.AppendUint(b, uint64(p.glyph), 10), ' ')
		b = append(appendReal(append(appendReal(append(appendReal(b, p.x), ' '), p.y), ' '), p.scale), ',')
	}
	return string(b)
}

// draw draws the parts of a cluster as one glyph.
func (s *shaper) draw(c cluster, width int) []byte {
	to := newCharstring(width)
	for _, p := range c.parts {
		outline, _ := s.face(c.face).GlyphDataOutline(p.glyph) // a space has none
		k := c.face.scale * p.scale
		at := func(v font.SegmentPoint) (x, y float64) { return p.x + float64(v.X)*k, p.y + float64(v.Y)*k }
		drawOutline(to, outline, at)
	}
	return to.end()
}

// write adds the font and what it consists of.
func (s *subset) write(f *file) ref {
	digest := sha256.New()
	for _, g := range s.glyphs {
		digest.Write(g)
	}
	name := subsetTag(digest.Sum(nil)) + "+" + s.face.name
	program := f.addStream("/Subtype/CIDFontType0C", cffFont(name, s.glyphs, s.bounds))
	descriptor := f.add(fmt.Sprintf("<</Type/FontDescriptor/FontName/%s/Flags 4/FontBBox[%s]/ItalicAngle 0/Ascent %s/Descent %s/CapHeight 660/StemV 80/FontFile3 %v>>",
		name, reals(s.bounds.left, s.bounds.bottom, s.bounds.right, s.bounds.top), reals(s.bounds.top), reals(s.bounds.bottom), program))
	descendant := f.add(fmt.Sprintf("<</Type/Font/Subtype/CIDFontType0/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor %v/W[0%v]>>",
		name, descriptor, s.widths))
	unicode := f.addStream("", toUnicode(s.texts))
	return f.add(fmt.Sprintf("<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%v]/ToUnicode %v>>",
		name, descendant, unicode))
}

// subsetTag is the six letters that begin the name of a font that is not whole.
func subsetTag(digest []byte) string {
	tag := make([]byte, 6)
	for i := range tag {
		tag[i] = 'A' + digest[i]%26
	}
	return string(tag)
}

// toUnicode maps the glyphs of a font to their texts.
func toUnicode(texts []string) []byte {
	const perBlock = 100 // more is not allowed
	var b strings.Builder
	b.WriteString("/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n" +
		"/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	for start := 1; start < len(texts); start += perBlock {
		end := min(start+perBlock, len(texts))
		fmt.Fprintf(&b, "%d beginbfchar\n", end-start)
		for i := start; i < end; i++ {
			fmt.Fprintf(&b, "<%04X><%s>\n", i, utf16Hex(texts[i]))
		}
		b.WriteString("endbfchar\n")
	}
	b.WriteString("endcmap\nCMapName currentdict/CMap defineresource pop\nend\nend\n")
	return []byte(b.String())
}
