package thumbnail

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"
)

func encodePNG(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func encodeJPEG(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 100}); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// passes are the first pixel and the distances of pixels in each pass of an interlaced PNG.
var passes = [][][4]int{{{0, 0, 1, 1}},
	{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
		{0, 1, 1, 2}}}

// flatPNG is an image of one colour, of any depth and colour type.
func flatPNG(width, height, depth, colorType, interlace int, transparent bool) []byte {
	channels := map[int]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colorType]
	var data bytes.Buffer
	z, _ := zlib.NewWriterLevel(&data, zlib.BestSpeed)
	for _, pass := range passes[interlace] {
		across, down := (width-pass[0]+pass[2]-1)/pass[2], (height-pass[1]+pass[3]-1)/pass[3]
		if across > 0 && down > 0 {
			z.Write(make([]byte, (1+(across*channels*depth+7)/8)*down))
		}
	}
	z.Close()
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)),
		uint32(height))
	b := []byte("\x89PNG\r\n\x1a\n")
	b = appendChunk(b, "IHDR", append(header, byte(depth), byte(colorType), 0, 0, byte(interlace)))
	if colorType == 3 {
		b = appendChunk(b, "PLTE", make([]byte, 3))
	}
	if transparent {
		b = appendChunk(b, "tRNS",
			map[int][]byte{0: {0, 1}, 2: {0, 1, 0, 1, 0, 1}, 3: {1}}[colorType])
	}
	return appendChunk(appendChunk(b, "IDAT", data.Bytes()), "IEND", nil)
}

// hollowPNG returns an image whose header claims more pixels than it has.
func hollowPNG(width, height, depth, colorType, interlace int, transparent bool) []byte {
	b := flatPNG(8, 8, depth, colorType, interlace, transparent)
	binary.BigEndian.PutUint32(b[16:], uint32(width))
	binary.BigEndian.PutUint32(b[20:], uint32(height))
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

func appendChunk(b []byte, kind string, data []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
	start := len(b)
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}

// flatJPEG is a grey image: all coefficients are zero. sampling has the factors of
// each component, such as 0x22, 0x11, 0x11. Adobe says what the components mean.
func flatJPEG(marker byte, width, height, scans int, adobe bool, sampling ...byte) []byte {
	b := []byte("\xff\xd8")
	if adobe {
		b = appendSegment(b, 0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00"))
	}
	b = appendSegment(b, 0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...))
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width),
		byte(len(sampling))}
	scan, blocks := []byte{byte(len(sampling))}, 0
	for i, factors := range sampling {
		frame = append(frame, byte(i+1), factors, 0)
		scan = append(scan, byte(i+1), 0)
		blocks += int(factors>>4) * int(factors&15)
	}
	b = appendSegment(b, marker, frame)
	lengths := append([]byte{1}, make([]byte, 15)...)
	// DC: one code, no difference
	b = appendSegment(b, 0xc4, append(append([]byte{0x00}, lengths...), 0))
	// AC: one code, end of block
	b = appendSegment(b, 0xc4, append(append([]byte{0x10}, lengths...), 0))
	if len(sampling) == 1 {
		blocks = 1
		sampling = []byte{0x11}
	}
	across, down := int(sampling[0]>>4), int(sampling[0]&15)
	blocks *= int(roundUp(width, 8*across)*roundUp(height, 8*down)) / (64 * across * down)
	end, bits := byte(63), 2*blocks
	if marker == markerSOF2 {
		end, bits = 0, blocks
	}
	for range scans {
		b = appendSegment(b, 0xda, append(bytes.Clone(scan), 0, end, 0))
		b = append(b, make([]byte, (bits+7)/8)...)
	}
	return append(b, 0xff, markerEOI)
}

func appendSegment(b []byte, marker byte, data []byte) []byte {
	n := len(data) + 2
	return append(append(b, 0xff, marker, byte(n>>8), byte(n)), data...)
}

// pixelWebP is one lossless pixel.
func pixelWebP(tb testing.TB) []byte {
	tb.Helper()
	b, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// flatWebP is a lossless image of one colour: each Huffman table has one symbol.
func flatWebP(width, height int) []byte {
	head := uint32(width-1) | uint32(height-1)<<14
	// no transform, no colour cache, no further tables, five tables of one symbol each
	data := append(binary.LittleEndian.AppendUint32([]byte{0x2f}, head), 0x88, 0x88, 0x08, 0, 0, 0)
	chunk := append(binary.LittleEndian.AppendUint32([]byte("VP8L"), uint32(len(data))), data...)
	if len(data)%2 == 1 {
		chunk = append(chunk, 0)
	}
	return append(append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunk)+4)),
		"WEBP"...), chunk...)
}

// withOrientation is a JPEG with EXIF data.
func withOrientation(data []byte, order binary.AppendByteOrder, orientation uint16) []byte {
	tiff := []byte("II*\x00")
	if order.String() == binary.BigEndian.String() {
		tiff = []byte("MM\x00*")
	}
	tiff = order.AppendUint16(order.AppendUint32(tiff, 8), 2)
	for _, entry := range [][2]uint16{{0x010e, 7}, {tagOrientation, orientation}} {
		tiff = order.AppendUint16(order.AppendUint16(tiff, entry[0]), typeShort)
		tiff = append(order.AppendUint16(order.AppendUint32(tiff, 1), entry[1]), 0, 0)
	}
	return append(appendSegment([]byte("\xff\xd8"), markerAPP1,
		append([]byte(exifPrefix), tiff...)), data[2:]...)
}

// quarters is an image whose four quarters have different colours.
func quarters(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, color.NRGBA{R: uint8(x * 2 / width * 255),
				G: uint8(y * 2 / height * 255), B: 128, A: 255})
		}
	}
	return img
}
