package thumbnail

import (
	"image"
	"image/draw"
)

// scaledSize returns the size of the result, before it is turned. An image is never made larger.
func (h header) scaledSize() (width, height int) {
	side := max(h.width, h.height)
	if side <= MaxSide {
		return h.width, h.height
	}
	scaled := func(n int) int { return max((n*MaxSide+side/2)/side, 1) } // rounded
	return scaled(h.width), scaled(h.height)
}

// resultMemory returns how many bytes scaling and turning need at most.
func (h header) resultMemory() int64 {
	width, height := h.scaledSize()
	// Four bytes a pixel: the scaled image, the turned one, and a strip of the source.
	return 2*4*int64(width)*int64(height) + 4*strip*int64(h.width)
}

// upright returns an image that is small enough, has eight bits a channel and is
// turned as its orientation says. It returns img itself if that is so already.
func upright(h header, img image.Image) image.Image {
	width, height := h.scaledSize()
	if width == h.width && height == h.height && h.orientation == 1 && !isDeep(img) {
		return img
	}
	return turn(scale(img, width, height), h.orientation)
}

// isDeep reports whether an image has 16 bits a channel.
func isDeep(img image.Image) bool {
	switch img.(type) {
	case *image.Gray16, *image.RGBA64, *image.NRGBA64:
		return true
	}
	return false
}

// strip is how many rows are converted at a time.
const strip = 16

// scale returns an image in a size that is not larger than its own. Each pixel is
// the mean of the area that it covers. It needs memory for the result and a few rows
// only: the kernels of golang.org/x/image/draw need 32 bytes for each pixel of an
// image with the new width and the old height.
func scale(src image.Image, width, height int) *image.NRGBA {
	from := src.Bounds()
	dst := image.NewNRGBA(image.Rect(0, 0, width, height))
	rows := image.NewRGBA(image.Rect(0, 0, from.Dx(), strip))
	s := scaler{
		from: from.Size(),
		dst:  dst,
		row:  make([]uint32, 4*width),
		sums: make([]uint64, 4*width),
		left: from.Dy(),
	}
	for y := 0; y < from.Dy(); y += strip {
		draw.Draw(rows, rows.Bounds(), src, from.Min.Add(image.Pt(0, y)), draw.Src)
		for i := range min(strip, from.Dy()-y) {
			s.add(rows.Pix[i*rows.Stride:][:4*from.Dx()])
		}
	}
	return dst
}

// scaler sums rows of premultiplied pixels. Lengths are counted so that all are
// integers: across, a pixel of the source is dst.width long and one of the result
// from.X; down, dst.height and from.Y.
type scaler struct {
	from image.Point
	dst  *image.NRGBA
	row  []uint32 // the current row of the source, in the new width
	sums []uint64 // the current row of the result
	y    int      // of the current row of the result
	left int      // missing length of the current row of the result
}

// add adds a row of the source.
func (s *scaler) add(pixels []byte) {
	s.shrinkRow(pixels)
	for length := s.dst.Rect.Dy(); length > 0; {
		part := min(length, s.left)
		for i, v := range s.row {
			s.sums[i] += uint64(v) * uint64(part)
		}
		length -= part
		if s.left -= part; s.left == 0 {
			s.finishRow()
		}
	}
}

// shrinkRow sums the pixels of a row of the source into s.row, in the new width. A pixel of the
// source is in two pixels of the result at most, because the result is not wider.
func (s *scaler) shrinkRow(pixels []byte) {
	clear(s.row)
	width := uint32(s.dst.Rect.Dx())
	to := s.row              // from the current pixel of the result on
	left := uint32(s.from.X) // missing length of that pixel
	for ; len(pixels) >= 4; pixels = pixels[4:] {
		part := min(width, left)
		addPixel(to, pixels, part)
		if left -= part; left == 0 { // the rest of the pixel is in the next one of the result
			to, left = to[4:], uint32(s.from.X)
			if rest := width - part; rest > 0 {
				addPixel(to, pixels, rest)
				left -= rest
			}
		}
	}
}

// addPixel adds the four channels of a pixel to sums, so many times.
func addPixel(to []uint32, pixel []byte, times uint32) {
	_, _ = to[3], pixel[3] // so that the compiler checks the bounds once
	to[0] += uint32(pixel[0]) * times
	to[1] += uint32(pixel[1]) * times
	to[2] += uint32(pixel[2]) * times
	to[3] += uint32(pixel[3]) * times
}

// finishRow writes a row of the result, and begins the next.
func (s *scaler) finishRow() {
	to := s.dst.Pix[s.y*s.dst.Stride:][:len(s.sums)]
	area := uint64(s.from.X) * uint64(s.from.Y) // of a pixel of the result
	for i := 0; i < len(to); i += 4 {
		alpha := s.sums[i+3]
		if alpha == 0 { // the pixel stays transparent, and without a colour
			continue
		}
		for c := range 3 { // the colours, no longer multiplied by alpha, rounded
			to[i+c] = uint8((s.sums[i+c]*0xff + alpha/2) / alpha)
		}
		to[i+3] = uint8((alpha + area/2) / area)
	}
	clear(s.sums)
	s.y, s.left = s.y+1, s.from.Y
}

// turn returns an image as the EXIF orientation, 1 to 8, says that it is to be shown.
func turn(src *image.NRGBA, orientation int) *image.NRGBA {
	if orientation == 1 {
		return src
	}
	size := src.Rect.Size()
	right, bottom := size.X-1, size.Y-1 // of the source
	if orientation >= 5 {               // turned by 90 degrees
		size.X, size.Y = size.Y, size.X
	}
	dst := image.NewNRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			from := [...]image.Point{ // the pixel of the source, by orientation
				2: {right - x, y},          // mirrored
				3: {right - x, bottom - y}, // upside down
				4: {x, bottom - y},         // upside down, mirrored
				5: {y, x},                  // turned by 90 degrees, mirrored
				6: {y, bottom - x},         // turned to the right
				7: {right - y, bottom - x}, // turned by 90 degrees, mirrored
				8: {right - y, x},          // turned to the left
			}[orientation]
			copy(dst.Pix[dst.PixOffset(x, y):][:4], src.Pix[src.PixOffset(from.X, from.Y):])
		}
	}
	return dst
}
