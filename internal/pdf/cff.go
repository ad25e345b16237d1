package pdf

import (
	"encoding/binary"
	"math"
)

// Fonts are embedded in Adobe's Compact Font Format, as CID-keyed fonts whose
// glyphs are numbered in the order of their use (Adobe Technical Notes 5176, 5177).
// One format serves TrueType and PostScript outlines, and glyphs that are composed
// of several glyphs of a font.

// Operators of charstrings, and of dictionaries.
const (
	opLine, opCurve, opEnd, opMove = 5, 8, 14, 21

	opFontBBox, opCharset, opCharStrings, opPrivate = 5, 15, 17, 18
	opDefaultWidth, opNominalWidth                  = 20, 21
	opEscape                                        = 12
	opROS, opCIDCount, opFDArray, opFDSelect        = 30, 34, 36, 37
)

// Charstring is the drawing of one glyph in thousandths of an em. Points are given
// as absolute and are rounded before they are made relative, so that rounding
// errors do not add up.
type Charstring struct {
	code []byte
	x, y int
}

// NewCharstring begins a glyph of a width, in thousandths of an em.
func NewCharstring(width int) *Charstring {
	// The width precedes the operands of the first operator. It is given as the difference from a
	// width of the font, which cffFont sets to 0.
	return &Charstring{code: appendNumber(nil, width)}
}

// MoveTo begins a contour. The contour before it is closed by that.
func (c *Charstring) MoveTo(x, y float64) { c.point(x, y); c.code = append(c.code, opMove) }

// LineTo adds a line.
func (c *Charstring) LineTo(x, y float64) { c.point(x, y); c.code = append(c.code, opLine) }

// CurveTo adds a cubic Bézier curve.
func (c *Charstring) CurveTo(x1, y1, x2, y2, x3, y3 float64) {
	c.point(x1, y1)
	c.point(x2, y2)
	c.point(x3, y3)
	c.code = append(c.code, opCurve)
}

// End returns the finished glyph. The Charstring must not be used afterwards.
func (c *Charstring) End() []byte { return append(c.code, opEnd) }

// point writes a point as the difference from the last one, and makes it the last one.
func (c *Charstring) point(fx, fy float64) {
	x, y := clamp(fx), clamp(fy)
	c.code = appendNumber(appendNumber(c.code, x-c.x), y-c.y)
	c.x, c.y = x, y
}

// clamp rounds a coordinate, and limits it so that the difference of two is a valid number of a
// charstring, which has 16 bits with its sign.
func clamp(v float64) int { return int(math.Round(min(max(v, -16_000), 16_000))) }

// appendNumber writes a number of at most 16 bits with its sign in the encoding of charstrings and
// dictionaries: a small one in one byte, a larger one in two, and any other in the byte 28 and two
// more.
func appendNumber(b []byte, n int) []byte {
	switch {
	case -107 <= n && n <= 107:
		return append(b, byte(n+139))
	case 108 <= n && n <= 1131:
		n -= 108
		return append(b, byte(n>>8+247), byte(n))
	case -1131 <= n && n <= -108:
		n = -n - 108
		return append(b, byte(n>>8+251), byte(n))
	}
	return append(b, 28, byte(n>>8), byte(n))
}

// appendOffset writes a number of a dictionary in five bytes, whatever its value, so that the size
// of the dictionary does not depend on the offsets in it. Charstrings do not have this encoding.
func appendOffset(b []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(append(b, 29), uint32(n))
}

// appendIndex writes a list of byte strings as an INDEX: their number, where each begins, and the
// strings themselves. There may be at most 65535.
func appendIndex(b []byte, items ...[]byte) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(items)))
	if len(items) == 0 {
		return b
	}
	// Offsets of four bytes, from the byte before the items: where each item begins, and where the
	// last one ends.
	b = append(b, 4)
	offset := uint32(1)
	b = binary.BigEndian.AppendUint32(b, offset)
	for _, item := range items {
		offset += uint32(len(item))
		b = binary.BigEndian.AppendUint32(b, offset)
	}
	for _, item := range items {
		b = append(b, item...)
	}
	return b
}

// cffFont returns a font file of glyphs, which are charstrings. The first glyph is the one for
// missing characters; at least one other must follow. bounds is the box that holds all of them.
//
// The file has these parts: a header and the name (head), the top dictionary, which says where the
// parts of the body are (cffDirectory), strings and subroutines (tail), and the body.
func cffFont(name string, glyphs [][]byte, bounds Box) []byte {
	// Version 1.0, a header of four bytes, and offsets of four bytes; then the name.
	head := appendIndex([]byte{1, 0, 4, 4}, []byte(name))
	tail := appendIndex(nil, []byte("Adobe"), []byte("Identity")) // strings 391 and 392
	tail = appendIndex(tail)                                      // no global subroutines
	// Where the body begins. The directory is written with the offset 0 here, only for its size,
	// which does not depend on the offset: see appendOffset.
	start := len(head) + len(appendIndex(nil, cffDirectory(bounds, len(glyphs), 0))) + len(tail)

	// The parts in the order of cffDirectory. The charset has format 2, and one range: glyph 1 and
	// all after it are numbered from 1.
	charset := []byte{2, 0, 1}
	charset = binary.BigEndian.AppendUint16(charset, uint16(len(glyphs)-2))
	// The selection has format 3, and one range: from glyph 0 on all are of part 0.
	selection := []byte{3, 0, 1, 0, 0, 0}
	selection = binary.BigEndian.AppendUint16(selection, uint16(len(glyphs)))
	private := []byte{139, opDefaultWidth, 139, opNominalWidth} // 139 is the number 0
	body := append(append(charset, selection...), private...)
	// A font of this kind has a list of part fonts. Here it has one, with the size of the private
	// dictionary, which is now the last of the body, and its offset.
	part := append(appendOffset(appendNumber(nil, len(private)), start+len(body)-len(private)),
		opPrivate)
	body = appendIndex(body, part)
	body = appendIndex(body, glyphs...)

	font := appendIndex(head, cffDirectory(bounds, len(glyphs), start))
	return append(append(font, tail...), body...)
}

// cffDirectory returns the top dictionary of a font with a number of glyphs. start is the offset of
// the body in the file. The parts of the body have the order and the sizes that cffFont gives them.
func cffDirectory(bounds Box, glyphs, start int) []byte {
	// The list of part fonts has the number of its items, the size of an offset, two offsets, and
	// one item: a number in one byte, an offset in five, and an operator in one.
	const charsetSize, selectionSize, privateSize, partsSize = 5, 8, 4, 2 + 1 + 8 + 7
	selection := start + charsetSize
	parts := selection + selectionSize + privateSize
	// The character collection Adobe-Identity-0: the numbers of two strings, and 0. An operator
	// after opEscape has two bytes.
	b := appendNumber(appendNumber(appendNumber(nil, 391), 392), 0)
	b = append(b, opEscape, opROS)
	for _, v := range []float64{bounds.Left, bounds.Bottom, bounds.Right, bounds.Top} {
		b = appendNumber(b, clamp(v))
	}
	b = append(b, opFontBBox)
	b = append(appendOffset(b, glyphs), opEscape, opCIDCount)
	b = append(appendOffset(b, start), opCharset)
	b = append(appendOffset(b, selection), opEscape, opFDSelect)
	b = append(appendOffset(b, parts+partsSize), opCharStrings)
	return append(appendOffset(b, parts), opEscape, opFDArray)
}
