package pdf

import (
	"fmt"
	"math"
	"strconv"
)

// Colour is a colour of the RGB space whose parts are between 0 and 1.
type Colour struct{ R, G, B float64 }

// Canvas collects the operators of a page or of a drawing, each after its operands.
// Lengths are in points from the lower left corner. The zero Canvas is empty.
type Canvas struct{ content []byte }

// Op writes an operator after its operands, as a line. The operands are rounded to the hundredth.
func (c *Canvas) Op(operator string, operands ...float64) {
	for _, v := range operands {
		c.content = append(appendReal(c.content, v), ' ')
	}
	c.content = append(append(c.content, operator...), '\n')
}

// Printf appends formatted text, for operators whose operands are not all numbers. It adds no space
// and no line break.
func (c *Canvas) Printf(format string, args ...any) {
	c.content = fmt.Appendf(c.content, format, args...)
}

// Bytes returns the operators written so far. The caller must not change them.
func (c *Canvas) Bytes() []byte { return c.content }

// appendReal writes a number to the hundredth, as briefly as PDF allows.
func appendReal(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, math.Round(v*100)/100+0, 'f', -1, 64) // +0 turns -0 into 0
}

// Reals formats numbers to the hundredth, with spaces between them.
func Reals(values ...float64) string {
	var b []byte
	for i, v := range values {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendReal(b, v)
	}
	return string(b)
}

// MoveTo begins a new part of the path.
func (c *Canvas) MoveTo(x, y float64) { c.Op("m", x, y) }

// LineTo adds a straight line from the end of the path to x, y.
func (c *Canvas) LineTo(x, y float64) { c.Op("l", x, y) }

// CurveTo adds a cubic Bézier curve from the end of the path to x3, y3. The other two points are
// its control points.
func (c *Canvas) CurveTo(x1, y1, x2, y2, x3, y3 float64) { c.Op("c", x1, y1, x2, y2, x3, y3) }

// ClosePath adds a line back to the start of the current part of the path.
func (c *Canvas) ClosePath() { c.Op("h") }

// Rect adds a rectangle to the path. Its lower left corner is at x, y.
func (c *Canvas) Rect(x, y, w, h float64) { c.Op("re", x, y, w, h) }

// Frame adds the edges of a box to the path.
func (c *Canvas) Frame(b Box) { c.Rect(b.Left, b.Bottom, b.Width(), b.Height()) }

// Stroke draws the path and clears it.
func (c *Canvas) Stroke() { c.Op("S") }

// Fill fills the path and clears it.
func (c *Canvas) Fill() { c.Op("f") }

// FillStroke fills the path, draws its lines over that, and clears it.
func (c *Canvas) FillStroke() { c.Op("B") }

// FillColour sets the colour of text and of what is filled.
func (c *Canvas) FillColour(colour Colour) { c.Op("rg", colour.R, colour.G, colour.B) }

// Pen sets the width and the colour of lines.
func (c *Canvas) Pen(width float64, colour Colour) {
	c.Op("RG", colour.R, colour.G, colour.B)
	c.Op("w", width)
}

// Rule draws a horizontal line with the pen.
func (c *Canvas) Rule(left, right, y float64) {
	c.MoveTo(left, y)
	c.LineTo(right, y)
	c.Stroke()
}

// Object draws a named object of the page ([Page.AddObject]), with its coordinates
// transformed by a matrix of six numbers a, b, c, d, e, f: a point x, y of the object is drawn at
// ax+cy+e, bx+dy+f.
func (c *Canvas) Object(name string, matrix ...float64) {
	// q saves the coordinates of the page, and Q restores them.
	c.Op("q")
	c.Op("cm", matrix...)
	c.Op("/" + name + " Do")
	c.Op("Q")
}
