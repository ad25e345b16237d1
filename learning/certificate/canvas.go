package certificate

import (
	"math"
	"strconv"
)

// box is a rectangle in points from the lower left corner of the page, or in
// thousandths of an em from the origin of a glyph.
type box struct{ left, bottom, right, top float64 }

func (b box) width() float64  { return b.right - b.left }
func (b box) height() float64 { return b.top - b.bottom }
func (b box) centre() float64 { return (b.left + b.right) / 2 }

// around is the smallest box that holds both; the zero box holds nothing.
func (b box) around(o box) box {
	switch (box{}) {
	case b:
		return o
	case o:
		return b
	}
	return box{min(b.left, o.left), min(b.bottom, o.bottom), max(b.right, o.right), max(b.top, o.top)}
}

// shift is the box, moved.
func (b box) shift(x, y float64) box {
	return box{b.left + x, b.bottom + y, b.right + x, b.top + y}
}

// inset is the box, smaller by a margin on each side.
func (b box) inset(margin float64) box {
	return box{b.left + margin, b.bottom + margin, b.right - margin, b.top - margin}
}

// canvas is the content of a page: operators of PDF, each with its operands.
type canvas struct{ content []byte }

// put writes an operator after its operands.
func (c *canvas) put(operator string, operands ...float64) {
	for _, v := range operands {
		c.content = append(appendReal(c.content, v), ' ')
	}
	c.content = append(append(c.content, operator...), '\n')
}

// appendReal writes a number to the hundredth, as briefly as PDF allows.
func appendReal(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, math.Round(v*100)/100+0, 'f', -1, 64) // +0 makes -0 a 0
}

func (c *canvas) moveTo(x, y float64) { c.put("m", x, y) }
func (c *canvas) lineTo(x, y float64) { c.put("l", x, y) }
func (c *canvas) curveTo(x1, y1, x2, y2, x3, y3 float64) {
	c.put("c", x1, y1, x2, y2, x3, y3)
}
func (c *canvas) rect(x, y, w, h float64) { c.put("re", x, y, w, h) }
func (c *canvas) frame(b box)             { c.rect(b.left, b.bottom, b.width(), b.height()) }
func (c *canvas) stroke()                 { c.put("S") }
func (c *canvas) fill()                   { c.put("f") }
func (c *canvas) closePath()              { c.put("h") }
func (c *canvas) save()                   { c.put("q") }
func (c *canvas) restore()                { c.put("Q") }

func (c *canvas) fillColour(k rgb) { c.put("rg", k.r, k.g, k.b) }
func (c *canvas) pen(width float64, k rgb) {
	c.put("RG", k.r, k.g, k.b)
	c.put("w", width)
}

// rule draws a level line.
func (c *canvas) rule(left, right, y float64) {
	c.moveTo(left, y)
	c.lineTo(right, y)
	c.stroke()
}
