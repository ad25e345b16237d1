package pdf

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// missingWidth is the width of the glyph for missing characters.
const missingWidth = 500

// Font is the part of a font that a page uses, to be embedded in its file. Create it
// with [Page.AddFont].
type Font struct {
	name     string // PostScript name
	resource string // name in the page's resources
	numbers  map[GlyphKey]int
	bounds   Box // holds all glyphs

	// These have one item for each glyph, by its number. The first is for missing characters.
	glyphs [][]byte // charstrings
	widths []int    // in thousandths of an em
	texts  []string
}

// GlyphKey identifies a glyph of the embedded font. The text belongs to it, because
// a glyph in PDF stands for one text.
type GlyphKey struct {
	Drawing string // equal for equal drawings
	Text    string
	Width   int // in thousandths of an em
}

// newFont returns a font that has the glyph of missing characters only, with the number 0. Every
// font must have it; it is empty, and no page uses it.
func newFont(name, resource string) *Font {
	f := &Font{name: name, resource: resource, numbers: map[GlyphKey]int{}}
	f.add(GlyphKey{Width: missingWidth}, NewCharstring(missingWidth).End())
	return f
}

// add adds a glyph, which is a charstring, and returns its number. The caller keeps the number.
func (f *Font) add(key GlyphKey, glyph []byte) int {
	f.glyphs = append(f.glyphs, glyph)
	f.widths = append(f.widths, key.Width)
	f.texts = append(f.texts, key.Text)
	return len(f.glyphs) - 1
}

// Glyph returns the number of a glyph in the embedded font. At the first call with a key, it calls
// draw and adds the glyph; ink is the box that its drawing covers.
func (f *Font) Glyph(key GlyphKey, ink Box, draw func(*Charstring)) int {
	number, known := f.numbers[key]
	if !known {
		to := NewCharstring(key.Width)
		draw(to)
		number = f.add(key, to.End())
		f.numbers[key] = number
		f.bounds = f.bounds.Union(ink)
	}
	return number
}

// Resource returns the name by which the operators of the page select the font.
func (f *Font) Resource() string { return f.resource }

// write adds the font and its parts to a file. It returns the reference of the font.
func (f *Font) write(to *File) Ref {
	digest := sha256.New()
	for _, g := range f.glyphs {
		digest.Write(g)
	}
	name := subsetTag(digest.Sum(nil)) + "+" + f.name
	program := to.AddStream("/Subtype/CIDFontType0C", cffFont(name, f.glyphs, f.bounds))
	// Flags 4: the font has characters other than the standard Latin ones. Programs need CapHeight
	// and StemV only to replace a font that is not embedded, but the format requires them.
	descriptor := to.Add(
		fmt.Sprintf(
			"<</Type/FontDescriptor/FontName/%s/Flags 4/FontBBox[%s]/ItalicAngle 0/Ascent "+
				"%s/Descent %s/CapHeight 660/StemV 80/FontFile3 %v>>",
			name, Reals(f.bounds.Left, f.bounds.Bottom, f.bounds.Right, f.bounds.Top),
			Reals(f.bounds.Top), Reals(f.bounds.Bottom), program))
	// W has the widths of all glyphs from number 0 on.
	descendant := to.Add(
		fmt.Sprintf(
			"<</Type/Font/Subtype/CIDFontType0/BaseFont/%s/CIDSystemInfo"+
				"<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor %v/W[0%v]>>",
			name, descriptor, f.widths))
	unicode := to.AddStream("", toUnicode(f.texts))
	return to.Add(
		fmt.Sprintf(
			"<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H"+
				"/DescendantFonts[%v]/ToUnicode %v>>",
			name, descendant, unicode))
}

// subsetTag returns six letters made of a digest. They precede the name of a font if the file has
// only some of its glyphs, so that fonts with other glyphs have another name.
func subsetTag(digest []byte) string {
	tag := make([]byte, 6)
	for i := range tag {
		tag[i] = 'A' + digest[i]%26
	}
	return string(tag)
}

// toUnicode returns a table (a CMap) that maps the glyphs of a font to their texts, for programs
// that copy or search text. texts are by the number of the glyph.
func toUnicode(texts []string) []byte {
	const perBlock = 100 // the largest number that PDF allows
	var b strings.Builder
	b.WriteString("/CIDInit/ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def\n" +
		"/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n1 " +
		"begincodespacerange\n<0000><FFFF>\nendcodespacerange\n")
	for start := 1; start < len(texts); start += perBlock { // 0 is for missing characters
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
