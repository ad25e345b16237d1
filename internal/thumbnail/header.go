package thumbnail

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/png"

	"golang.org/x/image/webp"
)

const (
	formatJPEG = "jpeg"
	formatPNG  = "png"
	formatWebP = "webp"
)

// maxInputSide is the largest width and height of an image that is decoded, in
// pixels: the limit of JPEG. It keeps the sums below from overflowing.
const maxInputSide = 1<<16 - 1

var errTooLarge = errors.New("too large")

// header is what is known of an image before it is decoded.
type header struct {
	format        string
	width, height int
	memory        int64 // that the decoder needs, in bytes; an upper bound
	orientation   int   // of EXIF, 1 to 8; 1 is upright
}

// inspect reads the header of an image. The first bytes of data tell its format. inspect returns an
// error for an unknown format, an invalid header, and an image that needs more than MaxMemory.
func inspect(data []byte) (h header, err error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		h, err = inspectJPEG(data)
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		h, err = inspectPNG(data)
	case bytes.HasPrefix(data, []byte("RIFF")):
		h, err = inspectWebP(data)
	default:
		err = errors.New("unknown format")
	}
	if err != nil {
		return header{}, err
	}
	if h.memory > MaxMemory {
		return header{}, errTooLarge
	}
	return h, nil
}

// newHeader returns the header of an upright image with a size. It returns errTooLarge if a side is
// longer than maxInputSide, and also if it is 0. The caller adds the memory.
func newHeader(format string, width, height int) (header, error) {
	if width < 1 || height < 1 || width > maxInputSide || height > maxInputSide {
		return header{}, errTooLarge
	}
	return header{format: format, width: width, height: height, orientation: 1}, nil
}

// Where in the file the header of a PNG (IHDR) has the fields that [png.DecodeConfig] does not
// return.
const (
	ihdrName      = 12
	ihdrDepth     = 24
	ihdrColor     = 25
	ihdrInterlace = 28
)

// inspectPNG reads the header of a PNG image, and computes the memory that decoding takes.
func inspectPNG(data []byte) (header, error) {
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return header{}, err
	}
	// The decoder passes over chunks that it does not know, also before the header.
	if len(data) <= ihdrInterlace || string(data[ihdrName:ihdrName+4]) != "IHDR" {
		return header{}, errors.New("the image does not begin with its header")
	}
	h, err := newHeader(formatPNG, config.Width, config.Height)
	if err != nil {
		return header{}, err
	}
	// tRNS is the chunk of a transparent colour. The same bytes elsewhere only make the result too
	// large.
	isTransparent := bytes.Contains(data, []byte("tRNS"))
	h.memory = int64(h.width) * int64(h.height) *
		pngPixel(data[ihdrDepth], data[ihdrColor], isTransparent)
	if data[ihdrInterlace] != 0 {
		h.memory *= 2 // the passes are decoded into images of their own
	}
	return h, nil
}

// pngPixel returns how many bytes a decoded pixel has. depth is the bits of a channel in the file.
// The decoder widens colours, and what has transparency, to four channels. The pixels of a palette
// are one byte each.
func pngPixel(depth, color byte, isTransparent bool) int64 {
	const gray, palette = 0, 3 // colour types of PNG
	channels := int64(4)
	if color == palette || color == gray && !isTransparent {
		channels = 1
	}
	if depth == 16 {
		return 2 * channels
	}
	return channels
}

// Memory of the lossless decoder for each pixel, in bytes: the pixel before and after its
// transforms, and the alpha channel that is taken from it.
const webpLosslessPixel = 11

// The Huffman tables of a lossless image come on top. In ordinary images they are
// small; in one that is made for it they can be 138 MB, so that lossless images are
// always processed as large ones.
const webpLosslessLeast = smallImage + 1

// inspectWebP reads the header of a WebP image, which is lossy (VP8), lossless (VP8L), or lossy
// with an alpha channel (ALPH) that may be compressed as a lossless image is.
func inspectWebP(data []byte) (header, error) {
	config, err := webp.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return header{}, err
	}
	h, err := newHeader(formatWebP, config.Width, config.Height)
	if err != nil {
		return header{}, err
	}
	const block = 16 // pixels on each side: VP8 decodes whole blocks
	pixels := roundUp(h.width, block) * roundUp(h.height, block)
	// A byte of brightness for each pixel, and two bytes of colour for each four.
	h.memory = pixels * 3 / 2
	// These bytes elsewhere than at the beginning of a chunk only make the result too large.
	usesLossless := bytes.Contains(data, []byte("VP8L")) || bytes.Contains(data, []byte("ALPH"))
	if usesLossless {
		h.memory = max(pixels*webpLosslessPixel, webpLosslessLeast)
	}
	return h, nil
}

// roundUp returns the smallest multiple of its second argument that is not below n.
func roundUp(n, multiple int) int64 {
	return int64((n + multiple - 1) / multiple * multiple)
}

// bigEndian returns the number in the first two bytes of b, which must have that many.
func bigEndian(b []byte) int { return int(binary.BigEndian.Uint16(b)) }
