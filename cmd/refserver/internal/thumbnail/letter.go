package thumbnail

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Where the letters stand, in pixels.
const (
	margin    = 84
	textWidth = 820
	floor     = Height - 96 // base line of the last line
)

// sizes are tried in turn until a title fits into that many lines.
var sizes = []struct {
	size  float64
	lines int
}{{96, 2}, {84, 3}, {70, 3}, {58, 4}, {48, 5}}

var (
	bold   = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gobold.TTF) })
	medium = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gomedium.TTF) })
)

// letter sets the title, a short bar above it and who teaches below it.
func letter(img *image.RGBA, title, byline string, light color.RGBA) error {
	titles, err := bold()
	if err != nil {
		return err
	}
	lines, size := []string(nil), 0.0
	if drawable(titles, title) {
		if lines, size, err = fit(titles, title); err != nil {
			return err
		}
	}
	base := floor
	if names, err := medium(); err != nil {
		return err
	} else if byline != "" && drawable(names, byline) {
		if err := write(img, names, 36, []string{byline}, base, color.RGBA{0xd9, 0xd9, 0xd9, 0xd9}); err != nil {
			return err
		}
		base -= 70
	}
	if len(lines) == 0 {
		return nil
	}
	top := base - int(float64(len(lines)-1)*size*leading) - int(size)
	draw.Draw(img, image.Rect(margin, top-34, margin+88, top-26), image.NewUniform(light), image.Point{}, draw.Over)
	return write(img, titles, size, lines, base, white)
}

// leading is the distance of two base lines, in sizes.
const leading = 1.14

// write sets lines upwards from a base line.
func write(img draw.Image, f *opentype.Font, size float64, lines []string, base int, c color.RGBA) error {
	face, err := newFace(f, size)
	if err != nil {
		return err
	}
	defer face.Close()
	for i, line := range lines {
		up := int(float64(len(lines)-1-i) * size * leading)
		d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: face, Dot: fixed.P(margin, base-up)}
		d.DrawString(line)
	}
	return nil
}

func newFace(f *opentype.Font, size float64) (font.Face, error) {
	return opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
}

// fit breaks a title into lines, as large as it can be. What is too long even for
// the smallest letters is cut.
func fit(f *opentype.Font, title string) (lines []string, size float64, err error) {
	for i, try := range sizes {
		face, err := newFace(f, try.size)
		if err != nil {
			return nil, 0, err
		}
		lines, size = wrap(face, title), try.size
		fits := len(lines) <= try.lines && !slices.ContainsFunc(lines, func(s string) bool { return tooWide(face, s) })
		if !fits && i == len(sizes)-1 {
			lines = cut(face, lines, try.lines)
		}
		face.Close()
		if fits {
			break
		}
	}
	return lines, size, nil
}

func tooWide(face font.Face, line string) bool {
	return font.MeasureString(face, line) > fixed.I(textWidth)
}

// cut drops lines that are too many, and the ends of those that are too wide.
func cut(face font.Face, lines []string, atMost int) []string {
	if len(lines) > atMost {
		lines = lines[:atMost]
		lines[atMost-1] += "…"
	}
	for i, line := range lines {
		for letters := []rune(line); tooWide(face, lines[i]); {
			letters = letters[:len(letters)-1]
			lines[i] = string(letters) + "…"
		}
	}
	return lines
}

// wrap fills lines with whole words, as few as they can be and then as even.
func wrap(face font.Face, text string) (lines []string) {
	lines = wrapTo(face, text, textWidth)
	for width := textWidth - 20; width > textWidth/2; width -= 20 {
		narrower := wrapTo(face, text, width)
		if len(narrower) > len(lines) {
			break
		}
		lines = narrower
	}
	return lines
}

func wrapTo(face font.Face, text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && font.MeasureString(face, longer) > fixed.I(width) {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	return append(lines, line)
}

// drawable tells whether the font has every letter of a text.
func drawable(f *opentype.Font, text string) bool {
	for _, r := range text {
		if glyph, err := f.GlyphIndex(nil, r); err != nil || (glyph == 0 && r != ' ') {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}
