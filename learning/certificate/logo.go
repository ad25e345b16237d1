package certificate

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	_ "image/png" // decodes logos

	"golang.org/x/image/draw"

	"github.com/openlectern/openlectern/internal/pdf"
)

// Limits of a logo: the bytes of its file, the pixels of the decoded image, and the pixels
// that are embedded, which is 300 an inch in print.
const (
	maxLogoBytes  = 4 << 20
	maxLogoPixels = 24_000_000
	logoWidth     = 1000
	logoHeight    = 180
)

// logo is an image, encoded for PDF files.
type logo struct {
	width, height int
	colours       []byte // encoded as filter says
	filter        string
	opacity       []byte // deflated; nil if the image is opaque
}

var errLogoSize = errors.New("the image is larger than a logo may be")

// newLogo reads a PNG or a JPEG, and encodes it in the size that is embedded.
func newLogo(data []byte) (*logo, error) {
	if len(data) > maxLogoBytes {
		return nil, errLogoSize
	}
	// Look at the size first: a small file can hold a picture that fills the memory.
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, err
	case format != "png" && format != "jpeg":
		return nil, fmt.Errorf("the image is a %s, want PNG or JPEG", format)
	case config.Width < 1 || config.Height < 1 || config.Width > maxLogoPixels/config.Height:
		return nil, errLogoSize
	}
	full, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return encodeLogo(shrink(full), format)
}

// shrink scales an image down to fit into logoWidth and logoHeight. It copies a smaller one as it
// is.
func shrink(full image.Image) *image.NRGBA {
	size := full.Bounds().Size()
	scale := min(1, logoWidth/float64(size.X), logoHeight/float64(size.Y))
	// At least one pixel each way, also of an image that is very long and narrow.
	small := image.NewNRGBA(image.Rect(0, 0, max(1, int(scale*float64(size.X))),
		max(1, int(scale*float64(size.Y)))))
	draw.CatmullRom.Scale(small, small.Bounds(), full, full.Bounds(), draw.Src, nil)
	return small
}

// encodeLogo encodes a JPEG as JPEG again, and a PNG without loss. format is that of the file from
// which the image was read.
func encodeLogo(m *image.NRGBA, format string) (*logo, error) {
	l := &logo{width: m.Rect.Dx(), height: m.Rect.Dy(), filter: "/FlateDecode"}
	if format == "jpeg" {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}); err != nil {
			return nil, err
		}
		l.colours, l.filter = b.Bytes(), "/DCTDecode"
		return l, nil
	}
	// PDF has the opacity of an image in a second image. A pixel of m is red, green, blue, opacity.
	var colours, opacity []byte
	for i := 0; i < len(m.Pix); i += 4 {
		colours = append(colours, m.Pix[i:i+3]...)
		opacity = append(opacity, m.Pix[i+3])
	}
	l.colours = pdf.Deflate(colours)
	if !m.Opaque() {
		l.opacity = pdf.Deflate(opacity)
	}
	return l, nil
}

// write adds the image to a file, and before it the image of its opacity, if it has one. It returns
// the reference of the image in colour.
func (l *logo) write(f *pdf.File) pdf.Ref {
	mask := ""
	if l.opacity != nil {
		mask = fmt.Sprintf("/SMask %v",
			f.AddRaw(l.entries("/DeviceGray", "/FlateDecode"), l.opacity))
	}
	return f.AddRaw(l.entries("/DeviceRGB", l.filter)+mask, l.colours)
}

// entries returns the entries of the dictionary of an image of the logo's size, in a colour space
// and encoded as filter says.
func (l *logo) entries(space, filter string) string {
	return fmt.Sprintf(
		"/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace%s/BitsPerComponent 8/Filter%s",
		l.width, l.height, space, filter)
}

// drawLogo draws the image in the middle of a box, as large as it fits.
func (p *page) drawLogo(l *logo, in pdf.Box) {
	scale := min(in.Width()/float64(l.width), in.Height()/float64(l.height))
	width, height := scale*float64(l.width), scale*float64(l.height)
	p.AddObject("Logo", l.write)
	// An image of PDF is one unit wide and high; the matrix scales it and moves its corner.
	p.Object("Logo", width, 0, 0, height, in.Centre()-width/2, (in.Bottom+in.Top-height)/2)
}
