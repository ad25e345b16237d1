package certificate

import (
	"image/color"
	"math"

	"github.com/openlectern/openlectern/internal/pdf"
)

// rgb is a colour of the page, with the operations that the layout needs.
type rgb pdf.Colour

var (
	navy  = rgb{R: 0.106, G: 0.216, B: 0.376}
	ink   = rgb{R: 0.11, G: 0.12, B: 0.14}
	muted = rgb{R: 0.36, G: 0.38, B: 0.42}
	white = rgb{R: 1, G: 1, B: 1}
)

// tint mixes the colour with white: 1 is the colour, 0 is white.
func (c rgb) tint(part float64) rgb {
	thin := func(v float64) float64 { return 1 - part*(1-v) }
	return rgb{R: thin(c.R), G: thin(c.G), B: thin(c.B)}
}

// shade mixes the colour with black: 1 is the colour, 0 is black.
func (c rgb) shade(part float64) rgb { return rgb{R: part * c.R, G: part * c.G, B: part * c.B} }

// legible returns the colour, opaque and darkened until text in it has a contrast of at
// least 4.5 on white, which WCAG 2 requires.
func legible(c color.Color) rgb {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	full := rgb{R: float64(n.R) / 255, G: float64(n.G) / 255, B: float64(n.B) / 255}
	for part := 1.0; part > 0; part -= 0.02 {
		// The contrast of white, whose luminance is 1, as WCAG 2 defines it.
		if dark := full.shade(part); 1.05/(dark.luminance()+0.05) >= 4.5 {
			return dark
		}
	}
	return rgb{}
}

// luminance returns the relative luminance of WCAG 2.
func (c rgb) luminance() float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// RGBA implements [color.Color].
func (c rgb) RGBA() (r, g, b, a uint32) {
	part := func(v float64) uint32 { return uint32(math.Round(v * 0xffff)) }
	return part(c.R), part(c.G), part(c.B), 0xffff
}
