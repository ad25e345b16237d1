package certificate_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/certificate"
)

// disc is a red disc on a transparent background.
func disc(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			if dx, dy := 2*x-width, 2*y-height; dx*dx*height*height+
				dy*dy*width*width < width*width*height*height {
				m.Set(x, y, color.NRGBA{R: 200, A: 255})
			}
		}
	}
	return m
}

func pngLogo(tb testing.TB, width, height int) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, disc(width, height)); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func jpegLogo(tb testing.TB, m image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func TestLogo_FormatsAndShapes(t *testing.T) {
	for name, data := range map[string][]byte{
		"PNG":         pngLogo(t, 300, 100),
		"JPEG":        jpegLogo(t, disc(300, 100)),
		"grey JPEG":   jpegLogo(t, image.NewGray(image.Rect(0, 0, 60, 60))),
		"very wide":   pngLogo(t, 4000, 3),
		"very tall":   pngLogo(t, 3, 4000),
		"one pixel":   jpegLogo(t, image.NewGray(image.Rect(0, 0, 1, 1))),
		"many pixels": pngLogo(t, 3000, 2000),
	} {
		t.Run(name, func(t *testing.T) {
			file := render(t, newRenderer(t, certificate.WithLogo(data)), ordinary)
			if len(file) > 300_000 {
				t.Errorf("%d bytes", len(file))
			}
			page := picture(t, file, 72)
			dark := 0
			for y := 595 - 541; y < 595-504; y++ {
				for x := 150; x < 842-150; x++ {
					if page.GrayAt(x, y).Y < 200 {
						dark++
					}
				}
			}
			// these are too thin to be seen
			if dark == 0 && !strings.HasPrefix(name, "very t") &&
				!strings.HasPrefix(name, "very w") {
				t.Error("the place of the logo is empty")
			}
		})
	}
}

func TestNew_InvalidLogo(t *testing.T) {
	var animated bytes.Buffer
	if err := gif.Encode(&animated, disc(10, 10), nil); err != nil {
		t.Fatal(err)
	}
	whole := pngLogo(t, 50, 50)
	for name, data := range map[string][]byte{
		"empty":              {},
		"text":               []byte("<svg/>"),
		"GIF":                animated.Bytes(),
		"cut short":          whole[:len(whole)/2],
		"a large file":       append(whole, make([]byte, 5<<20)...),
		"decompression bomb": claiming(whole, 60_000, 60_000),
		"largest dimensions": claiming(whole, 1<<31-1, 1<<31-1),
		"no pixels":          claiming(whole, 0, 10),
	} {
		if _, err := certificate.New(certificate.WithLogo(data)); err == nil {
			t.Errorf("%s: accepted as a logo", name)
		}
	}
}

// The header of a small file can claim gigabytes of pixels. They must not be allocated.
func TestNew_LogoWithTooManyPixelsIsNotDecoded(t *testing.T) {
	file := pngLogo(t, 50, 50)
	for _, side := range []uint32{6_000, 60_000} {
		_, err := certificate.New(certificate.WithLogo(claiming(file, side, side)))
		if err == nil || !strings.Contains(err.Error(), "larger than a logo may be") {
			t.Errorf("%d pixels a side: %v", side, err)
		}
	}
}

// claiming returns a PNG whose header claims another size.
func claiming(file []byte, width, height uint32) []byte {
	file = bytes.Clone(file)
	binary.BigEndian.PutUint32(file[16:], width)
	binary.BigEndian.PutUint32(file[20:], height)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}
