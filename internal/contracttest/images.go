package contracttest

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "golang.org/x/image/webp" // decodes stored images
)

// script is a program that the media folder must not serve.
const script = "<script>alert(1)</script>"

// images are valid and invalid uploads.
var images = map[string]func(tb testing.TB) []byte{
	"photo.jpg":     photo,
	"truncated.jpg": func(tb testing.TB) []byte { return photo(tb)[:len(photo(tb))/2] },
	"scripted.jpg":  func(tb testing.TB) []byte { return append(photo(tb), script...) },
	"drawing.png":   drawing,
	"huge.png":      func(testing.TB) []byte { return hollowPNG(40_000, 40_000) },
	"empty.png":     func(testing.TB) []byte { return nil },
	"drawing.svg": func(testing.TB) []byte {
		return []byte(
			`<svg xmlns="http://www.w3.org/2000/svg">` + script + `</svg>`)
	},
	"page.html": func(testing.TB) []byte { return []byte("<!doctype html>" + script) },
	// Both an image and a program: GIF89a is a name in JavaScript.
	"polyglot.gif": func(testing.TB) []byte {
		return []byte(
			"GIF89a/*\x01\x00\x01\x00\x80\x00\x00*/=1;alert(1)//\x3b")
	},
	"pixel.webp": func(tb testing.TB) []byte {
		data, err := base64.StdEncoding.DecodeString(
			"UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
		check(tb, err)
		return data
	},
}

// picture returns a small picture with colours.
func picture() image.Image {
	img := image.NewRGBA(image.Rect(0, 0, 16, 9))
	for x := range 16 {
		for y := range 9 {
			img.Set(x, y, color.RGBA{R: uint8(16 * x), G: uint8(28 * y), B: 128, A: 255})
		}
	}
	return img
}

// photo returns the picture as a JPEG, which the caller may change.
func photo(tb testing.TB) []byte {
	tb.Helper()
	data, err := encodedPhoto()
	check(tb, err)
	return bytes.Clone(data)
}

// drawing returns the picture as a PNG, which the caller may change.
func drawing(tb testing.TB) []byte {
	tb.Helper()
	data, err := encodedDrawing()
	check(tb, err)
	return bytes.Clone(data)
}

// The pictures are encoded once, because thousands of requests have one.
var (
	encodedPhoto = sync.OnceValues(func() ([]byte, error) {
		var b bytes.Buffer
		err := jpeg.Encode(&b, picture(), nil)
		return b.Bytes(), err
	})
	encodedDrawing = sync.OnceValues(func() ([]byte, error) {
		var b bytes.Buffer
		err := png.Encode(&b, picture())
		return b.Bytes(), err
	})
)

// imageOf returns a valid PNG of exactly size bytes: zeros follow its end.
func imageOf(tb testing.TB, size int) []byte {
	tb.Helper()
	data := make([]byte, size)
	copy(data, drawing(tb))
	return data
}

// hollowPNG returns a PNG whose header says that it has this size, with almost no pixels.
func hollowPNG(width, height uint32) []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(nil, width)
	header = binary.BigEndian.AppendUint32(header, height)
	// The header says that there are 8 bits of grey; the data are those of an empty zlib stream.
	for _, chunk := range []struct {
		name string
		data []byte
	}{{"IHDR", append(header, 8, 0, 0, 0, 0)},
		{"IDAT", []byte{0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01}}, {"IEND", nil}} {
		named := append([]byte(chunk.name), chunk.data...)
		b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(chunk.data))))
		b.Write(named)
		b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(named)))
	}
	return b.Bytes()
}

// kindOfFile describes the content of a stored file: "pdf", or the format and the size of an image,
// and whether the script is in it, or the beginning of a file of a lecture. It fails the test for
// any other file.
func kindOfFile(tb testing.TB, dir, name string) string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	check(tb, err)
	if bytes.HasPrefix(data, []byte("%PDF-")) &&
		bytes.HasSuffix(bytes.TrimSpace(data), []byte("%%EOF")) {
		return "pdf"
	}
	if strings.HasPrefix(name, filesFolder+"/") {
		return fmt.Sprintf("%d bytes: %.60q", len(data), data)
	}
	img, format, err := image.Decode(bytes.NewReader(data))
	check(tb, err)
	kind := fmt.Sprintf("%s of %dx%d", format, img.Bounds().Dx(), img.Bounds().Dy())
	if bytes.Contains(data, []byte(script)) {
		kind += " with a script in it"
	}
	return kind
}
