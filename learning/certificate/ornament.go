package certificate

import (
	"fmt"
	"math"

	"github.com/openlectern/openlectern/internal/pdf"
)

// The ornament is guilloche, as on banknotes and diplomas: fine waves that cross,
// in tints of the accent colour.

const (
	frameMargin = 26.0 // from the edge of the paper, because printers leave the edge white
	bandWidth   = 17.0
	period      = 26.0 // of the waves
)

// drawFrame draws a band of waves between two lines around the page, and rosettes on its corners.
func (p *page) drawFrame() {
	outer := box(0, 0, pageWidth, pageHeight).Inset(frameMargin)
	p.pen(0.35, p.accent.tint(0.6))
	p.waves(outer.Inset(bandWidth / 2))
	p.pen(1.1, p.accent)
	p.Frame(outer)
	p.Stroke()
	p.pen(0.5, p.accent)
	p.Frame(outer.Inset(bandWidth))
	p.Stroke()
	p.corners(outer.Inset(bandWidth / 2))
}

// waves repeats the waves along the middle of the band, which is around, except in its corners.
func (p *page) waves(around pdf.Box) {
	half := bandWidth / 2
	// The bottom and the top: along the band is to the right, across it is up.
	width, steps := evenly(around.Width() - bandWidth)
	for i := range steps {
		x := around.Left + half + float64(i)*width
		p.drawWaves(width/period, 0, 0, 1, x, around.Bottom)
		p.drawWaves(width/period, 0, 0, 1, x, around.Top)
	}
	// The left and the right: along the band is up, across it is to the right.
	height, steps := evenly(around.Height() - bandWidth)
	for i := range steps {
		y := around.Bottom + half + float64(i)*height
		p.drawWaves(0, height/period, 1, 0, around.Left, y)
		p.drawWaves(0, height/period, 1, 0, around.Right, y)
	}
}

// evenly divides a length into n equal steps of about a period. It returns the length of a step and
// their number.
func evenly(length float64) (step float64, n int) {
	n = int(math.Round(length / period))
	return length / float64(n), n
}

// drawWaves draws one period of the waves, transformed by a matrix of PDF: the x and y of a unit
// along the band, the x and y of a unit across it, and the x and y of its begin.
func (p *page) drawWaves(matrix ...float64) {
	p.Object("Waves", matrix...)
}

// writeWaves adds one period of eight waves to the file, once for all uses.
func writeWaves(f *pdf.File) pdf.Ref {
	var c pdf.Canvas
	for strand := range 8 {
		drawWave(&c, float64(strand)*math.Pi/4)
	}
	bounds := box(-1, -bandWidth/2, period+1, bandWidth/2) // with room for the ends of the lines
	return f.AddStream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[%s]",
		pdf.Reals(bounds.Left, bounds.Bottom, bounds.Right, bounds.Top)), c.Bytes())
}

// drawWave draws one period of a sine along x, from a phase in radians.
func drawWave(c *pdf.Canvas, phase float64) {
	const pieces, height = 8, bandWidth/2 - 2.4 // the waves do not touch the lines of the band
	const step, turn = period / pieces, 2 * math.Pi / pieces
	// value returns the sine at the begin of a piece, and how far its tangent rises in a third of a
	// piece, because that is where the control points of a Bézier curve are.
	value := func(i int) (v, slope float64) {
		sin, cos := math.Sincos(phase + float64(i)*turn)
		return height * sin, height * cos * turn / 3
	}
	v, slope := value(0)
	c.MoveTo(0, v)
	for i := range pieces {
		next, nextSlope := value(i + 1)
		x := float64(i) * step
		c.CurveTo(x+step/3, v+slope, x+2*step/3, next-nextSlope, x+step, next)
		v, slope = next, nextSlope
	}
	c.Stroke()
}

// corners draws a rosette in a white square over each corner of at, which is the middle of the
// band. The squares hide that the waves end before the corners.
func (p *page) corners(at pdf.Box) {
	side := bandWidth + 7 // wider than the band
	for _, x := range []float64{at.Left, at.Right} {
		for _, y := range []float64{at.Bottom, at.Top} {
			square := box(x-side/2, y-side/2, x+side/2, y+side/2)
			p.fillColour(white)
			p.pen(0.9, p.accent)
			p.Frame(square)
			p.FillStroke()
			p.pen(0.35, p.accent.tint(0.8))
			p.rosette(x, y, side/2-2.6, 12)
		}
	}
}

// rosette draws n ellipses around a point, each turned a little more than the last. Half a turn is
// enough for all of them, because an ellipse looks the same after it.
func (p *page) rosette(x, y, radius float64, n int) {
	for i := range n {
		p.ellipse(x, y, radius, radius*0.36, float64(i)*math.Pi/float64(n))
	}
	p.Stroke()
}

// ellipse adds an ellipse with the half axes a and b around x, y to the path, turned by an angle in
// radians.
func (p *page) ellipse(x, y, a, b, angle float64) {
	// Four Bézier curves, each given by two control points and its end. k is the distance of the
	// control points at which a curve is nearly a quarter of a circle of radius 1.
	const k = 0.5523
	sin, cos := math.Sincos(angle)
	at := func(u, v float64) (float64, float64) { return x + u*cos - v*sin, y + u*sin + v*cos }
	p.MoveTo(at(a, 0))
	for _, q := range [4][6]float64{
		{a, k * b, k * a, b, 0, b}, {-k * a, b, -a, k * b, -a, 0},
		{-a, -k * b, -k * a, -b, 0, -b}, {k * a, -b, a, -k * b, a, 0},
	} {
		x1, y1 := at(q[0], q[1])
		x2, y2 := at(q[2], q[3])
		x3, y3 := at(q[4], q[5])
		p.CurveTo(x1, y1, x2, y2, x3, y3)
	}
	p.ClosePath()
}

// drawDivider draws the ornament below the heading.
func (p *page) drawDivider() {
	const y, reach, hole = 410.0, 150.0, 15.0
	p.pen(0.6, p.accent.tint(0.55))
	p.Rule(middle-reach, middle-hole, y)
	p.Rule(middle+hole, middle+reach, y)
	p.pen(0.4, p.accent)
	p.rosette(middle, y, 8, 8)
}
