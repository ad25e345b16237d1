//go:build linux

package load

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

// blackPNG is a square PNG whose pixels have four channels of 16 bits. With a side of
// 5,000 pixels it takes 200 MB once it is decoded, so no encoder is used here, which would
// need that memory too.
func blackPNG(b *testing.B, side int) []byte {
	b.Helper()
	const pixel = 8 // bytes
	var data bytes.Buffer
	z := zlib.NewWriter(&data)
	row := make([]byte, 1+side*pixel) // the filter of the row, then black pixels
	for range side {
		if _, err := z.Write(row); err != nil {
			b.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		b.Fatal(err)
	}
	var header []byte
	header = binary.BigEndian.AppendUint32(header, uint32(side))
	header = binary.BigEndian.AppendUint32(header, uint32(side))
	header = append(header, 16, 6, 0, 0, 0) // depth, colour with alpha
	png := []byte("\x89PNG\r\n\x1a\n")
	png = appendChunk(png, "IHDR", header)
	png = appendChunk(png, "IDAT", data.Bytes())
	return appendChunk(png, "IEND", nil)
}

func appendChunk(png []byte, name string, data []byte) []byte {
	png = binary.BigEndian.AppendUint32(png, uint32(len(data)))
	body := append([]byte(name), data...)
	return binary.BigEndian.AppendUint32(append(png, body...), crc32.ChecksumIEEE(body))
}
