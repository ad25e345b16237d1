package pdf

import (
	"github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
)

// Outline draws the outline of a font's glyph, with its points transformed by at into thousandths
// of an em. The quadratic curves of TrueType become cubic ones.
func (c *Charstring) Outline(outline font.GlyphOutline, at func(font.SegmentPoint) (x, y float64)) {
	var x, y float64 // the end of the last segment
	for _, s := range outline.Segments {
		switch s.Op {
		case ot.SegmentOpMoveTo:
			x, y = at(s.Args[0])
			c.MoveTo(x, y)
		case ot.SegmentOpLineTo:
			x, y = at(s.Args[0])
			c.LineTo(x, y)
		case ot.SegmentOpQuadTo:
			// The control points of the cubic curve are two thirds of the way from each end to that
			// of the quadratic one.
			controlX, controlY := at(s.Args[0])
			endX, endY := at(s.Args[1])
			c.CurveTo(x+2*(controlX-x)/3, y+2*(controlY-y)/3,
				endX+2*(controlX-endX)/3, endY+2*(controlY-endY)/3, endX, endY)
			x, y = endX, endY
		case ot.SegmentOpCubeTo:
			x1, y1 := at(s.Args[0])
			x2, y2 := at(s.Args[1])
			x, y = at(s.Args[2])
			c.CurveTo(x1, y1, x2, y2, x, y)
		}
	}
}
