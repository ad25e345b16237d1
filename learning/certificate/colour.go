package certificate

import (
	"image/color"
	"math"
)

// rgb is a colour whose parts are between 0 and 1.
type rgb struct{ r, g, b float64 }

var (
	navy  = rgb{0.106, 0.216, 0.376}
	ink   = rgb{0.11, 0.12, 0.14}
	muted = rgb{0.36, 0.38, 0.42}
	white = rgb{1, 1, 1}
)

// tint is the colour, thinned with white: 1 is all of it, 0 is white.
func (c rgb) tint(part float64) rgb {
	thin := func(v float64) float64 { return 1 - part*(1-v) }
	return rgb{thin(c.r), thin(c.g), thin(c.b)}
}

// shade is the colour, darkened with black: 1 is all of it, 0 is black.
func (c rgb) shade(part float64) rgb { return rgb{part * c.r, part * c.g, part * c.b} }

// legible is a colour that text on white can have: the given one, opaque, and
// darkened until its contrast is 4.5, which WCAG 2 asks for.
func legible(c color.Color) rgb {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	full := rgb{float64(n.R) / 255, float64(n.G) / 255, float64(n.B) / 255}
	for part := 1.0; part > 0; part -= 0.02 {
		if dark := full.shade(part); 1.05/(dark.luminance()+0.05) >= 4.5 {
			return dark
		}
	}
	return rgb{}
}

// luminance is the relative luminance of WCAG 2.
func (c rgb) luminance() float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.r) + 0.7152*linear(c.g) + 0.0722*linear(c.b)
}

// RGBA implements [color.Color].
func (c rgb) RGBA() (r, g, b, a uint32) {
	part := func(v float64) uint32 { return uint32(math.Round(v * 0xffff)) }
	return part(c.r), part(c.g), part(c.b), 0xffff
}
