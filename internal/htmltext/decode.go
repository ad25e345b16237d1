package htmltext

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// The errors of pages that cannot be decoded.
var (
	ErrNotUTF8  = errors.New("it is not UTF-8")
	ErrEncoding = errors.New("it is not in the encoding that it declares, or that is unknown")
)

// headSize is how many bytes of a page are searched for its encoding.
const headSize = 4 << 10

// Decode returns a page as UTF-8. A byte order mark or what the page declares says how it is
// encoded, and else it is UTF-8. Errors: [ErrNotUTF8] and
// [ErrEncoding].
func Decode(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return decode16(data[2:], 1, 0)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return decode16(data[2:], 0, 1)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	// Many pages declare an encoding and were saved in UTF-8 later.
	label := strings.ToLower(declared(data[:min(len(data), headSize)]))
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 && label != "iso-2022-jp" {
		return string(data), nil
	}
	if strings.HasPrefix(label, "utf") {
		return "", ErrNotUTF8
	}
	encoding, err := htmlindex.Get(label)
	if err != nil {
		return "", ErrEncoding
	}
	decoded, err := encoding.NewDecoder().Bytes(data)
	if err != nil || !utf8.Valid(decoded) {
		return "", ErrEncoding
	}
	return string(decoded), nil
}

// decode16 decodes UTF-16. high and low are the places of the bytes of each unit.
func decode16(data []byte, high, low int) (string, error) {
	if len(data)%2 != 0 {
		return "", ErrEncoding
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = uint16(data[2*i+high])<<8 | uint16(data[2*i+low])
	}
	return string(utf16.Decode(units)), nil
}

// declared returns the encoding that the head of a page declares, or "utf-8".
func declared(head []byte) string {
	text := string(head)
	if strings.HasPrefix(text, "<?xml") {
		declaration, _, _ := strings.Cut(text, "?>")
		if _, rest, found := strings.Cut(declaration, "encoding="); found && len(rest) > 1 {
			label, _, _ := strings.Cut(rest[1:], rest[:1])
			return label
		}
	}
	z := tokenizer{source: text}
	for {
		t := z.next()
		switch {
		case t.kind == endOfSource, t.kind == startTag && t.name == "body":
			return "utf-8"
		case t.kind == startTag && (t.name == "script" || t.name == "style" || t.name == "title"):
			z.raw(t.name)
		case t.kind == startTag && t.name == "meta":
			n := node{attrs: t.attrs}
			if label := n.attr("charset"); label != "" {
				return label
			}
			if _, label, found := strings.Cut(strings.ToLower(n.attr("content")), "charset="); found {
				label, _, _ = strings.Cut(label, ";")
				return strings.Trim(label, " \"'")
			}
		}
	}
}
