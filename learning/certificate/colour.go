package certificate

import (
	"image/color"
	"math"

	"github.com/openlectern/openlectern/internal/pdf"
)

// rgb is a colour of the page in sRGB, with the operations that the layout needs. Each component is
// between 0 and 1.
type rgb pdf.Colour

var (
	navy  = rgb{R: 0.106, G: 0.216, B: 0.376}
	ink   = rgb{R: 0.11, G: 0.12, B: 0.14}
	muted = rgb{R: 0.36, G: 0.38, B: 0.42}
	white = rgb{R: 1, G: 1, B: 1}
)

// tint mixes the colour with white. If part is 1 the result is the colour, if it is 0 white.
func (c rgb) tint(part float64) rgb {
	thin := func(v float64) float64 { return 1 - part*(1-v) }
	return rgb{R: thin(c.R), G: thin(c.G), B: thin(c.B)}
}

// shade mixes the colour with black. If part is 1 the result is the colour, if it is 0 black.
func (c rgb) shade(part float64) rgb { return rgb{R: part * c.R, G: part * c.G, B: part * c.B} }

// legible returns the colour, opaque and darkened until text in it has a contrast of at
// least 4.5 on white, which WCAG 2 requires.
func legible(c color.Color) rgb {
	// The components of an NRGBA are not multiplied by its opacity, which is left out here.
	straight := color.NRGBAModel.Convert(c).(color.NRGBA)
	full := rgb{
		R: float64(straight.R) / 255,
		G: float64(straight.G) / 255,
		B: float64(straight.B) / 255,
	}
	for part := 1.0; part > 0; part -= 0.02 {
		dark := full.shade(part)
		// WCAG 2 defines the contrast so; white has the luminance 1.
		contrast := (1 + 0.05) / (dark.luminance() + 0.05)
		if contrast >= 4.5 {
			return dark
		}
	}
	return rgb{} // never reached: every colour is dark enough long before part is 0
}

// luminance returns the relative luminance of WCAG 2.
func (c rgb) luminance() float64 {
	// linear turns a component of sRGB into an amount of light.
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
