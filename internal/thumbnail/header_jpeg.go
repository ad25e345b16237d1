package thumbnail

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/color"
	"image/jpeg"
	"iter"
)

// The markers of JPEG that matter here.
const (
	markerSOF0  = 0xc0 // start of a baseline frame
	markerSOF1  = 0xc1 // start of an extended frame
	markerSOF2  = 0xc2 // start of a progressive frame
	markerRST0  = 0xd0
	markerRST7  = 0xd7
	markerDHT   = 0xc4
	markerEOI   = 0xd9
	markerSOS   = 0xda // start of a scan
	markerDQT   = 0xdb
	markerAPP1  = 0xe1
	exifPrefix  = "Exif\x00\x00"
	sampleBlock = 8 // pixels on each side
)

// maxScans bounds the time to decode: each scan goes over the whole image, and takes
// a few bytes. Encoders write about ten.
const maxScans = 100

var errNoFrame = errors.New("no frame")

// inspectJPEG reads the header of a JPEG image. It refuses one that takes too long to decode.
func inspectJPEG(data []byte) (header, error) {
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return header{}, err
	}
	// The same bytes elsewhere, as in metadata, only make the number too large.
	if bytes.Count(data, []byte{0xff, markerSOS}) > maxScans {
		return header{}, errors.New("too many scans")
	}
	h, err := newHeader(formatJPEG, config.Width, config.Height)
	if err != nil {
		return header{}, err
	}
	// A file may have several segments of Exif. The first one with a turned orientation counts.
	for marker, segment := range segments(data) {
		switch {
		case marker >= markerSOF0 && marker <= markerSOF2: // the decoder refuses a second one
			h.memory = frameMemory(segment, marker == markerSOF2)
		case marker == markerAPP1 && bytes.HasPrefix(segment, []byte(exifPrefix)) &&
			h.orientation == 1:
			h.orientation = orientation(segment[len(exifPrefix):])
		}
	}
	if h.memory == 0 { // there is no frame, or it is malformed
		return header{}, errNoFrame
	}
	if config.ColorModel == color.RGBAModel || config.ColorModel == color.CMYKModel {
		h.memory += 4 * int64(h.width) * int64(h.height) // converted into another image
	}
	return h, nil
}

// segments iterates over the segments of a JPEG before its first scan, as package
// image/jpeg does: bytes between segments are ignored. It yields the marker of each, and its
// content without the length. It stops at a segment that is malformed.
func segments(data []byte) iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		for data = data[min(2, len(data)):]; ; { // after the marker of the start of the image
			marker, rest, ok := nextMarker(data)
			if !ok || marker == markerEOI || marker == markerSOS {
				return
			}
			if data = rest; marker >= markerRST0 && marker <= markerRST7 {
				continue // it has no segment
			}
			// A segment begins with its length, which includes the two bytes of the length.
			if len(data) < 2 || bigEndian(data) < 2 || len(data) < bigEndian(data) {
				return
			}
			n := bigEndian(data)
			if !yield(marker, data[2:n]) {
				return
			}
			data = data[n:]
		}
	}
}

// nextMarker finds the next marker and returns the data after it. A marker may begin
// with any number of bytes 0xff. ok is false if there is none.
func nextMarker(data []byte) (marker byte, rest []byte, ok bool) {
	for {
		i := bytes.IndexByte(data, 0xff)
		if i < 0 {
			return 0, nil, false
		}
		for data = data[i:]; len(data) > 0 && data[0] == 0xff; {
			data = data[1:]
		}
		if len(data) == 0 {
			return 0, nil, false
		}
		if marker, data = data[0], data[1:]; marker != 0 { // 0 makes ff a byte of the data
			return marker, data, true
		}
	}
}

// frameMemory returns the memory for the samples of a frame, in bytes; 0 if it is malformed.
// Each component has whole blocks of samples, as many as its share of the largest
// sampling factors says. A progressive image is kept as coefficients of four bytes
// until it is complete.
func frameMemory(frame []byte, progressive bool) (memory int64) {
	// A frame is the precision, two bytes each of height and width, and the number of components,
	// then for each component its id, its sampling factors across and down, and its table.
	const fixed, component = 6, 3
	if len(frame) < fixed+component || len(frame) != fixed+component*int(frame[5]) {
		return 0
	}
	height := bigEndian(frame[1:])
	width := bigEndian(frame[3:])
	// The first component, the brightness, has the largest factors, or package image/jpeg refuses
	// the image. A single component is not subsampled, whatever its factors say. A factor of 0,
	// which image/jpeg refuses too, must not become a divisor.
	sampling := frame[fixed+1]
	across, down := int(sampling>>4), int(sampling&15)
	isSingle := len(frame) == fixed+component
	if isSingle || across == 0 || down == 0 {
		across, down = 1, 1
	}
	pixels := roundUp(width, sampleBlock*across) * roundUp(height, sampleBlock*down)
	for rest := frame[fixed:]; len(rest) > 0; rest = rest[component:] {
		share := int64(rest[1]>>4) * int64(rest[1]&15)
		memory += pixels * share / int64(across*down)
	}
	if isSingle {
		memory = pixels
	}
	if progressive {
		memory *= 1 + 4 // samples and coefficients
	}
	return max(memory, 1) // 0 would mean that the frame is malformed
}

const (
	tagOrientation = 0x0112
	typeShort      = 3
)

// orientation reads the orientation from EXIF data, which is a TIFF file; 1 (upright)
// if it has none or is malformed.
func orientation(tiff []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	case !bytes.HasPrefix(tiff, []byte("II*\x00")):
		return 1
	}
	// The header ends with the offset of a list: the number of its entries, then the entries. An
	// entry is a tag, a type, a count of four bytes, and the value.
	const header, entry = 8, 12
	if len(tiff) < header {
		return 1
	}
	offset := int64(order.Uint32(tiff[4:]))
	if offset+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[offset+2:]
	for range order.Uint16(tiff[offset:]) {
		if len(entries) < entry {
			return 1
		}
		if order.Uint16(entries) == tagOrientation && order.Uint16(entries[2:]) == typeShort {
			return validOrientation(int(order.Uint16(entries[8:])))
		}
		entries = entries[entry:]
	}
	return 1
}

// validOrientation returns an orientation of Exif, or 1, which is upright, for any other number.
func validOrientation(n int) int {
	if n < 1 || n > 8 {
		return 1
	}
	return n
}

// isBareJPEG reports whether a JPEG that can be decoded has only what the encoder of image/jpeg
// writes: tables, a frame and one scan, each once and in this order, and no side longer than
// MaxSide. So there is no place for other data, such as that of a camera.
func isBareJPEG(data []byte) bool {
	markers := []byte{}
	for marker, segment := range segments(data) {
		if marker == markerSOF0 && (bigEndian(segment[1:]) > MaxSide || bigEndian(segment[3:]) > MaxSide) {
			return false
		}
		markers = append(markers, marker)
	}
	scan := bytes.Index(data, []byte{0xff, markerSOS})
	if scan < 0 || !bytes.Equal(markers, []byte{markerDQT, markerSOF0, markerDHT}) {
		return false
	}
	marker, rest, _ := nextMarker(data[scan+2:])
	return marker == markerEOI && len(rest) == 0
}
