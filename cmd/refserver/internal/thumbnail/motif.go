package thumbnail

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"

	"golang.org/x/image/vector"
)

// canvas is where the shapes go. They keep to the right and the edges: the title
// stands on the left.
type canvas struct {
	img    *image.RGBA
	random *rand.Rand
	light  color.RGBA
}

// motifs are the kinds of pictures.
var motifs = []func(*canvas){rings, discs, waves, dots, bars, hills, ribbons, tiles}

type point struct{ x, y float64 }

// paint fills a closed outline with a colour at an opacity of 0 to 1.
func (c *canvas) paint(paint color.RGBA, opacity float64, outlines ...[]point) {
	box := bounds(outlines).Intersect(c.img.Bounds())
	if box.Empty() {
		return
	}
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for _, outline := range outlines {
		for i, p := range outline {
			x, y := float32(p.x-float64(box.Min.X)), float32(p.y-float64(box.Min.Y))
			if i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	a := opacity * 255
	shade := func(v uint8) uint8 { return uint8(float64(v)*opacity + 0.5) }
	src := image.NewUniform(color.RGBA{shade(paint.R), shade(paint.G), shade(paint.B), uint8(a + 0.5)})
	r.DrawOp = draw.Over
	r.Draw(c.img, box, src, image.Point{})
}

func bounds(outlines [][]point) image.Rectangle {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, outline := range outlines {
		for _, p := range outline {
			low.x, low.y = math.Min(low.x, p.x), math.Min(low.y, p.y)
			high.x, high.y = math.Max(high.x, p.x), math.Max(high.y, p.y)
		}
	}
	return image.Rect(int(math.Floor(low.x)), int(math.Floor(low.y)), int(math.Ceil(high.x)), int(math.Ceil(high.y)))
}

// between is a number from low to high.
func (c *canvas) between(low, high float64) float64 { return low + c.random.Float64()*(high-low) }

// circle is an outline of many short lines; backwards it cuts a hole.
func circle(at point, radius float64, backwards bool) []point {
	const n = 160
	outline := make([]point, n)
	for i := range outline {
		turn := 2 * math.Pi * float64(i) / n
		if backwards {
			turn = -turn
		}
		outline[i] = point{at.x + radius*math.Cos(turn), at.y + radius*math.Sin(turn)}
	}
	return outline
}

func rectangle(x, y, width, height float64) []point {
	return []point{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}}
}

var white = color.RGBA{0xff, 0xff, 0xff, 0xff}

// rings are circles around a point near the right edge, like a target or a record.
func rings(c *canvas) {
	at := point{c.between(1010, 1180), c.between(180, 420)}
	for i := range 6 {
		radius := 90 + 95*float64(i)
		c.paint(white, 0.16-0.022*float64(i), circle(at, radius+26, false), circle(at, radius-6, true))
	}
	c.paint(c.light, 0.95, circle(at, 52, false))
}

// discs overlap, and the light one is the smallest.
func discs(c *canvas) {
	at := point{c.between(960, 1100), c.between(220, 420)}
	for _, radius := range []float64{390, 280, 180} {
		turn := c.between(0, 2*math.Pi)
		c.paint(white, 0.09, circle(point{at.x + 90*math.Cos(turn), at.y + 70*math.Sin(turn)}, radius, false))
	}
	c.paint(c.light, 0.92, circle(point{at.x + c.between(20, 130), at.y - c.between(20, 130)}, 74, false))
}

// waves roll along the lower edge; a sun stands above them.
func waves(c *canvas) {
	c.paint(c.light, 0.92, circle(point{c.between(1000, 1120), c.between(150, 230)}, 82, false))
	for i := range 4 {
		length, phase := c.between(420, 700), c.between(0, 2*math.Pi)
		level, height := 420+72*float64(i), 46-6*float64(i)
		wave := []point{{-8, Height + 8}}
		for x := -8.0; x <= Width+8; x += 8 {
			rise := 0.35 + 0.65*x/Width // lower on the left, where the title is
			wave = append(wave, point{x, level + (1-rise)*220 + height*math.Sin(2*math.Pi*x/length+phase)})
		}
		c.paint(white, 0.085, append(wave, point{Width + 8, Height + 8}))
	}
}

// dots are a grid that grows towards the right, with a few lit.
func dots(c *canvas) {
	const gap = 64
	for x := 700.0; x < Width+gap; x += gap {
		for y := 40.0; y < Height; y += gap {
			size := 4 + 19*(x-700)/580
			paint, opacity := white, 0.16
			if x > 860 && c.random.IntN(9) == 0 {
				paint, opacity = c.light, 0.92
			}
			c.paint(paint, opacity, circle(point{x, y}, size, false))
		}
	}
}

// bars rise to the right, and the last but one is lit.
func bars(c *canvas) {
	const n, width = 7, 58.0
	for i := range n {
		height := 120 + 62*float64(i) + c.between(-46, 46)
		paint, opacity := white, 0.1+0.012*float64(i)
		if i == n-2 {
			paint, opacity = c.light, 0.92
		}
		c.paint(paint, opacity, rectangle(690+float64(i)*(width+26), Height-height, width, height))
	}
}

// hills stand one behind the other under a moon.
func hills(c *canvas) {
	c.paint(c.light, 0.92, circle(point{c.between(940, 1130), c.between(130, 210)}, 66, false))
	for i := range 4 {
		level := 330 + 92*float64(i)
		ridge := []point{{-8, Height + 8}, {-8, level + 230}}
		for x := c.between(120, 260); x < Width; x += c.between(130, 230) {
			rise := 1 - x/Width
			ridge = append(ridge, point{x, level + 190*rise + c.between(-70, 70)})
		}
		c.paint(white, 0.08, append(ridge, point{Width + 8, level}, point{Width + 8, Height + 8}))
	}
}

// ribbons cross the right half from edge to edge.
func ribbons(c *canvas) {
	x := c.between(700, 780)
	for i := range 5 {
		width := c.between(44, 110)
		paint, opacity := white, 0.07+0.02*float64(i%3)
		if i == 3 {
			paint, opacity, width = c.light, 0.92, 40
		}
		const slant = 420
		c.paint(paint, opacity, []point{{x, Height + 4}, {x + width, Height + 4}, {x + width + slant, -4}, {x + slant, -4}})
		x += width + c.between(18, 46)
	}
}

// tiles are squares cut by quarter circles, as on a kitchen floor.
func tiles(c *canvas) {
	const size = 120.0
	for column := range 4 {
		for row := range 6 {
			if c.random.IntN(6) == 0 {
				continue
			}
			x, y := 800+size*float64(column), size*float64(row)
			paint, opacity := white, 0.06+0.03*float64(column)
			if column > 0 && c.random.IntN(8) == 0 {
				paint, opacity = c.light, 0.92
			}
			c.paint(paint, opacity, quarter(x, y, size, c.random.IntN(4)))
		}
	}
}

// quarter is a quarter of a disc that fills a square from one of its corners.
func quarter(x, y, size float64, corner int) []point {
	turn := float64(corner) * math.Pi / 2
	at := []point{{x, y}, {x + size, y}, {x + size, y + size}, {x, y + size}}[corner]
	outline := []point{at}
	for i := range 25 {
		a := turn + math.Pi/2*float64(i)/24
		outline = append(outline, point{at.x + size*math.Cos(a), at.y + size*math.Sin(a)})
	}
	return outline
}
